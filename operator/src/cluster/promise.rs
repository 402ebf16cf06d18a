//! The status, and in it what is about to be done: written before it is done, bound to the version that was looked at.

use std::sync::Arc;

use kube::ResourceExt;
use kube::api::{Api, PostParams};

use super::session::{Session, Shared};
use crate::api::{ClusterStatus, StatefulCluster};

/// Writes the status. A conflict means that somebody else wrote first: what was decided rests on what is no longer so.
///
/// A status that is the same as before is a question, too: whether the resource is still at this version.
pub(super) async fn write(
    shared: &Shared,
    session: &mut Session,
    cluster: &StatefulCluster,
    status: ClusterStatus,
) -> kube::Result<()> {
    let namespace = cluster.namespace().unwrap_or_default();
    let api: Api<StatefulCluster> = Api::namespaced(shared.context.clients.writes.clone(), &namespace);
    let mut body = StatefulCluster::new(&cluster.name_any(), cluster.spec.clone());
    body.metadata.namespace.clone_from(&cluster.metadata.namespace);
    body.metadata.uid.clone_from(&cluster.metadata.uid);
    body.metadata.resource_version.clone_from(&cluster.metadata.resource_version);
    body.status = Some(status);
    let answer = api.replace_status(&cluster.name_any(), &PostParams::default(), &body).await?;
    session.written = Some(Arc::new(answer));
    Ok(())
}

/// After a conflict: what the API server has now. It may be older than what was written here, where it was restored from
/// a snapshot: then no cache ever catches up with that.
pub(super) async fn reread(shared: &Shared, session: &mut Session) {
    let reads = shared.context.clients.reads.clone();
    let api: Api<StatefulCluster> = Api::namespaced(reads, &session.key.namespace);
    session.written = api.get_opt(&session.key.name).await.ok().flatten().map(Arc::new);
}
