//! `recovery.mode`: whether a set that has data goes on from one of its members without a person.

use super::Draft;
use crate::decision::Verdict;
use crate::hold::Reason;
use crate::key::KeyKind;
use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::Command;
use crate::planned::goes_on;
use crate::target::Mode;

/// Whether what opens an epoch is still to be approved; the draft then says what is planned. The first bootstrap brings
/// nothing back, and needs no word; whom a person named as seed has had it. A change that the resource asks
/// for is no recovery.
pub(super) fn is_missing(draft: &mut Draft<'_>, name: &ReplicaName, command: Command) -> bool {
    let look = draft.look;
    let is_first = look.epoch() == 0;
    match look.target().mode {
        _ if is_first => return false,
        Mode::Auto => return false,
        _ if goes_on(look, name, command) => return false,
        Mode::Ask if look.approved.as_ref() == Some(name) || is_named(look, name) => return false,
        Mode::Ask => {
            let keys = [(KeyKind::Approve, name.to_string())];
            draft.hold_replica(
                name,
                Reason::AwaitsApproval(name.clone(), command, why(look, name, command)),
                &keys,
            );
        }
        Mode::PlanOnly => {
            let reason = Reason::PlannedOnly(name.clone(), command, why(look, name, command));
            draft.hold_replica(name, reason, &[]);
        }
    }
    true
}

/// Why the policy would start it.
fn why(look: &Look<'_>, name: &ReplicaName, command: Command) -> Option<String> {
    match &look.seen.verdicts.seed {
        Some(Verdict::Proposed { answer, why }) if command == Command::Seed && answer == name => {
            Some(why.clone())
        }
        _ => None,
    }
}

fn is_named(look: &Look<'_>, name: &ReplicaName) -> bool {
    let named = look.memory.outage.as_ref().and_then(|outage| outage.named.as_ref());
    named.is_some() && look.holder(name) == named
}

#[cfg(test)]
mod tests {
    use crate::decision::Verdict;
    use crate::fixture::{memory, name, record, stopped_set};
    use crate::key::{Key, KeyKind};
    use crate::observation::Command;
    use crate::target::Mode;
    use crate::{Memory, Observation, Plan, Step, decide};

    /// Three members of epoch 1, stopped and read; the second holds most, and is proposed.
    fn dark(mode: Mode) -> (Observation, Memory) {
        let mut seen = stopped_set(3);
        seen.target.mode = mode;
        seen.verdicts.seed = Some(Verdict::Proposed { answer: name(1), why: "it is at 9".to_owned() });
        let mut known = memory([(0, 5), (1, 9), (2, 5)].map(|(n, at)| record(n).confirmed_in(1).at(at)));
        known.outage = Some(crate::memory::Outage::default());
        (seen, known)
    }

    fn seeds(plan: &Plan) -> bool {
        plan.steps.iter().any(|step| matches!(step, Step::Run(run) if run.command == Command::Seed))
    }

    fn key(plan: &Plan) -> Option<Key> {
        plan.holds.iter().flat_map(|hold| &hold.keys).find(|key| key.kind == KeyKind::Approve).cloned()
    }

    #[test]
    fn what_is_planned_is_done_at_once_or_with_a_word_or_never() {
        for (mode, at_once, reason) in [
            (Mode::Auto, true, None),
            (Mode::Ask, false, Some("AwaitsApproval")),
            (Mode::PlanOnly, false, Some("PlannedOnly")),
        ] {
            let (mut seen, known) = dark(mode);
            let plan = decide(&seen, &known);
            assert_eq!(seeds(&plan), at_once, "{mode:?}");
            assert_eq!(plan.holds.first().map(|hold| hold.reason.name()), reason, "{mode:?}");
            let is_said = |hold: &crate::Hold| hold.reason.to_string().contains("x-1 (it is at 9)");
            assert!(plan.holds.iter().all(is_said), "why is told before it is asked for: {:?}", plan.holds);
            assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{mode:?}");
            let Some(key) = key(&plan) else { continue };
            assert_eq!((mode, &*key.subject), (Mode::Ask, "x-1"));
            seen.target.keys = vec![key];
            let approved = decide(&seen, &plan.memory);
            assert!(seeds(&approved), "{:?}", approved.holds);
            assert_eq!(crate::audit(&seen, &plan.memory, &approved), Ok(()));
        }
    }

    #[test]
    fn what_was_approved_on_other_facts_is_not_done() {
        let (mut seen, known) = dark(Mode::Ask);
        let key = key(&decide(&seen, &known)).unwrap();
        seen.target.keys = vec![key];
        let changed = memory([(0, 5), (1, 9), (2, 7)].map(|(n, at)| record(n).confirmed_in(1).at(at)));
        let changed = Memory { outage: Some(crate::memory::Outage::default()), ..changed };
        assert!(!seeds(&decide(&seen, &changed)));
    }

    #[test]
    fn the_first_bootstrap_brings_nothing_back_and_needs_no_word() {
        let (seen, known) = dark(Mode::PlanOnly);
        let new = memory([0, 1, 2].map(|n| record(n).reads(crate::Reading::Empty)));
        let plan = decide(&seen, &Memory { outage: known.outage, ..new });
        assert!(seeds(&plan), "{:?}", plan.holds);
    }

    #[test]
    fn whom_a_person_named_needs_no_second_word() {
        let (mut seen, mut known) = dark(Mode::Ask);
        seen.verdicts.seed = Some(Verdict::Proposed { answer: name(0), why: String::new() });
        known.outage.as_mut().unwrap().named = Some(crate::fixture::holder(0));
        let plan = decide(&seen, &known);
        assert!(seeds(&plan), "{:?}", plan.holds);
    }

    #[test]
    fn why_the_policy_would_seed_one_is_said_of_its_seed_alone() {
        let (seen, known) = dark(Mode::Ask);
        let look = crate::look::Look::new(&seen, known);
        for (ordinal, command, expected) in [
            (1, Command::Seed, Some("it is at 9")),
            (1, Command::Promote, None),
            (0, Command::Seed, None),
            (0, Command::Promote, None),
        ] {
            let why = super::why(&look, &name(ordinal), command);
            assert_eq!(why.as_deref(), expected, "{command:?} of x-{ordinal}");
        }
    }

    #[test]
    fn the_word_of_a_person_is_for_the_member_that_it_names() {
        let (seen, mut known) = dark(Mode::Ask);
        let is_named =
            |known: &Memory, n: u32| super::is_named(&crate::look::Look::new(&seen, known.clone()), &name(n));
        assert!(!is_named(&known, 1), "nobody is named");
        known.outage.as_mut().unwrap().named = Some(crate::fixture::holder(0));
        assert!(is_named(&known, 0) && !is_named(&known, 1));
    }
}
