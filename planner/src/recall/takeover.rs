//! Who followed and leads now in place of a primary that is away, though no start says so: a person has turned it, or a
//! promotion took effect after its time.

use crate::app_state::AppState;
use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::{Pod, Role};
use crate::ordering::primaries_away_in;
use crate::record::Record;
use crate::start::{Start, StartKind};
use crate::timer::Timer;

/// Who begins an epoch after this one by that. What it held when it was turned nobody knows: what it says may be of later
/// already. One that gives no answer for a moment, or a bad one, is waited for: it may lead on, or follow.
pub(super) fn taken_over<'n>(
    look: &Look<'_>,
    running: &'n [ReplicaName],
    epoch: u64,
) -> Option<&'n ReplicaName> {
    running.iter().find(|name| has_taken_over(look, name, epoch)).filter(|_| is_clear(look))
}

/// Nobody gives no answer, or a bad one, for a moment only.
pub(super) fn is_clear(look: &Look<'_>) -> bool {
    !look.seen.replicas.keys().any(|name| is_unclear(look, name))
}

/// It followed in this epoch and leads, and of those who led in it one does not run and none leads on: what that one
/// held may be no part of what is written from now on. That others went on without it says nothing of that: whoever took
/// over is one of them.
pub(crate) fn has_taken_over(look: &Look<'_>, name: &ReplicaName, epoch: u64) -> bool {
    let leads = |name: &ReplicaName, last: Role| {
        let was = |record: &Record| record.confirmed == epoch && !record.joining && record.last == Some(last);
        *look.state(name) == AppState::Primary && look.record(name).is_some_and(was)
    };
    leads(name, Role::Secondary)
        && primaries_away_in(look, epoch).any(|record| !may_lead_beside(look, record, name))
        && !look.running().any(|other| leads(other, Role::Primary))
}

/// It is not heard, and who leads now was promoted beside it and is seen to lead for the first time: it may lead on.
fn may_lead_beside(look: &Look<'_>, record: &Record, leader: &ReplicaName) -> bool {
    let is_beside = |start: &Start| {
        let is_new = start.kind == StartKind::Promote && !start.confirmed && !start.opens;
        is_new && look.is_here(start, leader)
    };
    let is_told = || look.record(leader).is_some_and(|record| record.open.iter().any(is_beside));
    matches!(look.state(&record.replica), AppState::Unknown(_)) && is_told()
}

