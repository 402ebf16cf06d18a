//! When an epoch begins: by a seed, by a promotion after a lost primary, by who leads in its place unbidden, or by a set
//! that is found running after an outage.

use crate::app_state::AppState;
use crate::look::Look;
use crate::memory::Epoch;
use crate::names::ReplicaName;
use crate::plan::News;
use crate::recall::line::of_the_new_line;
use crate::recall::takeover::taken_over;
use crate::record::Record;
use crate::start::{Start, StartKind};

/// Who begins an epoch, and by which start.
struct Opening {
    name: ReplicaName,
    start: Start,
    /// It stands on a claim already: an operator died, or was denied, before it stood in the status.
    is_written: bool,
}

/// Its base is by the measure by which it was read: another policy may decide by now.
pub(super) fn open_epoch(look: &mut Look<'_>, running: &[ReplicaName], news: &mut Vec<News>) {
    let Some(Opening { name, start, is_written }) = opening(look, running) else { return };
    let number = look.epoch() + u64::from(!is_written);
    let former = number - 1;
    let candidates: Vec<ReplicaName> =
        running.iter().filter(|other| **other == name || has_been_of(look, other, former)).cloned().collect();
    let members = of_the_new_line(look, &candidates, &name, &start, former);
    look.memory.epoch = Epoch { number, base: start.base() };
    look.memory.outage = None;
    look.memory.restore_replicas = None;
    news.push(News::EpochOpened(number, name.clone()));
    if start.kind == StartKind::Found {
        news.push(News::Adopted(name));
    }
    for (_, record) in look.memory.holders.iter_mut().filter(|(holder, _)| members.contains(holder)) {
        record.confirmed = number;
        record.joining = false;
    }
}

fn opening(look: &Look<'_>, running: &[ReplicaName]) -> Option<Opening> {
    let begun = |name: &ReplicaName, is_written: bool| {
        let start = last_start(look, name)?.clone();
        Some(Opening { name: name.clone(), start, is_written })
    };
    if let Some(name) = running.iter().find(|name| opens(look, name)) {
        return begun(name, is_promised_before(look, name));
    }
    let newest = told_everywhere(look);
    if let Some(name) = taken_over(look, running, newest) {
        let is_written = newest < look.epoch() && look.memory.epoch.base.is_none();
        let start = Start { from: None, ..last_start(look, name)?.clone() };
        return Some(Opening { name: name.clone(), start, is_written });
    }
    if look.memory.outage.is_none() && look.epoch() > 0 {
        return None;
    }
    if let Some(name) = running.iter().find(|name| has_opened(look, name)) {
        return begun(name, true);
    }
    let adopts = |name: &&ReplicaName| leads(look, name) && has_been_of(look, name, newest);
    begun(running.iter().find(adopts)?, false)
}

/// Where the claims are ahead of the status by one, those who run and those who opened that one have parted.
fn told_everywhere(look: &Look<'_>) -> u64 {
    look.epoch() - u64::from(is_ahead(look))
}

/// Followers alone take no writes, and begin nothing: who led them may come back, or hold more than they do. But nobody
/// of a set that was never brought up leads, and what a person started in a pause goes on.
fn leads(look: &Look<'_>, name: &ReplicaName) -> bool {
    *look.state(name) == AppState::Primary || look.epoch() == 0 || look.was_paused
}

/// Where nobody is to lead, an outage is over once a member follows: all that was written is elsewhere.
pub(super) fn end_outage_of_followers(look: &mut Look<'_>) {
    let follows = |name: &ReplicaName| is_of(look, name, look.epoch());
    if look.target().primaries == 0 && look.running().any(follows) {
        look.memory.outage = None;
    }
}

fn last_start<'a>(look: &'a Look<'_>, name: &ReplicaName) -> Option<&'a Start> {
    let container = look.pod(name)?.live_container()?;
    look.record(name)?.open.iter().rev().find(|start| start.container == *container)
}

fn opens(look: &Look<'_>, name: &ReplicaName) -> bool {
    let new = |start: &Start| match start.kind {
        StartKind::Seed => !start.confirmed,
        StartKind::Promote => !start.confirmed && start.opens,
        _ => false,
    };
    *look.state(name) == AppState::Primary && last_start(look, name).is_some_and(new)
}

/// It runs by the start that the newest epoch began with, and the status knows of the outage before; it may name the
/// epoch too, where that was written while its opener was not heard.
fn has_opened(look: &Look<'_>, name: &ReplicaName) -> bool {
    let is_of_it = look.record(name).is_some_and(|record| record.confirmed == look.epoch());
    let begun = |start: &Start| start.confirmed && start.base() == look.memory.epoch.base;
    let of_this_outage =
        |start: &Start| start.kind == StartKind::Seed && start.measure.outage == look.memory.outages;
    let by = last_start(look, name).filter(|start| is_of_it && begun(start));
    by.is_some_and(|start| is_ahead(look) || look.told == look.epoch() && of_this_outage(start))
}

