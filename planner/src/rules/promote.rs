//! Which running members are primary: promotion beside a live primary, and demotion.

use crate::draft::{Draft, Flow};
use crate::names::ReplicaName;
use crate::observation::Command;
use crate::ordering::{is_headless, members, possible_primaries, secondaries};
use crate::plan::Cause;
use crate::rules::failover::{fail_over, may_be_alive};
use crate::veto;

pub(crate) fn promote(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    if look.target().all_primaries() {
        return Flow::On;
    }
    if is_headless(look) {
        return fail_over(draft);
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
    if may_be_alive(look).is_some() {
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
    use crate::fixture::{memory, name, record, stopped_set};
    use crate::observation::{Command, Role};

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

    #[test]
    fn one_primary_too_many_is_demoted_the_last_in_order_first() {
        let mut seen = stopped_set(2).answers(0, 8).answers(1, 8);
        (seen.target.has_secondary, seen.target.primaries) = (true, 1);
        for ordinal in 0..2 {
            seen.pod_mut(ordinal).active = Some(true);
            seen.pod_mut(ordinal).role = Some(Role::Primary);
        }
        let answer = vec![name(1), name(0)];
        seen.verdicts.primaries = Some(Verdict::Proposed { answer, why: String::new() });
        let known = memory([0, 1].map(|n| record(n).confirmed_in(1).open_start(&format!("a{n}"))));
        let plan = decide(&seen, &known);
        assert!(
            matches!(&plan.steps[..], [Step::Run(run)] if run.command == Command::Demote && run.replica == name(0))
        );
    }
}
