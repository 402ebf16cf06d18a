//! Who of the members that run is of the line of history that an epoch opens.

use crate::look::{Look, holder_of};
use crate::memory::Base;
use crate::names::ReplicaName;
use crate::observation::Role;
use crate::record::{HolderId, Record, Taken};
use crate::start::{Start, StartKind};

/// The opener, and everybody who holds nothing beyond what it began with; the others have to be brought in.
pub(super) fn of_the_new_line(
    look: &Look<'_>,
    running: &[ReplicaName],
    opener: &ReplicaName,
    start: &Start,
) -> Vec<HolderId> {
    let is_of_it = |name: &&ReplicaName| *name == opener || holds_no_more(look, name, opener, start);
    let replicas = running.iter().filter(is_of_it).filter_map(|name| look.seen.replicas.get(name));
    replicas.filter_map(|replica| holder_of(replica, look.target())).collect()
}

/// A promotion may accept a loss: what was lost by it must not win the next outage, where bare numbers do not tell that
/// the lines have parted.
fn holds_no_more(look: &Look<'_>, name: &ReplicaName, opener: &ReplicaName, start: &Start) -> bool {
    let Some(base) = start.base() else { return true };
    let bound = look.record(name).and_then(bound).filter(|taken| is_comparable(&base, taken));
    match bound {
        Some(taken) => base.includes(taken),
        None => start.kind != StartKind::Promote || is_led(look, opener, &base),
    }
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
fn is_led(look: &Look<'_>, opener: &ReplicaName, base: &Base) -> bool {
    let was_primary = |record: &&Record| {
        let of_epoch = record.confirmed == look.epoch() && record.last == Some(Role::Primary);
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
    use crate::fixture::{container, holder, measure, memory, name, record, stopped_set};
    use crate::observation::Role;
    use crate::record::{Reading, Record, Taken};
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
        (start.kind, start.confirmed) = (StartKind::Promote, false);
        (start.from, start.measure) = (Some(Position::Ordinal(9)), measure(1));
        let mut other = record(2).confirmed_in(1).open_start("follow");
        other.running = follower.map(|reading| Taken {
            reading,
            starts: other.starts,
            container: container(2),
            measure: measure(1),
            facts: Vec::new(),
            raw: String::new(),
        });
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
}
