//! A changed template: one member at a time, primaries last, only while the set is well.

use crate::app_state::AppState;
use crate::draft::{Draft, Flow};
use crate::hold::Reason;
use crate::key::KeyKind;
use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::Command;
use crate::plan::{Cause, Step};
use crate::recall::{is_well, unwell};
use crate::rules::alone::is_last_before_rollout;
use crate::rules::renew::is_stale;

pub(crate) fn rollout(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    let Some(name) = next(look) else { return Flow::On };
    if !is_well(look) || !draft.plan.steps.is_empty() {
        let changed = || draft.plan.steps.iter().find_map(Step::replica);
        let blocker = unwell(look).or_else(changed).unwrap_or(name).clone();
        draft.hold_replica(name, Reason::NotWell(blocker), &[]);
        return Flow::On;
    }
    let is_given_up = look.record(name).is_some_and(|record| record.waived);
    if is_last_before_rollout(look, name) && !is_given_up {
        let key = (KeyKind::AcceptLoss, name.to_string());
        draft.hold_replica(name, Reason::DataAlone(name.clone(), Cause::Template), &[key]);
        return Flow::On;
    }
    match look.pod(name).filter(|pod| !pod.guarded) {
        // Nothing can be run in it: its own container stops the application when it is told to end.
        Some(pod) => draft.replace(name, pod, None, Cause::Unguarded),
        None => {
            draft.run(name, Command::Stop, Cause::Template);
            Flow::On
        }
    }
}

/// Running members of an older template: secondaries first, then the last place.
fn next<'b>(look: &'b Look<'_>) -> Option<&'b ReplicaName> {
    let size = look.target().replicas;
    let stale = |name: &&ReplicaName| look.pod(name).is_some_and(|pod| is_stale(look, pod));
    let rank =
        |name: &&ReplicaName| (*look.state(name) == AppState::Primary, std::cmp::Reverse(look.place(name)));
    look.running().filter(|name| look.place(name) < size).filter(stale).min_by_key(rank)
}

#[cfg(test)]
mod tests {
    use crate::fixture::{memory, name, record, stopped_set};
    use crate::hold::{Reason, Scope};
    use crate::names::Revision;
    use crate::observation::{Command, Role};
    use crate::plan::Cause;
    use crate::{Memory, Observation, Plan, Step, decide};

    fn healthy(size: u32) -> (Observation, Memory) {
        let mut seen = stopped_set(size);
        for ordinal in 0..size {
            seen = seen.answers(ordinal, 0);
            seen.pod_mut(ordinal).active = Some(true);
            seen.pod_mut(ordinal).role = Some(Role::Primary);
        }
        (seen, memory((0..size).map(|n| record(n).confirmed_in(1).open_start(&format!("a{n}")))))
    }

    fn stopped(plan: &Plan) -> Vec<String> {
        let stop = |step: &Step| match step {
            Step::Run(run) if run.command == Command::Stop && run.cause == Cause::Template => {
                Some(run.replica.0.clone())
            }
            _ => None,
        };
        plan.steps.iter().filter_map(stop).collect()
    }

    #[test]
    fn one_member_at_a_time_and_only_while_all_are_well() {
        let (mut seen, known) = healthy(3);
        let settled = decide(&seen, &known);
        assert!(settled.steps.is_empty(), "nothing to do before: {:?}", settled.steps);
        assert_eq!(settled.memory.good, Some(Revision::from("r1")));
        seen.workload.as_mut().unwrap().revision = "r2".into();
        assert_eq!(stopped(&decide(&seen, &known)), ["x-2"]);
        seen.pod_mut(0).status = crate::fixture::answer(0, 1);
        let plan = decide(&seen, &known);
        assert!(stopped(&plan).is_empty());
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "NotWell").unwrap();
        assert_eq!(hold.reason, Reason::NotWell(name(0)), "who is not well is named");
        assert_eq!(hold.scope, Scope::Replica(name(2)), "and who waits for it");
    }

    #[test]
    fn primaries_go_last() {
        let (mut seen, known) = healthy(3);
        seen.target.has_secondary = true;
        seen.target.primaries = 1;
        seen = seen.answers(2, 8);
        for ordinal in 0..2 {
            seen.pod_mut(ordinal).role = Some(Role::Secondary);
        }
        seen.workload.as_mut().unwrap().revision = "r2".into();
        assert_eq!(stopped(&decide(&seen, &known)), ["x-1"]);
    }

    #[test]
    fn one_beyond_the_wanted_size_is_not_renewed() {
        let (mut seen, known) = healthy(3);
        seen.target.replicas = 2;
        seen.workload.as_mut().unwrap().revision = "r2".into();
        let look = crate::look::Look::new(&seen, known);
        assert_eq!(super::next(&look).map(|name| &name.0[..]), Some("x-1"));
    }
}
