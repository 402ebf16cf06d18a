//! Where identities are given once: whose place another takes by itself, once it was away for long enough.

use crate::decide::known;
use crate::look::Look;
use crate::memory::Memory;
use crate::names::ReplicaName;
use crate::observation::Observation;
use crate::recall::loss::{given_up, is_lost, is_owed_for_ever, may_replace};
use crate::record::Record;
use crate::timer::{Age, Timer};
use std::collections::BTreeSet;

/// Members that are away, though not for long enough yet, whose place another takes then if all else stays as it is.
#[must_use]
pub fn to_be_replaced(seen: &Observation, memory: &Memory) -> BTreeSet<ReplicaName> {
    let may_act = !seen.target.paused && seen.foreign.is_none();
    let away = seen.ages.iter().filter_map(|(timer, age)| match (timer, age) {
        (Timer::Lost(name), Age::TooSoon(_)) => Some(name),
        _ => None,
    });
    away.filter(|name| may_act && goes_in_time(seen, memory, name)).cloned().collect()
}

/// The rules are asked about it as if it had been away for long enough: there is no second copy of them here.
fn goes_in_time(seen: &Observation, memory: &Memory, name: &ReplicaName) -> bool {
    let mut later = seen.clone();
    later.ages.insert(Timer::Lost(name.clone()), Age::Ripe);
    let (look, _) = known(&later, memory);
    given_up(&look).any(|record| record.replica == *name)
        || look.record(name).is_some_and(|record| is_needed_by_nobody(&look, record))
}

/// It is lost, and what it held was given up, is to be replaced, or is known to all who seed.
fn is_needed_by_nobody(look: &Look<'_>, record: &Record) -> bool {
    let goes = look.memory.outage.is_none() && may_replace(look) && is_lost(look, record);
    goes && (record.waived || record.joining || is_owed_for_ever(record))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{holder, name, record};
    use crate::observation::Role;
    use crate::position::{History, Position};
    use crate::recall::loss::tests::{Change, stranded};
    use crate::record::Reading;
    use crate::target::{Failover, Mode};

    /// Whether member 2 is to be replaced, which was away for a moment.
    fn is_to_go(change: Change) -> bool {
        let (mut seen, mut known) = stranded(|seen, _| {
            seen.ages.insert(Timer::Lost(name(2)), Age::TooSoon(60_000));
        });
        change(&mut seen, &mut known);
        to_be_replaced(&seen, &known).contains(&name(2))
    }

    fn lost(known: &mut Memory) -> &mut Record {
        known.holders.get_mut(&holder(2)).unwrap()
    }

    #[test]
    fn who_is_away_is_to_be_replaced_where_that_comes_by_itself() {
        let cases: [(&str, Change, bool); 12] = [
            ("the resource allows to lose what it may hold", |_, _| {}, true),
            (
                "it followed",
                |seen, known| {
                    seen.target.failover = Failover::NoKnownLoss;
                    (lost(known).last, lost(known).open) = (Some(Role::Secondary), Vec::new());
                },
                true,
            ),
            ("it may have taken writes", |seen, _| seen.target.failover = Failover::NoKnownLoss, false),
            ("a person is asked", |seen, _| seen.target.mode = Mode::Ask, false),
            (
                "a person gave it up",
                |seen, known| {
                    seen.target.mode = Mode::Ask;
                    lost(known).waived = true;
                },
                true,
            ),
            (
                "a person gave it up, and its machine is heard of again",
                |seen, known| {
                    seen.nodes.get_mut(&"node-2".into()).unwrap().ready = true;
                    lost(known).waived = true;
                },
                false,
            ),
            (
                "it was read at rest as a history",
                |seen, known| {
                    seen.target.failover = Failover::Never;
                    let history = Position::History(History::up_to("a", 3));
                    *lost(known) = record(2).confirmed_in(1).reads(Reading::At(history));
                },
                true,
            ),
            ("nobody is ever replaced", |seen, _| seen.target.replace_after = None, false),
            ("nobody serves", |seen, _| *seen = seen.clone().answers(0, 7).answers(1, 7), false),
            (
                "the place of the last one is empty",
                |seen, _| {
                    seen.workload.as_mut().unwrap().released.insert(name(1));
                },
                false,
            ),
            ("nothing is changed", |seen, _| seen.target.paused = true, false),
            (
                "its machine is heard of again",
                |seen, _| seen.nodes.get_mut(&"node-2".into()).unwrap().ready = true,
                false,
            ),
        ];
        for (sentence, change, expected) in cases {
            assert_eq!(is_to_go(change), expected, "{sentence}");
        }
    }

    #[test]
    fn who_was_away_for_long_enough_is_waited_for_no_more() {
        let (seen, known) = stranded(|_, _| {});
        assert_eq!(to_be_replaced(&seen, &known), BTreeSet::new());
    }
}