/// Its start was promised in the epoch before, and is what this one began with: only its own claim does not tell yet.
fn is_promised_before(look: &Look<'_>, name: &ReplicaName) -> bool {
    let base = last_start(look, name).and_then(Start::base);
    let is_of_former = look.record(name).is_some_and(|record| record.confirmed + 1 == look.epoch());
    is_of_former && base == look.memory.epoch.base && (base.is_some() || is_ahead(look))
}

/// The claims name the epoch after the one that the status names. A status that was lost names none, and no outage.
pub(super) fn is_ahead(look: &Look<'_>) -> bool {
    look.told + 1 == look.epoch() && (look.told > 0 || look.memory.outage.is_some())
}

/// Whether the data of a member is of this epoch: it was confirmed in it, is being brought into it, or nothing is known
/// of its past.
pub(super) fn is_of(look: &Look<'_>, name: &ReplicaName, epoch: u64) -> bool {
    let ours = |record: &Record| record.joining || record.confirmed >= epoch || record.confirmed == 0;
    look.record(name).is_some_and(ours)
}

/// Only data of the newest epoch begins another, or is carried into it: what is older lacks what was written since, and
/// is stopped as it is without an outage. What runs after a pause a person has started, and knows why.
fn has_been_of(look: &Look<'_>, name: &ReplicaName, epoch: u64) -> bool {
    look.was_paused || is_of(look, name, epoch)
}

#[cfg(test)]
mod tests {
    use crate::decision::Verdict;
    use crate::fixture::{confirmed, holder, memory, name, record, running, start, stopped_set};
    use crate::measure::Measure;
    use crate::memory::{Base, Epoch, Outage};
    use crate::observation::{Command, Role};
    use crate::plan::News;
    use crate::start::StartKind;
    use crate::{Memory, Observation, Position, Record, Step, decide};

    #[test]
    fn a_seed_seen_primary_opens_an_epoch_with_what_it_held() {
        let mut seeding: Record = record(0).confirmed_in(1);
        let mut promised = start(0, "seed");
        (promised.kind, promised.confirmed, promised.from) =
            (StartKind::Seed, false, Some(Position::Ordinal(9)));
        seeding.open.push(promised);
        let mut known = memory([seeding, record(1).confirmed_in(1)]);
        known.outage = Some(Outage::default());
        let plan = decide(&stopped_set(2).answers(0, 0), &known);
        assert_eq!(plan.memory.epoch.number, 2);
        assert_eq!(plan.memory.epoch.base.unwrap().position, Position::Ordinal(9));
        assert_eq!(plan.memory.outage, None);
        let confirmed: Vec<u64> = plan.memory.holders.values().map(|record| record.confirmed).collect();
        assert_eq!(confirmed, [2, 1], "the other has to be brought in");
    }

    #[test]
    fn what_an_epoch_began_with_is_of_the_outage_and_the_reader_by_which_it_was_read() {
        let mut seeding: Record = record(0).confirmed_in(1);
        let mut promised = start(0, "seed");
        (promised.kind, promised.confirmed, promised.from) =
            (StartKind::Seed, false, Some(Position::Ordinal(9)));
        promised.measure = Measure { outage: 4, reader: Some("another".into()) };
        let read = promised.measure.clone();
        seeding.open.push(promised);
        let mut known = memory([seeding]);
        (known.outage, known.outages) = (Some(Outage::default()), 5);
        let plan = decide(&stopped_set(1).answers(0, 0), &known);
        assert_eq!(
            plan.memory.epoch.base.unwrap().measure,
            read,
            "one more was counted while it came up, and another reads by now"
        );
    }

    #[test]
    fn a_set_that_healed_itself_is_adopted_in_a_new_epoch() {
        let mut known = memory([0, 1, 2].map(|n| record(n).confirmed_in(4).at(7)));
        known.outage = Some(Outage::default());
        let plan = decide(&running(3), &known);
        assert_eq!((plan.memory.epoch.number, confirmed(&plan.memory)), (5, vec![5, 5, 5]));
    }

    /// Members 0 and 1 in these epochs, of which those run; 2 rests in epoch 4, the newest.
    fn in_outage(confirmed: [u64; 2], runs: [bool; 2], change: fn(&mut Memory)) -> Memory {
        let mut known = memory([
            record(0).confirmed_in(confirmed[0]).at(7),
            record(1).confirmed_in(confirmed[1]).at(7),
            record(2).confirmed_in(4).at(7),
        ]);
        known.outage = Some(Outage::default());
        change(&mut known);
        let seen =
            [0, 1].iter().filter(|n| runs[**n as usize]).fold(stopped_set(3), |seen, n| seen.answers(*n, 0));
        let plan = decide(&seen, &known);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
        let mut wrong = plan.clone();
        let older = wrong.memory.holders.get_mut(&holder(0)).unwrap();
        let is_left = (1..4).contains(&older.confirmed);
        older.confirmed = wrong.memory.epoch.number;
        assert_eq!(crate::audit(&seen, &known, &wrong).is_err(), is_left);
        plan.memory
    }

