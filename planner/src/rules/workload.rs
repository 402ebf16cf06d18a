//! Without a StatefulSet there is nothing to look after yet.

use crate::draft::{Draft, Flow};
use crate::hold::Reason;
use crate::key::{Key, KeyKind};
use crate::plan::{News, Step};

pub(crate) fn workload(draft: &mut Draft<'_>) -> Flow {
    let Some(workload) = draft.look.seen.workload.as_ref() else {
        draft.hold(Reason::WorkloadPending, &[]);
        return Flow::Enough;
    };
    let is_kept_back = workload.current == Some(false) && draft.look.memory.refused.is_some();
    if !workload.is_current() && !is_kept_back {
        draft.hold(Reason::WorkloadPending, &[]);
    }
    let Some(field) = workload.immutable.as_ref() else { return Flow::On };
    let is_recreate = |news: &News| matches!(news, News::KeyUsed(text) if Key::parse(text).is_some_and(|k| k.kind == KeyKind::Recreate));
    if draft.plan.news.iter().any(is_recreate) {
        return draft.alone(Step::Recreate);
    }
    draft.hold(Reason::Immutable(field.clone()), &[(KeyKind::Recreate, "statefulset".to_owned())]);
    Flow::On
}

#[cfg(test)]
mod tests {
    use crate::decision::Verdict;
    use crate::fixture::{self, memory, name, record};
    use crate::key::Key;
    use crate::observation::Command;
    use crate::{Memory, Plan, Step, decide};

    fn waits(plan: &Plan) -> bool {
        plan.holds.iter().any(|hold| hold.reason.name() == "WorkloadPending")
    }

    #[test]
    fn an_immutable_difference_waits_for_the_key_and_the_key_recreates() {
        let mut seen = fixture::stopped_set(1);
        seen.workload.as_mut().unwrap().immutable = Some("serviceName".to_owned());
        let plan = decide(&seen, &Memory::default());
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "Immutable").unwrap();
        seen.target.keys = hold.keys.clone();
        let plan = decide(&seen, &plan.memory);
        assert_eq!(plan.steps, [Step::Recreate]);
        seen.target.generation += 1;
        let again = decide(&seen, &plan.memory);
        assert!(!again.steps.contains(&Step::Recreate), "the next change is another matter");
        seen.target.keys = again.holds.iter().flat_map(|hold| hold.keys.clone()).collect();
        assert_eq!(decide(&seen, &again.memory).steps, [Step::Recreate], "with a key of its own");
    }

    #[test]
    fn a_template_that_has_not_arrived_yet_is_waited_for() {
        let mut seen = fixture::stopped_set(1);
        seen.workload.as_mut().unwrap().current = Some(false);
        assert!(waits(&decide(&seen, &Memory::default())));
        let refused = Memory { refused: Some(1), ..Memory::default() };
        assert!(!waits(&decide(&seen, &refused)), "it is kept back on purpose");
        seen.workload.as_mut().unwrap().current = None;
        assert!(waits(&decide(&seen, &refused)), "that is still to be seen");
    }

    #[test]
    fn nothing_starts_and_no_key_is_taken_before_the_template_was_compared() {
        let mut seen = fixture::stopped_set(2).answers(0, 0);
        let known = memory([record(0).confirmed_in(1), record(1).confirmed_in(1)]);
        let answer = vec![name(0), name(1)];
        seen.verdicts.primaries = Some(Verdict::Proposed { answer, why: String::new() });
        seen.target.keys = Key::parse("AcceptLoss/db-1/0").into_iter().collect();
        let joins = |step: &Step| matches!(step, Step::Run(run) if run.command == Command::Join);
        for (current, goes_on) in [(None, false), (Some(false), true), (Some(true), true)] {
            seen.workload.as_mut().unwrap().current = current;
            let plan = decide(&seen, &known);
            assert_eq!(plan.steps.iter().any(joins), goes_on, "{current:?}");
            assert_eq!(!plan.memory.used_keys.is_empty(), goes_on, "{current:?}");
            assert_eq!(waits(&plan), current != Some(true), "{current:?}");
        }
    }

    #[test]
    fn without_a_workload_nothing_is_done() {
        let mut seen = fixture::stopped_set(1);
        seen.workload = None;
        let plan = decide(&seen, &Memory::default());
        assert!(plan.steps.is_empty());
        assert_eq!(plan.holds[0].reason.name(), "WorkloadPending");
    }
}
