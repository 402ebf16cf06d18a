//! Who of the members that run is of the line of history that an epoch opens.

use crate::app_state::AppState;
use crate::look::Look;
use crate::memory::Base;
use crate::names::ReplicaName;
use crate::observation::Role;
use crate::recall::opening::is_ahead;
use crate::record::{HolderId, Record, Taken};
use crate::start::{Start, StartKind};

/// The opener, and everybody who holds nothing beyond what it began with; the others have to be brought in.
pub(super) fn of_the_new_line(
    look: &Look<'_>,
    running: &[ReplicaName],
    opener: &ReplicaName,
    start: &Start,
    former: u64,
) -> Vec<HolderId> {
    let holds_no_more = |name: &ReplicaName| match start.base() {
        None => true,
        Some(base) => bounded(look, name, &base)
            .unwrap_or_else(|| start.kind != StartKind::Promote || is_led(look, opener, &base, former)),
    };
    let is_of_it = |name: &&ReplicaName| *name == opener || holds_no_more(name);
    running.iter().filter(is_of_it).filter_map(|name| look.holder(name).cloned()).collect()
}

/// Who follows by a start of before the epoch, and was not heard when that began or stood on no claim yet when its
/// operator died: it is of the epoch by the same proof.
pub(super) fn goes_on(look: &Look<'_>, name: &ReplicaName) -> bool {
    let Some(record) = look.record(name) else { return false };
    let follows = *look.state(name) == AppState::Secondary && record.confirmed + 1 == look.epoch();
    let is_found = record.open.iter().any(|start| start.kind == StartKind::Found);
    let is_of_it = || match look.memory.epoch.base.as_ref() {
        Some(base) => bounded(look, name, base)
            .unwrap_or_else(|| !is_found && is_led(look, name, base, record.confirmed)),
        None => !is_found && comes_along(look, record),
    };
    follows && is_of_it()
}

/// Its operator died when an epoch that begins with what nobody knows stood on the claim of who leads in it, and not on
/// this one: whoever followed then is of it, and does so yet.
fn comes_along(look: &Look<'_>, record: &Record) -> bool {
    let is_untold = is_ahead(look) && record.epoch.number < look.epoch();
    is_untold && record.last == Some(Role::Secondary) && look.live_primaries().next().is_some()
}

/// Whether it holds no more than this, where what it was last read to hold can be compared with that. A promotion may
/// accept a loss: what was lost by it must not win the next outage, where bare numbers do not tell that the lines have
/// parted.
fn bounded(look: &Look<'_>, name: &ReplicaName, base: &Base) -> Option<bool> {
    let taken = look.record(name).and_then(bound).filter(|taken| is_comparable(base, taken))?;
    Some(base.includes(taken))
}

/// What it held at least when it was last asked.
fn bound(record: &Record) -> Option<&Taken> {
    record.running.as_ref().filter(|taken| taken.starts == record.starts)
}

fn is_comparable(base: &Base, taken: &Taken) -> bool {
    let here = &base.position;
    taken.position().is_some_and(|there| {
        here.is_ordinal() == there.is_ordinal()
            && (!here.is_ordinal() || base.measure.is_that_of(&taken.measure))
    })
}

/// Every primary that was lost was read, and all that it held goes on: what its followers have they have from it.
fn is_led(look: &Look<'_>, opener: &ReplicaName, base: &Base, former: u64) -> bool {
    let was_primary = |record: &&Record| {
        let of_epoch = record.confirmed == former && record.last == Some(Role::Primary);
        of_epoch && !record.is_behind() && record.replica != *opener
    };
    let goes_on =
        |record: &Record| !record.waived && record.standing().is_some_and(|taken| base.includes(taken));
    let mut lost = look.memory.holders.values().filter(was_primary).peekable();
    lost.peek().is_some() && lost.all(goes_on)
}