    #[test]
    fn after_an_outage_only_data_of_the_newest_epoch_or_what_a_person_started_begins_another() {
        let nothing: fn(&mut Memory) = |_| {};
        let paused: fn(&mut Memory) = |known| known.paused = true;
        let joining: fn(&mut Memory) = |known| known.holders.get_mut(&holder(0)).unwrap().joining = true;
        for (sentence, of, runs, change, epoch, after) in [
            ("the newest", [4, 4], [true, false], nothing, 5, [5, 4]),
            ("an older one alone", [3, 4], [true, false], nothing, 4, [3, 4]),
            ("an older one beside the newest", [3, 4], [true, true], nothing, 5, [3, 5]),
            ("one that was joining", [3, 4], [true, false], joining, 5, [5, 4]),
            ("one without a past", [0, 4], [true, false], nothing, 5, [5, 4]),
            ("an older one alone, after a pause", [3, 4], [true, false], paused, 5, [5, 4]),
            ("an older one beside the newest, after a pause", [3, 4], [true, true], paused, 5, [5, 5]),
        ] {
            let memory = in_outage(of, runs, change);
            assert_eq!((memory.epoch.number, &confirmed(&memory)[..2]), (epoch, &after[..]), "{sentence}");
            assert_eq!(memory.outage.is_none(), epoch == 5, "{sentence}");
        }
    }

    /// Member 0 was primary of epoch 4 and rests at 12, 1 follows and says that it holds at least 9; an outage began.
    fn followed(primaries: u32, change: fn(&mut Observation, &mut Memory)) -> (Observation, Memory) {
        let mut seen = stopped_set(2).answers(1, 0);
        (seen.target.has_secondary, seen.target.primaries) = (true, primaries);
        seen.pod_mut(1).active = Some(true);
        seen.pod_mut(1).role = Some(Role::Secondary);
        let answer = vec![name(1)];
        seen.verdicts.primaries = Some(Verdict::Proposed { answer, why: String::new() });
        let mut old = record(0).confirmed_in(4).at(12);
        old.last = Some(Role::Primary);
        let mut follower = record(1).confirmed_in(4).at(9);
        follower.running = follower.reading.take();
        follower = follower.open_start("b");
        follower.running.as_mut().unwrap().starts = follower.starts;
        follower.last = Some(Role::Secondary);
        let mut known = memory([old, follower]);
        known.outage = Some(Outage::default());
        change(&mut seen, &mut known);
        (seen, known)
    }

    #[test]
    fn who_follows_begins_no_epoch_after_an_outage_and_who_led_keeps_what_it_holds() {
        let nothing: fn(&mut Observation, &mut Memory) = |_, _| {};
        let joining: fn(&mut Observation, &mut Memory) =
            |_, known| known.holders.get_mut(&holder(1)).unwrap().joining = true;
        let paused: fn(&mut Observation, &mut Memory) = |_, known| known.paused = true;
        let leads: fn(&mut Observation, &mut Memory) = |seen, _| {
            *seen = seen.clone().answers(1, 8);
            seen.pod_mut(1).role = Some(Role::Primary);
        };
        for (sentence, primaries, change, epoch, goes_on, starts) in [
            ("it follows", 1, nothing, 4, true, Some(Command::Seed)),
            ("it was being brought in", 1, joining, 4, true, Some(Command::Seed)),
            ("nobody is to lead", 0, nothing, 4, false, None),
            ("it was started in a pause", 1, paused, 5, false, None),
            ("it leads", 1, leads, 5, false, None),
        ] {
            let (seen, known) = followed(primaries, change);
            let plan = decide(&seen, &known);
            assert_eq!(plan.memory.epoch.number, epoch, "{sentence}");
            assert_eq!(plan.memory.outage.is_some(), goes_on, "{sentence}");
            let begun = plan.steps.iter().find_map(|step| match step {
                Step::Run(run) if run.command.is_start() && run.replica == name(0) => Some(run.command),
                _ => None,
            });
            if goes_on {
                let mut wrong = plan.clone();
                (wrong.memory.epoch, wrong.memory.outage) = (Epoch { number: 5, base: None }, None);
                let found = crate::audit(&seen, &known, &wrong).unwrap_err();
                assert!(found.iter().any(|breach| breach.rule == crate::audit::Rule::Epoch), "{found:?}");
            }
            assert_eq!(
                begun.filter(|command| *command == Command::Seed),
                starts,
                "{sentence}: {:?}",
                plan.steps
            );
            assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
        }
    }

