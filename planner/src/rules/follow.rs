//! A running secondary is told whom to follow when the policy names another primary than before.

use crate::app_state::AppState;
use crate::decision::{Treatment, Verdict};
use crate::draft::{Draft, Flow};
use crate::hold::Reason;
use crate::look::Look;
use crate::names::ReplicaName;
use crate::ordering::secondaries;
use crate::plan::Cause;
use crate::veto;

pub(crate) fn follow(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    if !look.target().has_secondary {
        return Flow::On;
    }
    for name in secondaries(look) {
        match another_leader(look, name) {
            Ok(Some(leader)) => draft.follow(name, Some(leader), Cause::Answer),
            Ok(None) => {}
            // It keeps following whom it follows.
            Err(reason) => draft.hold_replica(name, reason, &[]),
        }
    }
    Flow::On
}

/// Whom it should follow, if that is not whom it was told last.
fn another_leader<'b>(look: &'b Look<'_>, name: &ReplicaName) -> Result<Option<&'b ReplicaName>, Reason> {
    let Some(Verdict::Proposed { answer: Treatment::RunSecondary { follow }, .. }) =
        look.seen.verdicts.replicas.get(name)
    else {
        return Ok(None);
    };
    let leader = veto::leader(look, name, follow.as_ref())?;
    let is_told = |leader: &&ReplicaName| {
        look.record(name).is_none_or(|record| record.leader.as_ref() == Some(*leader))
    };
    Ok(leader.filter(|leader| *look.state(name) == AppState::Secondary && !is_told(leader)))
}

#[cfg(test)]
mod tests {
    use crate::decision::{Treatment, Verdict};
    use crate::fixture::{memory, name, record, stopped_set};
    use crate::names::ReplicaName;
    use crate::observation::{Command, Role};
    use crate::{Memory, Plan, Step, decide};

    /// Member 0 is primary, 1 and 2 are secondaries; 1 was told to follow this one.
    fn set(told: Option<ReplicaName>, proposed: Option<ReplicaName>) -> (crate::Observation, Memory) {
        let mut seen = stopped_set(3).answers(0, 8).answers(1, 0).answers(2, 0);
        (seen.target.primaries, seen.target.has_secondary) = (1, true);
        for n in 0..3 {
            let role = if n == 0 { Role::Primary } else { Role::Secondary };
            (seen.pod_mut(n).active, seen.pod_mut(n).role) = (Some(true), Some(role));
        }
        let mut second = record(1).confirmed_in(2).open_start("b");
        second.leader = told;
        let third = record(2).confirmed_in(2).open_start("c");
        let known = memory([record(0).confirmed_in(2).open_start("a"), second, third]);
        let answer = Treatment::RunSecondary { follow: proposed };
        seen.verdicts.replicas.insert(name(1), Verdict::Proposed { answer, why: String::new() });
        (seen, known)
    }

    fn told(plan: &Plan) -> Option<&ReplicaName> {
        plan.steps.iter().find_map(|step| match step {
            Step::Run(run) if run.command == Command::Follow && run.replica == name(1) => run.peers.first(),
            _ => None,
        })
    }

    #[test]
    fn a_running_secondary_is_told_of_another_primary_once() {
        let cases = [
            ("never told", None, Some(name(0)), true, false),
            ("told another", Some(name(2)), Some(name(0)), true, false),
            ("told this one", Some(name(0)), Some(name(0)), false, false),
            ("the policy names nobody", Some(name(2)), None, false, false),
            ("the policy names a secondary", None, Some(name(2)), false, true),
            ("the policy names the member itself", None, Some(name(1)), false, true),
        ];
        for (sentence, before, proposed, expected, refused) in cases {
            let (seen, known) = set(before, proposed);
            let plan = decide(&seen, &known);
            assert_eq!(told(&plan), expected.then_some(&name(0)), "{sentence}");
            let is_refused = plan.holds.iter().any(|hold| hold.reason.name() == "LeaderRefused");
            assert_eq!(is_refused, refused, "{sentence}");
            let again = decide(&seen, &plan.memory);
            assert_eq!(told(&again), None, "{sentence}, and is not told twice");
        }
    }
}