#[cfg(test)]
mod tests {
    use crate::audit::Rule;
    use crate::decision::Judgement;
    use crate::fixture::{holder, measure, memory, name, record, stopped_set};
    use crate::guarantees::attempt;
    use crate::memory::Epoch;
    use crate::observation::{AttemptState, Command, Output, Role};
    use crate::record::{Reading, Record};
    use crate::start::StartKind;
    use crate::{Memory, Observation, Position, decide};

    fn at(number: u64) -> Reading {
        Reading::At(Position::Ordinal(number))
    }

    /// Member 0 was primary and rests; 1 was promoted at 9 and answers so for the first time; 2 follows.
    fn promoted(lost: Reading, follower: Option<Reading>) -> (Observation, Memory) {
        let mut seen = stopped_set(3).answers(1, 8).answers(2, 0);
        (seen.target.has_secondary, seen.target.primaries) = (true, 1);
        let mut old = record(0).confirmed_in(1).reads(lost);
        old.last = Some(Role::Primary);
        let mut opener = record(1).confirmed_in(1).open_start("join").open_start("promote");
        let start = &mut opener.open[1];
        (start.kind, start.confirmed, start.opens) = (StartKind::Promote, false, true);
        (start.from, start.measure) = (Some(Position::Ordinal(9)), measure(1));
        let mut other = record(2).confirmed_in(1).open_start("follow");
        if let Some(reading) = follower {
            other = other.ran_at(reading);
        }
        [&mut opener, &mut other].into_iter().for_each(|record| record.last = Some(Role::Secondary));
        (seen, memory([old, opener, other]))
    }

    #[test]
    fn who_holds_more_than_a_promoted_member_began_with_is_not_of_its_epoch() {
        let unreadable = || Reading::Unreadable("exit 1".to_owned());
        type Change = fn(&mut Memory);
        let nothing: Change = |_| {};
        let waived: Change = |known| known.holders.get_mut(&holder(0)).unwrap().waived = true;
        let gone: Change = |known| _ = known.holders.remove(&holder(0));
        let other_reader: Change = |known| {
            let running = &mut known.holders.get_mut(&holder(2)).unwrap().running;
            running.as_mut().unwrap().measure.outage = 0;
        };
        for (sentence, lost, follower, change, is_of_it) in [
            ("no more", at(9), Some(at(9)), nothing, true),
            ("more", at(12), Some(at(12)), nothing, false),
            ("nobody knows, but the old primary held no more", at(9), Some(unreadable()), nothing, true),
            ("it was not asked, but the old primary held no more", at(9), None, nothing, true),
            (
                "it is not comparable, but the old primary held no more",
                at(9),
                Some(at(12)),
                other_reader,
                true,
            ),
            ("nobody knows, and the old primary held more", at(12), Some(unreadable()), nothing, false),
            (
                "nobody knows, and the old primary was not read",
                unreadable(),
                Some(unreadable()),
                nothing,
                false,
            ),
            ("nobody knows, and the old primary is given up", at(9), Some(unreadable()), waived, false),
            ("nobody knows, and the old primary is gone", at(9), Some(unreadable()), gone, false),
        ] {
            let (seen, mut known) = promoted(lost, follower);
            change(&mut known);
            let plan = decide(&seen, &known);
            let confirmed = |n| plan.memory.of(&name(n)).map(|record: &Record| record.confirmed).max();
            assert_eq!((plan.memory.epoch.number, confirmed(1)), (2, Some(2)), "{sentence}");
            assert_eq!(confirmed(2) == Some(2), is_of_it, "{sentence}");
            assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
            let mut wrong = plan;
            wrong.memory.holders.get_mut(&holder(2)).unwrap().confirmed = 2;
            let breaches = crate::audit(&seen, &known, &wrong).err().unwrap_or_default();
            assert_eq!(!breaches.iter().any(|breach| breach.rule == Rule::Epoch), is_of_it, "{sentence}");
        }
    }

