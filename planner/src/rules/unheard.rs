//! Members of which nothing was heard, and those that have no process, are named.

use crate::app_state::AppState;
use crate::draft::{Draft, Flow};
use crate::guarding;
use crate::hold::Reason;
use crate::places::has_place;

pub(crate) fn unheard(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    let size = look.seen.workload.as_ref().map_or(0, |workload| workload.replicas);
    for name in look.in_places(0..size) {
        match look.state(name) {
            AppState::Unknown(why) => {
                draft.hold_replica(name, Reason::Unheard(name.clone(), why.clone()), &[])
            }
            // Nobody makes another pod of who has no place any more.
            AppState::Down(why) if look.is_numbered() || has_place(look, name) => {
                draft.hold_replica(name, Reason::NotRunning(name.clone(), why.clone()), &[])
            }
            AppState::Failed(why) => {
                draft.hold_replica(name, Reason::Failing(name.clone(), why.clone()), &[])
            }
            _ => {
                if let Some(reason) = guarding::obstacle(look, name) {
                    draft.hold_replica(name, reason, &[]);
                }
            }
        }
    }
    Flow::On
}

#[cfg(test)]
mod tests {
    use crate::decide;
    use crate::fixture::{memory, name, record, stopped_set};
    use crate::observation::Status;
    use crate::target::Identities;

    #[test]
    fn who_was_given_up_is_not_said_to_be_missing() {
        for (released, wanted, missing) in [(false, 2, true), (true, 2, false), (true, 1, false)] {
            let mut seen = stopped_set(2).answers(0, 0);
            seen.target.identities = Identities::GivenOnce;
            (seen.target.replicas, seen.target.primaries) = (wanted, wanted);
            seen.workload.as_mut().unwrap().replicas = 3;
            seen.replicas.get_mut(&name(1)).unwrap().pod = None;
            let workload = seen.workload.as_mut().unwrap();
            workload.released.extend(released.then(|| name(1)));
            let known = memory([record(0).confirmed_in(1).open_start("a"), record(1).confirmed_in(1)]);
            let holds = decide(&seen, &known).holds;
            let is_missing = holds.iter().any(|hold| hold.reason.name() == "NotRunning");
            assert_eq!(is_missing, missing, "{wanted} are wanted: {holds:?}");
        }
    }

    #[test]
    fn a_member_without_the_guard_is_named_and_one_beyond_the_size_is_not() {
        let held = |guarded: bool, unguardable: bool, size: u32| {
            let mut seen = stopped_set(2).answers(0, 0).answers(1, 0);
            seen.workload.as_mut().unwrap().replicas = size;
            let pod = seen.pod_mut(1);
            pod.revision = "r0".into();
            (pod.guarded, pod.unguardable) = (guarded, unguardable);
            let known = memory([0, 1].map(|n| record(n).confirmed_in(1).open_start(&format!("a{n}"))));
            let holds = decide(&seen, &known).holds;
            holds.into_iter().any(|hold| hold.reason == crate::hold::Reason::Unguarded(name(1)))
        };
        assert!(!held(true, false, 2));
        assert!(held(false, false, 2) && held(true, true, 2));
        assert!(!held(false, false, 1), "it has no pod to come");
        let mut silent = stopped_set(2);
        silent.pod_mut(1).status = Status::Silent("lost".to_owned());
        silent.workload.as_mut().unwrap().replicas = 1;
        let plan = decide(&silent, &memory([record(0)]));
        assert!(!plan.holds.iter().any(|hold| hold.reason.name() == "Unheard"), "{:?}", plan.holds);
    }
}
