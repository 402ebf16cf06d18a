//! A stopped member is the cheapest one to give a new pod: one without the guard must have it, and
//! one of an older template may as well take the new one before it starts.

use crate::app_state::AppState;
use crate::draft::{Draft, Flow};
use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::Pod;
use crate::plan::{Cause, Step};
use crate::target::Rollout;

/// Grace of a pod whose application does not run, in seconds: its own command only waits.
pub(crate) const STOPPED_GRACE: u64 = 1;

pub(crate) fn renew(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    for (name, replica) in &look.seen.replicas {
        let Some(pod) = replica.pod.as_ref() else { continue };
        let cause = if pod.guarded { Cause::Template } else { Cause::Unguarded };
        let due = !pod.guarded || (is_stale(look, pod) && look.memory.outage.is_none());
        if due && is_idle(look, name, pod) {
            let grace_seconds = Some(STOPPED_GRACE);
            return draft.alone(Step::Recycle {
                replica: name.clone(),
                if_pod: pod.uid.clone(),
                grace_seconds,
                cause,
            });
        }
    }
    Flow::On
}

/// Its application does not run, nothing is under way, and no start of it is open.
fn is_idle(look: &Look<'_>, name: &ReplicaName, pod: &Pod) -> bool {
    let closed = look.record(name).is_none_or(|record| record.open.is_empty());
    let busy = pod.live_container().is_none_or(|container| look.under_way(container).is_some());
    *look.state(name) == AppState::Stopped && closed && !busy
}

/// Made from a template that is no longer wanted, and the resource wants it replaced.
pub(crate) fn is_stale(look: &Look<'_>, pod: &Pod) -> bool {
    let wanted =
        look.seen.workload.as_ref().filter(|workload| workload.current).map(|workload| &workload.revision);
    look.target().rollout == Rollout::RollingUpdate && wanted.is_some_and(|wanted| *wanted != pod.revision)
}
