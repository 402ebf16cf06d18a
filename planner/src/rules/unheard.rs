//! Members of which nothing was heard, and those that have no process, are named.

use crate::app_state::AppState;
use crate::draft::{Draft, Flow};
use crate::hold::Reason;

pub(crate) fn unheard(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    let size = look.seen.workload.as_ref().map_or(0, |workload| workload.replicas);
    for (name, replica) in look.seen.replicas.iter().filter(|(_, replica)| replica.ordinal < size) {
        match look.state(name) {
            AppState::Unknown(why) => {
                draft.hold_replica(name, Reason::Unheard(name.clone(), why.clone()), &[])
            }
            AppState::Down(why) => {
                draft.hold_replica(name, Reason::NotRunning(name.clone(), why.clone()), &[])
            }
            AppState::Failed(why) => {
                draft.hold_replica(name, Reason::Failing(name.clone(), why.clone()), &[])
            }
            _ if replica.pod.as_ref().is_some_and(|pod| !pod.guarded || pod.unguardable) => {
                draft.hold_replica(name, Reason::Unguarded(name.clone()), &[]);
            }
            _ => {}
        }
    }
    Flow::On
}
