//! Which running members are primary: promotion beside a live primary, and demotion.

use crate::draft::{Draft, Flow};
use crate::names::ReplicaName;
use crate::observation::Command;
use crate::ordering::{is_headless, members, possible_primaries, secondaries};
use crate::places::is_released;
use crate::plan::Cause;
use crate::rules::failover::{fail_over, perhaps_alive};
use crate::veto;

pub(crate) fn promote(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    if look.target().all_primaries() {
        return Flow::On;
    }
    if is_headless(look) {
        return fail_over(draft);
    }
    // Who was told to lead or to follow may do so yet.
    if look.running().any(|name| look.is_turning(name)) {
        return Flow::On;
    }
    let live = look.live_primaries().count();
    let wanted = look.target().primaries as usize;
    if live > wanted {
        return demote(draft);
    }
    if live > 0 && possible_primaries(look) < wanted {
        return promote_beside(draft);
    }
    Flow::On
}

/// A primary lives and there are to be more: the next in order among those that follow it.
fn promote_beside(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    // Beside one that leads another has the place of who was given up by name.
    if perhaps_alive(look).any(|record| !is_released(look, &record.replica)) {
        return Flow::On;
    }
    let order = match veto::order(look, &members(look)) {
        Ok(order) => order,
        Err(reason) => {
            draft.hold(reason, &[]);
            return Flow::On;
        }
    };
    match order.iter().find(|name| secondaries(look).any(|other| other == *name)) {
        Some(name) => draft.run_alone(name, Command::Promote, Cause::Size),
        None => Flow::On,
    }
}

/// The lowest in order goes first: the last of the policy's order.
fn demote(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    match veto::order(look, &members(look)) {
        Ok(order) => {
            let live = |name: &&ReplicaName| {
                look.live_primaries().any(|other| other == *name) && look.runs_by_its_own(name)
            };
            if let Some(name) = order.iter().rev().find(live) {
                draft.run(name, Command::Demote, Cause::Size);
            }
        }
        Err(reason) => draft.hold(reason, &[]),
    }
    Flow::On
}

#[cfg(test)]
mod tests {
    use crate::Step;
    use crate::decide;
    use crate::decision::Verdict;
    use crate::fixture::{memory, name, record, start, stopped_set};
    use crate::names::ReplicaName;
    use crate::observation::{Command, Role, Status};
    use crate::start::{Start, StartKind};
    use crate::timer::{Age, Timer};

    /// Members 0 and 1 of two primaries; nobody orders them.
    fn of_two(codes: [i32; 2]) -> Vec<&'static str> {
        let mut seen = stopped_set(2).answers(0, codes[0]).answers(1, codes[1]);
        (seen.target.has_secondary, seen.target.primaries) = (true, 2);
        seen.verdicts.primaries = Some(Verdict::Missing("no".to_owned()));
        let mut known = memory([0, 1].map(|n| record(n).confirmed_in(1)));
        for (n, code) in codes.into_iter().enumerate() {
            let record = known.holders.get_mut(&crate::fixture::holder(n as u32)).unwrap();
            *record = if code == 7 { record.clone().at(3) } else { record.clone().open_start("a") };
            seen.pod_mut(n as u32).active = Some(code == 8 || code == 0);
            seen.pod_mut(n as u32).role = Some(match code {
                8 => Role::Primary,
                0 => Role::Secondary,
                _ => Role::Stopped,
            });
        }
        decide(&seen, &known).holds.iter().map(|hold| hold.reason.name()).collect()
    }

    #[test]
    fn beside_no_primary_nobody_is_to_be_ordered() {
        assert!(of_two([8, 0]).contains(&"NoOrderVerdict"), "{:?}", of_two([8, 0]));
        assert!(!of_two([137, 137]).contains(&"NoOrderVerdict"), "{:?}", of_two([137, 137]));
    }

    /// Two primaries where one is wanted, ordered by this.
    fn too_many(order: [u32; 2]) -> (crate::Observation, crate::Memory) {
        let mut seen = stopped_set(2).answers(0, 8).answers(1, 8);
        (seen.target.has_secondary, seen.target.primaries) = (true, 1);
        for ordinal in 0..2 {
            seen.pod_mut(ordinal).active = Some(true);
            seen.pod_mut(ordinal).role = Some(Role::Primary);
        }
        let answer = order.map(name).to_vec();
        seen.verdicts.primaries = Some(Verdict::Proposed { answer, why: String::new() });
        (seen, memory([0, 1].map(|n| record(n).confirmed_in(1).open_start(&format!("a{n}")))))
    }

    fn demoted(seen: &crate::Observation, known: &crate::Memory) -> Option<ReplicaName> {
        let demoted = |step: &Step| match step {
            Step::Run(run) if run.command == Command::Demote => Some(run.replica.clone()),
            _ => None,
        };
        decide(seen, known).steps.iter().find_map(demoted)
    }

    #[test]
    fn one_primary_too_many_is_demoted_the_last_in_order_first() {
        let (seen, known) = too_many([1, 0]);
        assert_eq!(demoted(&seen, &known), Some(name(0)));
    }

    #[test]
    fn while_one_was_told_to_follow_and_may_yet_no_other_is() {
        let (mut seen, mut known) = too_many([0, 1]);
        let turned = known.holders.get_mut(&crate::fixture::holder(0)).unwrap();
        let told = Start { kind: StartKind::Demote, confirmed: false, ..start(0, "told") };
        turned.open.push(told);
        assert_eq!(demoted(&seen, &known), None, "{:?}", decide(&seen, &known).steps);
        seen.ages.insert(Timer::Deadline("told".into()), Age::Ripe);
        assert_eq!(demoted(&seen, &known), Some(name(1)), "that came to nothing");
    }

    #[test]
    fn beside_one_that_leads_another_is_promoted_unless_a_third_may_lead_that_was_not_given_up_by_name() {
        for (given_up, silent, promoted) in [(true, true, true), (false, true, false), (false, false, false)]
        {
            let mut seen = stopped_set(3).answers(0, 8).answers(1, 0);
            (seen.target.has_secondary, seen.target.primaries) = (true, 2);
            seen.verdicts.primaries =
                Some(Verdict::Proposed { answer: [0, 1, 2].map(name).to_vec(), why: String::new() });
            for (ordinal, role) in [(0, Role::Primary), (1, Role::Secondary)] {
                (seen.pod_mut(ordinal).active, seen.pod_mut(ordinal).role) = (Some(true), Some(role));
            }
            if silent {
                seen.pod_mut(2).status = Status::Silent("lost".to_owned());
            } else {
                seen.replicas.get_mut(&name(2)).unwrap().pod = None;
            }
            seen.workload.as_mut().unwrap().released.extend(given_up.then(|| name(2)));
            let led = |n: u32| record(n).confirmed_in(1).open_start(&format!("a{n}"));
            let mut known = memory((0..3).map(led));
            known.holders.values_mut().for_each(|record| record.last = Some(Role::Primary));
            let plan = decide(&seen, &known);
            let sends = |step: &Step| matches!(step, Step::Run(run) if run.command == Command::Promote);
            assert_eq!(
                plan.steps.iter().any(sends),
                promoted,
                "given up: {given_up}, silent: {silent}: {:?} {:?}",
                plan.steps,
                plan.holds
            );
        }
    }
}
