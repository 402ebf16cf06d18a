//! A set that was made again on its other workload: its data is where that one left it, and its members may still run there.
//! While nobody serves here nobody begins: there would be two databases, or an empty one.

use crate::draft::{Draft, Flow};
use crate::hold::Reason;

pub(crate) fn elsewhere(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    for what in &look.seen.elsewhere {
        draft.hold(Reason::OtherWorkload(what.clone()), &[]);
    }
    // Whoever makes pods counts those of the other workload not, and these are no reason that one of its own goes.
    let is_idle = look.running().next().is_none();
    if look.seen.elsewhere.is_empty() || !is_idle { Flow::On } else { Flow::Enough }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{memory, record, stopped_set};
    use crate::{Memory, Observation, Plan, audit, decide};

    fn planned(seen: &Observation, known: &Memory) -> Plan {
        let plan = decide(seen, known);
        assert_eq!(audit(seen, known, &plan), Ok(()));
        plan
    }

    fn waits(plan: &Plan) -> bool {
        plan.holds.iter().any(|hold| hold.reason.name() == "OtherWorkload")
    }

    #[test]
    fn nobody_begins_while_the_set_has_something_on_its_other_workload() {
        let read = memory((0..3).map(|n| record(n).confirmed_in(1).at(3)));
        for known in [Memory::default(), read] {
            let mut seen = stopped_set(3);
            assert!(!planned(&seen, &known).steps.is_empty());
            seen.elsewhere.insert("claim data-rss-x-a".to_owned());
            let plan = planned(&seen, &known);
            assert!(plan.steps.is_empty() && waits(&plan), "{:?} {:?}", plan.steps, plan.holds);
        }
    }

    #[test]
    fn whoever_serves_goes_on_and_is_joined_and_a_person_is_told_all_the_same() {
        let mut seen = stopped_set(3).answers(0, 0);
        seen.elsewhere.insert("claim data-rss-x-a".to_owned());
        let serves = record(0).confirmed_in(1).open_start("a");
        let plan = planned(&seen, &memory([serves, record(1).confirmed_in(1), record(2).confirmed_in(1)]));
        assert!(!plan.steps.is_empty() && waits(&plan), "{:?}", plan.holds);
    }
}
