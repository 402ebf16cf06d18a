//! A stopped member is the cheapest one to give a new pod: one of an older template takes the new one before it
//! starts. A pod without the guard is replaced only if another template is wanted: the same template gives the same pod.

use crate::app_state::AppState;
use crate::draft::{Draft, Flow};
use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::Pod;
use crate::plan::Cause;
use crate::start::Start;
use crate::target::Rollout;
use crate::timer::Timer;

/// Grace of a pod whose application does not run, in seconds: its own command only waits.
pub(crate) const STOPPED_GRACE: u64 = 1;

pub(crate) fn renew(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    for (name, replica) in &look.seen.replicas {
        let Some(pod) = replica.pod.as_ref() else { continue };
        let (cause, helps) = match pod.guarded {
            true => (Cause::Template, is_stale(look, pod)),
            false => (Cause::Unguarded, is_of_other_template(look, pod)),
        };
        if helps && is_idle(look, name, pod) {
            let flow = draft.replace(name, pod, Some(STOPPED_GRACE), cause);
            if flow == Flow::Enough {
                return flow;
            }
        }
    }
    Flow::On
}

/// Its application does not run, nothing is under way, and no start of it is open that this pod could have run. One that
/// cannot start at all counts as well: the wanted template may be the cure.
fn is_idle(look: &Look<'_>, name: &ReplicaName, pod: &Pod) -> bool {
    let may_be_here = |start: &Start| start.pod == pod.uid || !pod.never_ran;
    let closed = look.record(name).is_none_or(|record| !record.open.iter().any(may_be_here));
    let busy = pod.live_container().is_some_and(|container| look.under_way(container).is_some());
    let stuck = look.is_ripe(&Timer::CannotStart(pod.uid.clone()));
    let rests = match look.state(name) {
        AppState::Stopped => true,
        AppState::Down(_) => stuck,
        _ => false,
    };
    rests && closed && !busy
}

/// Made from a template that is no longer wanted, and the resource wants it replaced.
pub(crate) fn is_stale(look: &Look<'_>, pod: &Pod) -> bool {
    look.target().rollout == Rollout::RollingUpdate && is_of_other_template(look, pod)
}

fn is_of_other_template(look: &Look<'_>, pod: &Pod) -> bool {
    let wanted = look.seen.workload.as_ref().filter(|workload| workload.is_current());
    wanted.is_some_and(|wanted| wanted.revision != pod.revision)
}

#[cfg(test)]
mod tests {
    use crate::fixture::{memory, name, record, stopped_set};
    use crate::hold::Reason;
    use crate::observation::{Container, ContainerState};
    use crate::plan::Cause;
    use crate::start::Lock;
    use crate::timer::{Age, Timer};
    use crate::{Step, decide};

    #[test]
    fn a_stopped_member_of_an_older_template_gets_a_new_pod_before_it_starts() {
        let mut seen = stopped_set(1);
        seen.workload.as_mut().unwrap().revision = "r2".into();
        let closed = memory([record(0).confirmed_in(1).at(3)]);
        let plan = decide(&seen, &closed);
        assert!(
            matches!(&plan.steps[..], [Step::Recycle { cause: Cause::Template, .. }]),
            "{:?}",
            plan.steps
        );
        let open = memory([record(0).confirmed_in(1).open_start("a")]);
        assert!(
            !decide(&seen, &open).steps.iter().any(|step| matches!(step, Step::Recycle { .. })),
            "it may be alive"
        );
    }

    #[test]
    fn a_pod_whose_container_never_ran_is_replaced_though_a_start_in_an_earlier_pod_is_open() {
        let mut seen = stopped_set(1);
        seen.workload.as_mut().unwrap().revision = "r2".into();
        let pod = seen.pod_mut(0);
        pod.never_ran = true;
        pod.container =
            Some(Container { id: None, state: ContainerState::Waiting("ErrImagePull".to_owned()) });
        let uid = pod.uid.clone();
        seen.ages.insert(Timer::CannotStart(uid), Age::Ripe);
        let replaced = |seen: &crate::Observation, earlier: bool| {
            let mut known = record(0).confirmed_in(1).open_start("a");
            known.open[0].lock = Lock::Held;
            if earlier {
                (known.open[0].pod, known.open[0].container) = ("before".into(), "before".into());
            }
            decide(seen, &memory([known])).steps.iter().any(|step| matches!(step, Step::Recycle { .. }))
        };
        assert!(replaced(&seen, true));
        assert!(!replaced(&seen, false), "the start was sent into this pod");
        seen.pod_mut(0).never_ran = false;
        assert!(!replaced(&seen, true), "a container of this pod ran");
    }

    #[test]
    fn a_stopped_member_without_the_guard_gets_a_pod_that_has_it() {
        let mut seen = stopped_set(1);
        (seen.pod_mut(0).guarded, seen.pod_mut(0).revision) = (false, "r0".into());
        let plan = decide(&seen, &memory([record(0).confirmed_in(1)]));
        assert!(matches!(&plan.steps[..], [Step::Recycle { cause: Cause::Unguarded, .. }]));
    }

    #[test]
    fn a_pod_that_has_no_guard_though_its_template_is_the_wanted_one_is_named_and_not_replaced() {
        let mut seen = stopped_set(1);
        seen.pod_mut(0).guarded = false;
        let plan = decide(&seen, &memory([record(0).confirmed_in(1)]));
        assert!(plan.steps.is_empty(), "another pod would be made alike: {:?}", plan.steps);
        assert!(
            plan.holds.iter().any(|hold| hold.reason == Reason::GuardMissing(name(0))),
            "{:?}",
            plan.holds
        );
    }

    #[test]
    fn a_pod_of_an_older_template_that_cannot_start_at_all_is_replaced_once_that_is_sure() {
        let mut seen = stopped_set(1);
        seen.workload.as_mut().unwrap().revision = "r2".into();
        let pod = seen.pod_mut(0);
        let container = pod.container.as_mut().unwrap();
        (container.id, container.state) = (None, ContainerState::Waiting("ErrImagePull".to_owned()));
        let (uid, known) = (pod.uid.clone(), memory([record(0).confirmed_in(1).at(3)]));
        let replaced = |seen: &crate::Observation| {
            decide(seen, &known).steps.iter().any(|step| matches!(step, Step::Recycle { .. }))
        };
        assert!(!replaced(&seen), "it may come up yet");
        seen.ages.insert(Timer::CannotStart(uid), Age::Ripe);
        assert!(replaced(&seen));
    }
}