    #[test]
    fn what_a_follower_says_in_the_look_in_which_an_epoch_opens_counts_before_what_it_said_earlier() {
        let unreadable = || Reading::Unreadable("exit 1".to_owned());
        for (sentence, before, now, is_of_it) in [
            ("no more, and never before", None, at(9), true),
            ("no more, and was not understood before", Some(unreadable()), at(9), true),
            ("more by now", Some(at(9)), at(12), false),
            ("it is not understood any more", Some(at(9)), unreadable(), false),
        ] {
            let (mut seen, mut known) = promoted(at(12), before);
            known.outages = 1;
            let output = Output { code: 0, stdout: String::new(), stderr: String::new(), truncated: false };
            let mut said = attempt(2, Command::Read, AttemptState::Ended(output));
            (said.locked, said.at_rest) = (false, false);
            said.starts = known.holders[&holder(2)].starts;
            seen.attempts.insert("r".into(), said);
            seen.verdicts.readings.insert("r".into(), Judgement::from(now));
            let plan = decide(&seen, &known);
            assert_eq!(plan.memory.holders[&holder(2)].confirmed == 2, is_of_it, "{sentence}");
            assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
            let mut wrong = plan;
            wrong.memory.holders.get_mut(&holder(2)).unwrap().confirmed = 2;
            assert_eq!(crate::audit(&seen, &known, &wrong).is_ok(), is_of_it, "{sentence}");
        }
    }

    /// The same a while later: 1 was seen as primary of epoch 2, and its follower was not heard until now.
    fn heard_later(lost: Reading, follower: Option<Reading>) -> (Observation, Memory) {
        let (seen, mut known) = promoted(lost, follower);
        let opener = known.holders.get_mut(&holder(1)).unwrap();
        (opener.confirmed, opener.last) = (2, Some(Role::Primary));
        opener.open.remove(0);
        opener.open[0].confirmed = true;
        let base = opener.open[0].base();
        known.epoch = Epoch { number: 2, base, ..Epoch::default() };
        known.holders.values_mut().for_each(|record| record.epoch = known.epoch.clone());
        (seen, known)
    }

    #[test]
    fn a_follower_that_is_heard_later_goes_on_by_the_same_proof() {
        type Change = fn(&mut Observation, &mut Memory);
        let nothing: Change = |_, _| {};
        let older: Change = |_, known| {
            known.epoch.number = 3;
            known.holders.get_mut(&holder(1)).unwrap().confirmed = 3;
        };
        let primary: Change = |seen, _| seen.pod_mut(2).status = crate::fixture::answer(2, 8);
        let by_itself: Change = |_, known| known.holders.get_mut(&holder(2)).unwrap().open.clear();
        for (sentence, lost, follower, change, goes_on) in [
            ("no more", at(12), Some(at(9)), nothing, true),
            ("more", at(12), Some(at(12)), nothing, false),
            ("it was not asked, but the old primary held no more", at(9), None, nothing, true),
            ("it was not asked, and the old primary held more", at(12), None, nothing, false),
            ("it is of an older epoch", at(9), Some(at(9)), older, false),
            ("it is primary by now", at(9), Some(at(9)), primary, false),
            ("it came up by itself since", at(9), Some(at(9)), by_itself, false),
        ] {
            let (mut seen, mut known) = heard_later(lost, follower);
            change(&mut seen, &mut known);
            let plan = decide(&seen, &known);
            let of_follower = &plan.memory.holders[&holder(2)];
            assert_eq!(of_follower.confirmed == plan.memory.epoch.number, goes_on, "{sentence}");
            assert!(!goes_on || of_follower.running.is_none(), "it has grown since: {sentence}");
            assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
            let mut wrong = plan;
            let number = wrong.memory.epoch.number;
            wrong.memory.holders.get_mut(&holder(2)).unwrap().confirmed = number;
            let breaches = crate::audit(&seen, &known, &wrong).err().unwrap_or_default();
            let is_refused = breaches.iter().any(|breach| breach.rule == Rule::Epoch);
            assert_eq!(is_refused, !goes_on, "{sentence}: {breaches:?}");
        }
    }
}