fn is_unclear(look: &Look<'_>, name: &ReplicaName) -> bool {
    let Some(id) = look.pod(name).and_then(Pod::live_container).cloned() else { return false };
    match look.state(name) {
        AppState::Unknown(_) => !look.is_ripe(&Timer::Silent(name.clone(), id)),
        AppState::Failed(_) => !look.is_ripe(&Timer::Failed(name.clone(), id)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::decision::{Treatment, Verdict};
    use crate::fixture::{answer, confirmed, container, holder, memory, name, record, start, stopped_set};
    use crate::guarantees::ordered;
    use crate::observation::{Command, Role, Status};
    use crate::record::Record;
    use crate::start::{Start, StartKind};
    use crate::timer::{Age, Timer};
    use crate::{Memory, Observation, Plan, Step, decide};

    type Change = fn(&mut Observation, &mut Memory);

    /// Member 0 led epoch 1 and rests; a person has turned 1, which followed, and 2 follows it.
    fn turned(change: Change) -> (Observation, Memory) {
        let mut seen = ordered(stopped_set(3).answers(1, 8).answers(2, 0), &[1, 0, 2]);
        (seen.target.has_secondary, seen.target.primaries) = (true, 1);
        for (ordinal, role) in [(1, Role::Primary), (2, Role::Secondary)] {
            (seen.pod_mut(ordinal).active, seen.pod_mut(ordinal).role) = (Some(true), Some(role));
        }
        let mut known = memory((0..3).map(|n| record(n).confirmed_in(1)));
        for (holder, record) in &mut known.holders {
            let led = *holder == self::holder(0);
            record.last = Some(if led { Role::Primary } else { Role::Secondary });
            if !led {
                *record = record.clone().open_start("follow");
            }
        }
        // Who led is to follow whoever leads.
        let answer = Treatment::RunSecondary { follow: Some(name(1)) };
        let why = String::new();
        seen.verdicts.replicas.insert(name(0), Verdict::Proposed { answer, why });
        change(&mut seen, &mut known);
        (seen, known)
    }

    /// In these what 0 holds is of the epoch that goes on.
    const NOBODY_TOOK_OVER: [&str; 2] = ["who leads led before", "another that led leads on"];

    fn of(known: &mut Memory, ordinal: u32) -> &mut Record {
        known.holders.get_mut(&holder(ordinal)).unwrap()
    }

    fn silent() -> Status {
        Status::Silent("lost".to_owned())
    }

    fn fall_silent(seen: &mut Observation) {
        seen.pod_mut(0).status = silent();
        seen.ages.insert(Timer::Silent(name(0), container(0)), Age::Ripe);
    }

    /// It was read as a bare number, and fell behind whoever leads.
    fn left(known: &mut Memory) {
        let old = of(known, 0);
        *old = Record { left: true, ..old.clone().at(9) };
    }

    /// 1 was promoted beside the primary, and was not seen to lead yet.
    fn told_to_lead(known: &mut Memory) {
        let told = Start { kind: StartKind::Promote, confirmed: false, ..start(1, "promote") };
        of(known, 1).open.push(told);
    }

    /// The old primary is to be replaced.
    fn is_joined(plan: &Plan) -> bool {
        let joins = |command| matches!(command, Command::Join | Command::Follow);
        let of_old =
            |step: &Step| matches!(step, Step::Run(run) if run.replica == name(0) && joins(run.command));
        plan.steps.iter().any(of_old)
    }

    /// What is so, and the epoch after that.
    const CASES: [(&str, Change, u64); 19] = [
        ("the primary rests", |_, _| {}, 2),
        ("it was read, and others went on without it", |_, known| left(known), 2),
        ("who leads was told to, and the primary rests", |_, known| told_to_lead(known), 2),
        (
            "who leads was told to, and the primary gives no answer for long",
            |seen, known| {
                told_to_lead(known);
                fall_silent(seen);
            },
            1,
        ),
        (
            "who leads was told to long ago, and the primary gives no answer for long",
            |seen, known| {
                told_to_lead(known);
                of(known, 1).open[1].confirmed = true;
                fall_silent(seen);
            },
            2,
        ),
        (
            "who leads was told to elsewhere, and the primary gives no answer for long",
            |seen, known| {
                told_to_lead(known);
                of(known, 1).open[1].container = "before".into();
                fall_silent(seen);
            },
            2,
        ),
        ("its pod is away", |seen, _| seen.replicas.get_mut(&name(0)).unwrap().pod = None, 2),
        ("it gave no answer for once", |seen, _| seen.pod_mut(0).status = silent(), 1),
        ("it gives none for long", |seen, _| fall_silent(seen), 2),
        (
            "it gives none, and its pod is being deleted",
            |seen, _| (seen.pod_mut(0).status, seen.pod_mut(0).terminating) = (silent(), true),
            2,
        ),
        ("a follower gave none for once", |seen, _| seen.pod_mut(2).status = silent(), 1),
        ("it says for once that it failed", |seen, _| seen.pod_mut(0).status = answer(0, 1), 1),
        (
            "it says so for long",
            |seen, _| {
                seen.pod_mut(0).status = answer(0, 1);
                seen.ages.insert(Timer::Failed(name(0), container(0)), Age::Ripe);
            },
            2,
        ),
        ("it leads on", |seen, _| seen.pod_mut(0).status = answer(0, 8), 1),
        ("it follows by now", |seen, _| seen.pod_mut(0).status = answer(0, 0), 1),
        ("a person gave it up", |_, known| of(known, 0).waived = true, 1),
        (
            "it was primary of an older epoch",
            |_, known| {
                (1..3).for_each(|n| of(known, n).confirmed = 2);
                known.epoch.number = 2;
            },
            1,
        ),
        ("who leads led before", |_, known| of(known, 1).last = Some(Role::Primary), 1),
        (
            "another that led leads on",
            |seen, known| {
                seen.pod_mut(2).status = answer(2, 8);
                of(known, 2).last = Some(Role::Primary);
            },
            1,
        ),
    ];

    #[test]
    fn who_leads_unbidden_in_place_of_a_primary_that_is_away_begins_an_epoch() {
        for (sentence, change, epoch) in CASES {
            let (seen, known) = turned(change);
            let plan = decide(&seen, &known);
            assert_eq!(plan.memory.epoch.number - known.epoch.number, epoch - 1, "{sentence}");
            assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
            let may_join = NOBODY_TOOK_OVER.contains(&sentence);
            assert_eq!(is_joined(&plan), may_join, "{sentence}: {:?} {:?}", plan.steps, plan.holds);
        }
    }

    #[test]
    fn an_epoch_that_stands_on_a_followers_claim_is_not_begun_again_by_whoever_took_over() {
        let (mut seen, known) = turned(|_, _| {});
        let plan = decide(&seen, &known);
        seen.replicas.get_mut(&name(2)).unwrap().claims[0].record =
            Some(plan.memory.holders[&holder(2)].clone());
        let again = decide(&seen, &known);
        assert_eq!(again.memory.epoch, plan.memory.epoch);
        let confirmed = |memory: &Memory| memory.holders.values().map(|of| of.confirmed).collect::<Vec<_>>();
        assert_eq!((confirmed(&again.memory), crate::audit(&seen, &known, &again)), (vec![1, 2, 2], Ok(())));
        let mut unheard = again;
        unheard.memory.holders.get_mut(&holder(0)).unwrap().confirmed = 2;
        assert!(crate::audit(&seen, &known, &unheard).is_err(), "who led is not of it");
    }

    /// The claims of these know of the epoch that 1 began in place of 0, and its operator died.
    fn written_on(claims: &[u32]) -> (Observation, Memory) {
        let (mut seen, known) = turned(|_, _| {});
        let plan = decide(&seen, &known);
        for ordinal in claims {
            let record = plan.memory.holders[&holder(*ordinal)].clone();
            seen.replicas.get_mut(&name(*ordinal)).unwrap().claims[0].record = Some(record);
        }
        (seen, known)
    }

    #[test]
    fn who_follows_comes_along_where_its_operator_died_when_the_epoch_stood_on_other_claims_only() {
        let cases: [(&str, &[u32], Change, [u64; 3]); 7] = [
            ("that of who took over", &[1], |_, _| {}, [1, 2, 2]),
            ("that and the one of who led", &[0, 1], |_, _| {}, [1, 2, 2]),
            ("who took over leads no more", &[1], |seen, _| seen.pod_mut(1).status = answer(1, 7), [1, 2, 1]),
            ("it led before", &[1], |_, known| of(known, 2).last = Some(Role::Primary), [1, 2, 1]),
            ("it came up by itself since", &[1], |_, known| of(known, 2).open.clear(), [1, 2, 1]),
            (
                "its own claim knows, and it is not of that",
                &[1, 2],
                |seen, _| {
                    let claim = &mut seen.replicas.get_mut(&name(2)).unwrap().claims[0];
                    claim.record.as_mut().unwrap().confirmed = 1;
                },
                [1, 2, 1],
            ),
            ("the status knows", &[1], |_, known| known.epoch.number = 2, [1, 2, 1]),
        ];
        for (sentence, claims, change, expected) in cases {
            let (mut seen, mut known) = written_on(claims);
            change(&mut seen, &mut known);
            let plan = decide(&seen, &known);
            assert_eq!(
                (plan.memory.epoch.number, confirmed(&plan.memory)),
                (2, expected.into()),
                "{sentence}"
            );
            assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
            assert!(!is_joined(&plan), "{sentence}: {:?}", plan.steps);
            let mut wrong = plan;
            wrong.memory.holders.get_mut(&holder(2)).unwrap().confirmed = 2;
            let is_refused = crate::audit(&seen, &known, &wrong).is_err();
            assert_eq!(is_refused, expected[2] == 1, "{sentence}");
        }
    }

    #[test]
    fn who_led_and_falls_behind_while_it_is_not_clear_who_leads_is_read_and_joins_nobody_unread() {
        let (mut seen, known) = turned(|seen, known| {
            seen.pod_mut(2).status = silent();
            seen.ages.insert(Timer::Behind(name(0)), Age::Ripe);
            *of(known, 0) = of(known, 0).clone().at(9);
        });
        let unclear = decide(&seen, &known);
        assert!(unclear.memory.holders[&holder(0)].left, "{:?}", unclear.memory);
        assert_eq!((unclear.memory.epoch.number, is_joined(&unclear)), (1, false));
        seen.pod_mut(2).status = answer(2, 0);
        let clear = decide(&seen, &unclear.memory);
        assert_eq!(crate::audit(&seen, &unclear.memory, &clear), Ok(()));
        assert_eq!((clear.memory.epoch.number, is_joined(&clear)), (2, false), "{:?}", clear.holds);
        let parted = &clear.memory.holders[&holder(0)].parted;
        assert_eq!(*parted, Some(clear.memory.epoch.clone()), "it may hold what nobody else does");
        let mut wrong = clear;
        wrong.memory.holders.get_mut(&holder(0)).unwrap().parted = None;
        assert!(crate::audit(&seen, &unclear.memory, &wrong).is_err());
    }
}
