//! A resource that is being deleted: its pods are left to the garbage collector, and people are told.

use super::{AGAIN, Error, stages};
use crate::api::StatefulCluster;
use crate::cluster::session::{Session, Shared};
use crate::cluster::{promise, report};
use crate::promise::is_stale;
use crate::reconcile::{Next, now};

pub(super) async fn tell(
    shared: &Shared,
    session: &mut Session,
    cluster: &StatefulCluster,
) -> Result<Next, Error> {
    let before = cluster.status.clone().unwrap_or_default();
    let status = report::deleted(&before, &cluster.metadata, now());
    if status == before || !shared.context.leads() {
        return Ok(Next::Wait(stages::REST));
    }
    match promise::write(shared, session, cluster, status).await {
        Err(error) if is_stale(&error) => {
            promise::reread(shared, session).await;
            Ok(Next::Wait(AGAIN))
        }
        answer => answer.map(|()| Next::Wait(stages::REST)).map_err(Error::Promise),
    }
}
