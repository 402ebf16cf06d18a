//! Who may hold what the line of the set never will: only what an epoch began with says that a member holds no more than
//! the line that goes on from there.

use crate::look::Look;
use crate::observation::Role;
use crate::plan::News;
use crate::record::{Reading, Record, Taken};

/// Whoever was of an epoch, and is not known to hold no more than a newer one began with, may hold what that never will.
/// It is found when its record learns of that epoch: some claims may have been written when an operator died. One that
/// left while another served is behind that one, unless it led and an epoch begins with what nobody knows: it may have
/// been that one's follower that served. What was being replaced is nobody's.
pub(super) fn part(look: &mut Look<'_>, _: &mut Vec<News>) {
    let epoch = &look.memory.epoch;
    let holds_no_more = |taken: &Taken| {
        taken.reading == Reading::Empty || epoch.base.as_ref().is_some_and(|base| base.includes(taken))
    };
    let learns = |record: &Record| record.epoch.number < epoch.number;
    let is_former = |record: &Record| record.confirmed > 0 && record.confirmed < epoch.number;
    for record in look.memory.holders.values_mut().filter(|record| learns(record) && is_former(record)) {
        let is_behind = record.left && (record.last != Some(Role::Primary) || epoch.base.is_some());
        let is_nobodys = is_behind || record.joining || record.standing().is_some_and(holds_no_more);
        if !is_nobodys {
            record.parted.get_or_insert_with(|| epoch.clone());
        }
    }
}

/// Each that may be alive may take writes that the other group never has, also one that is silent now; so whose group is
/// given up is read before it joins the other.
pub(super) fn set_apart(look: &mut Look<'_>) {
    let Look { memory, .. } = look;
    for record in memory.holders.values_mut().filter(|record| !record.open.is_empty()) {
        record.parted.get_or_insert_with(|| memory.epoch.clone());
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{holder, memory, record, running, start, stopped_set};
    use crate::memory::Outage;
    use crate::observation::{Role, Status};
    use crate::record::Reading;
    use crate::start::StartKind;
    use crate::{Memory, Position, Record, decide};

    /// Whether a member of epoch 1 is written down as one that may have left the line, where another is seeded from 9.
    fn parts(other: Record) -> bool {
        let mut seeding = record(0).confirmed_in(1);
        let mut promised = start(0, "seed");
        (promised.kind, promised.confirmed, promised.from) =
            (StartKind::Seed, false, Some(Position::Ordinal(9)));
        promised.measure = crate::fixture::measure(1);
        seeding.open.push(promised);
        let mut known = memory([seeding, other]);
        known.outage = Some(Outage::default());
        let seen = stopped_set(2).answers(0, 0);
        let plan = decide(&seen, &known);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
        let parted = plan.memory.holders[&holder(1)].parted.clone();
        assert!(parted.as_ref().is_none_or(|epoch| *epoch == plan.memory.epoch), "{parted:?}");
        parted.is_some()
    }

    #[test]
    fn who_is_not_known_to_hold_no_more_than_an_epoch_begins_with_is_written_down_with_it() {
        for (sentence, other, expected) in [
            ("it was read, and holds less", record(1).confirmed_in(1).at(7), false),
            ("it holds as much", record(1).confirmed_in(1).at(9), false),
            ("it holds nothing", record(1).confirmed_in(1).reads(Reading::Empty), false),
            ("it holds more", record(1).confirmed_in(1).at(12), true),
            ("it was not read", record(1).confirmed_in(1), true),
            ("it left while another served", Record { left: true, ..record(1).confirmed_in(1) }, false),
            (
                "it led, and left while another served",
                Record { left: true, last: Some(Role::Primary), ..record(1).confirmed_in(1) },
                false,
            ),
            ("it was being replaced", Record { joining: true, ..record(1).confirmed_in(1) }, false),
            ("it never was of an epoch", record(1), false),
        ] {
            assert_eq!(parts(other), expected, "{sentence}");
        }
    }

    #[test]
    fn what_was_concluded_when_an_epoch_was_heard_of_is_not_concluded_again_once_nothing_is_read() {
        let (mut leads, mut rests) = (record(0).confirmed_in(2).open_start("a"), record(1).confirmed_in(1));
        leads.epoch.number = 2;
        for (knows, parted) in [(1, true), (2, false)] {
            rests.epoch.number = knows;
            let plan = decide(&stopped_set(2).answers(0, 8), &memory([leads.clone(), rests.clone()]));
            assert_eq!(plan.memory.holders[&holder(1)].parted.is_some(), parted, "it knows of {knows}");
        }
    }

    #[test]
    fn who_ran_in_one_of_two_groups_is_apart_until_it_runs_in_the_only_one() {
        let mut seen = running(2);
        seen.in_groups(["a", "b"]);
        let known = memory([0, 1].map(|n| record(n).confirmed_in(1).open_start(&format!("a{n}"))));
        let apart = |memory: &Memory| [0, 1].map(|n| memory.holders[&holder(n)].parted.is_some());
        let split = decide(&seen, &known);
        assert_eq!((apart(&split.memory), crate::audit(&seen, &known, &split)), ([true; 2], Ok(())));
        let mut silent = seen.clone();
        silent.replicas.extend(running(3).replicas.into_iter().skip(2));
        silent.pod_mut(2).status = Status::Silent("no stream".to_owned());
        let mut of_three = known.clone();
        let third = record(2).confirmed_in(1).open_start("a2");
        of_three.holders.insert(third.holder.clone(), third);
        assert!(
            decide(&silent, &of_three).memory.holders[&holder(2)].parted.is_some(),
            "it may run in either"
        );
        let one_stopped = running(2).answers(1, 7);
        let plan = decide(&one_stopped, &split.memory);
        assert_eq!(apart(&plan.memory), [false, true]);
        assert_eq!(crate::audit(&one_stopped, &split.memory, &plan), Ok(()));
        assert_eq!(apart(&decide(&running(2), &split.memory).memory), [false; 2], "they are one again");
    }
}
