//! Which running members are primary: promotion beside a live primary, and demotion.

use crate::draft::{Draft, Flow};
use crate::key::KeyKind;
use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::{Command, Role};
use crate::ordering::{has_primary_start, is_headless, members, possible_primaries, secondaries};
use crate::plan::Cause;
use crate::record::Record;
use crate::rules::close::start_open;
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
    if let Some(record) = may_lead(look) {
        let start = &record.open[0];
        let reason = start_open(look, record, start);
        draft.hold_replica(&record.replica, reason, &[(KeyKind::AssertFenced, start.pod.to_string())]);
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

/// Who led, or was told to, is not seen to run, and may: nobody has its place before that is over (4.2), given up by name or
/// not, and wherever its claim went.
fn may_lead<'b>(look: &'b Look<'_>) -> Option<&'b Record> {
    perhaps_alive(look).find(|record| record.last == Some(Role::Primary) || has_primary_start(record))
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
    use crate::decision::Verdict;
    use crate::fixture::{holder, memory, name, record, start, stopped_set};
    use crate::guarantees::ordered;
    use crate::hold::{Hold, Reason};
    use crate::names::ReplicaName;
    use crate::observation::{Command, Role, Status};
    use crate::record::Record;
    use crate::start::{Start, StartKind};
    use crate::timer::{Age, Timer};
    use crate::{Memory, Observation, Step, decide};

    /// Members 0 and 1 of two primaries; nobody orders them.
    fn of_two(codes: [i32; 2]) -> Vec<&'static str> {
        let mut seen = stopped_set(2).answers(0, codes[0]).answers(1, codes[1]);
        (seen.target.has_secondary, seen.target.primaries) = (true, 2);
        seen.verdicts.primaries = Some(Verdict::Missing("no".to_owned()));
        let mut known = memory([0, 1].map(|n| record(n).confirmed_in(1)));
        for (n, code) in codes.into_iter().enumerate() {
            let record = known.holders.get_mut(&holder(n as u32)).unwrap();
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
    fn too_many(order: [u32; 2]) -> (Observation, Memory) {
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

    fn demoted(seen: &Observation, known: &Memory) -> Option<ReplicaName> {
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
        let turned = known.holders.get_mut(&holder(0)).unwrap();
        let told = Start { kind: StartKind::Demote, confirmed: false, ..start(0, "told") };
        turned.open.push(told);
        assert_eq!(demoted(&seen, &known), None, "{:?}", decide(&seen, &known).steps);
        seen.ages.insert(Timer::Deadline("told".into()), Age::Ripe);
        assert_eq!(demoted(&seen, &known), Some(name(1)), "that came to nothing");
    }

    type Change = fn(&mut Observation, &mut Record);

    fn give_up(seen: &mut Observation) {
        seen.workload.as_mut().unwrap().released.insert(name(2));
    }

    /// It followed, and was told to lead.
    fn is_told(third: &mut Record) {
        third.last = Some(Role::Secondary);
        third.open.push(Start { kind: StartKind::Promote, confirmed: false, ..start(2, "told") });
    }

    fn loses_its_claim(seen: &mut Observation) {
        seen.replicas.get_mut(&name(2)).unwrap().claims.clear();
    }

    /// Member 0 leads and 1 follows; 2 led, and is silent.
    fn beside_one(change: Change) -> (Observation, Memory) {
        let mut seen = ordered(stopped_set(3).answers(0, 8).answers(1, 0), &[0, 1, 2]);
        (seen.target.has_secondary, seen.target.primaries) = (true, 2);
        for (ordinal, role) in [(0, Role::Primary), (1, Role::Secondary)] {
            (seen.pod_mut(ordinal).active, seen.pod_mut(ordinal).role) = (Some(true), Some(role));
        }
        seen.pod_mut(2).status = Status::Silent("lost".to_owned());
        let mut known = memory((0..3).map(|n| record(n).confirmed_in(1).open_start(&format!("a{n}"))));
        known.holders.values_mut().for_each(|record| record.last = Some(Role::Primary));
        known.holders.get_mut(&holder(1)).unwrap().last = Some(Role::Secondary);
        change(&mut seen, known.holders.get_mut(&holder(2)).unwrap());
        (seen, known)
    }

    #[test]
    fn beside_one_that_leads_another_is_promoted_unless_a_third_may_lead_given_up_or_not() {
        let cases: [(&str, Change, bool); 8] = [
            ("it led", |_, _| {}, false),
            ("its pod is gone", |seen, _| seen.replicas.get_mut(&name(2)).unwrap().pod = None, false),
            ("it was given up by name", |seen, _| give_up(seen), false),
            (
                "it was given up by name, and nothing of it is alive",
                |seen, third| {
                    give_up(seen);
                    third.open.clear();
                },
                true,
            ),
            ("it was told to lead", |_, third| is_told(third), false),
            (
                "it was told to lead, and its claim is gone",
                |seen, third| {
                    is_told(third);
                    loses_its_claim(seen);
                },
                false,
            ),
            (
                "it was told to lead, and given up by name",
                |seen, third| {
                    is_told(third);
                    give_up(seen);
                },
                false,
            ),
            (
                "it followed, and its claim is gone",
                |seen, third| {
                    third.last = Some(Role::Secondary);
                    loses_its_claim(seen);
                },
                true,
            ),
        ];
        for (sentence, change, promoted) in cases {
            let (seen, known) = beside_one(change);
            let plan = decide(&seen, &known);
            assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
            let sends = |step: &Step| matches!(step, Step::Run(run) if run.command == Command::Promote);
            let did = plan.steps.iter().any(sends);
            assert_eq!(did, promoted, "{sentence}: {:?} {:?}", plan.steps, plan.holds);
            let waits =
                |hold: &Hold| matches!(&hold.reason, Reason::StartOpen { who, .. } if *who == name(2));
            assert!(promoted || plan.holds.iter().any(waits), "{sentence}: {:?}", plan.holds);
        }
    }
}