    /// Member 0 seeded epoch 2 at 9, and its claim says so; the status is of before.
    fn half_written() -> (Observation, Memory) {
        let mut seeded: Record = record(0).confirmed_in(1);
        let mut promised = start(0, "seed");
        (promised.kind, promised.confirmed, promised.from) =
            (StartKind::Seed, false, Some(Position::Ordinal(9)));
        seeded.open.push(promised.clone());
        let mut known = memory([seeded.clone(), record(1).confirmed_in(1)]);
        known.outage = Some(Outage::default());
        let base = Some(Base { position: Position::Ordinal(9), measure: promised.measure });
        (seeded.confirmed, seeded.epoch) = (2, Epoch { number: 2, base });
        seeded.open[0].confirmed = true;
        let mut seen = stopped_set(2).answers(0, 0);
        seen.replicas.get_mut(&name(0)).unwrap().claims[0].record = Some(seeded);
        (seen, known)
    }

    /// The status says what the claim of member 0 says.
    fn tell(seen: &mut Observation, known: &mut Memory) {
        let claimed = seen.replicas[&name(0)].claims[0].record.clone().unwrap();
        known.epoch = claimed.epoch.clone();
        known.holders.insert(holder(0), claimed);
    }

    #[test]
    fn an_epoch_that_only_the_claims_know_is_taken_on_and_not_opened_again() {
        type Change = fn(&mut Observation, &mut Memory);
        let nothing: Change = |_, _| {};
        let unconfirmed: Change = |seen, _| {
            let claim = &mut seen.replicas.get_mut(&name(0)).unwrap().claims[0];
            let mut of_another = claim.record.take().unwrap();
            let epoch = of_another.epoch.clone();
            of_another = record(1).confirmed_in(1);
            of_another.epoch = epoch;
            seen.replicas.get_mut(&name(1)).unwrap().claims[0].record = Some(of_another);
        };
        let another_start: Change = |seen, _| {
            let claim = &mut seen.replicas.get_mut(&name(0)).unwrap().claims[0];
            let base = claim.record.as_mut().unwrap().epoch.base.as_mut();
            base.unwrap().position = Position::Ordinal(8);
        };
        let long_ago: Change = |seen, _| {
            let claim = &mut seen.replicas.get_mut(&name(0)).unwrap().claims[0];
            let record = claim.record.as_mut().unwrap();
            (record.confirmed, record.epoch.number) = (3, 3);
        };
        let told: Change = |seen, known| {
            known.epoch = seen.replicas[&name(0)].claims[0].record.as_ref().unwrap().epoch.clone();
            known.outage = None;
            seen.replicas.get_mut(&name(0)).unwrap().claims[0].record = None;
        };
        let in_a_later_outage: Change = |seen, known| {
            tell(seen, known);
            known.outages += 1;
        };
        for (sentence, change, epoch) in [
            ("it came into the status while its opener was not heard", told, 2),
            ("the same, and its claim says that it runs by that start", tell, 2),
            ("that was told before another outage", in_a_later_outage, 3),
            ("its opener runs by that start", nothing, 2),
            ("another claim was written first", unconfirmed, 2),
            ("it runs by another start", another_start, 3),
            ("the status is older than that", long_ago, 4),
        ] {
            let (mut seen, mut known) = half_written();
            change(&mut seen, &mut known);
            let plan = decide(&seen, &known);
            assert_eq!((plan.memory.epoch.number, &plan.memory.outage), (epoch, &None), "{sentence}");
            assert_eq!(plan.memory.holders[&holder(0)].confirmed, epoch, "{sentence}");
            assert!(plan.news.contains(&News::EpochOpened(epoch, name(0))), "{sentence}");
            assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
        }
    }

    #[test]
    fn the_claims_are_ahead_by_the_one_epoch_that_the_status_does_not_name_yet() {
        for (sentence, told, newest, has_outage, expected) in [
            ("by one", 1, 2, false, true),
            ("by one, in an outage", 1, 2, true, true),
            ("by the first one, in an outage", 0, 1, true, true),
            ("by all, for the status was lost", 0, 1, false, false),
            ("not at all", 2, 2, false, false),
            ("by two", 1, 3, false, false),
        ] {
            let seen = stopped_set(1);
            let mut look = crate::look::Look::new(&seen, memory([record(0).confirmed_in(newest)]));
            look.told = told;
            look.memory.outage = has_outage.then(Outage::default);
            assert_eq!(super::is_ahead(&look), expected, "{sentence}");
        }
    }
}
