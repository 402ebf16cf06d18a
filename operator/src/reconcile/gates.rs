//! The readiness gates and the labels of the pods. The operator writes them after the steps of a plan: a failure here must not delay a
//! recovery.

use kube::Resource;

use super::offspring::BLIPS;
use super::{Session, chain};
use crate::context::Context;
use crate::observe::Objects;
use crate::report::{Told, Trouble};
use crate::{api, events, labels, serving};

/// Restores the labels by which pods are found, and writes the gates that differ. The status reports a failure of a gate that
/// lasts.
pub(super) async fn write(context: &Context, session: &mut Session, objects: &Objects, told: &Told<'_>) {
    if told.target.paused || !context.leads() {
        return;
    }
    let restored = labels::restore(&context.clients.writes, objects, told.target).await;
    events::publish(&context.recorder, &objects.set.object_ref(&()), &restored);
    let answer = serving::write_gates(&context.clients.writes, objects, told.plan, told.now).await;
    session.gate_failures = if answer.is_err() { session.gate_failures + 1 } else { 0 };
    if let Err(error) = answer
        && session.gate_failures >= BLIPS
        && session.trouble.is_none()
    {
        session.trouble = Some(Trouble { reason: api::Reason::ReadinessFailed, message: chain(&error) });
    }
}
