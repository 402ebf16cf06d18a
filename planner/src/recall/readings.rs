//! When a reading no longer stands.

use crate::look::Look;
use crate::names::ContainerId;
use crate::observation::Pod;
use crate::plan::News;
use crate::recall::loss::given_up;
use crate::recall::takeover::is_clear;
use crate::record::Taken;

/// While a set is paused people start databases by hand: afterwards everything is read anew. The pause counts until a
/// look tells of each member what a person made of it.
pub(super) fn after_pause(look: &mut Look<'_>, _: &mut Vec<News>) {
    if !look.memory.paused {
        return;
    }
    look.was_paused = true;
    look.memory.paused = !is_clear(look);
    for record in look.memory.holders.values_mut() {
        record.reading = None;
        record.running = None;
    }
    if let Some(outage) = look.memory.outage.as_mut() {
        outage.candidates = None;
        outage.named = None;
    }
}

/// What another reader made of the data may mean something else by this one: it is read anew, and the list of candidates
/// is made anew, as after a pause. While no policy can be asked nothing is void.
pub(super) fn of_another_reader(look: &mut Look<'_>, _: &mut Vec<News>) {
    let Some(reader) = look.seen.reader.as_ref() else { return };
    let is_another = |taken: &mut Taken| taken.measure.reader.as_ref() != Some(reader);
    let mut any = false;
    for record in look.memory.holders.values_mut() {
        any |= record.reading.take_if(is_another).is_some();
        any |= record.running.take_if(is_another).is_some();
    }
    let Some(outage) = look.memory.outage.as_mut() else { return };
    let before = outage.reader.replace(reader.clone());
    if any || before.is_some_and(|before| before != *reader) {
        (outage.candidates, outage.named) = (None, None);
    }
}

/// A reading is void once its member was seen running or another container was seen: a
/// container's own command may have touched the data.
///
/// A lower bound is of use only for what comes after its primary: while one lives it grows old. But of who was not heard
/// when the epoch began it tells whether that one may go on in it; and with what one that serves holds an epoch may begin.
pub(super) fn void_readings(look: &mut Look<'_>, _: &mut Vec<News>) {
    if look.live_primaries().next().is_some() && given_up(look).next().is_none() {
        let epoch = look.epoch();
        let records = look.memory.holders.values_mut().filter(|record| record.confirmed + 1 != epoch);
        records.for_each(|record| record.running = None);
    }
    let void: Vec<_> = look
        .memory
        .holders
        .values()
        .filter(|record| record.reading.as_ref().is_some_and(|taken| is_void(look, record, &taken.container)))
        .map(|record| record.holder.clone())
        .collect();
    for holder in void {
        if let Some(record) = look.memory.holders.get_mut(&holder) {
            record.reading = None;
        }
    }
}

fn is_void(look: &Look<'_>, record: &crate::record::Record, container: &ContainerId) -> bool {
    let Some(name) = look.home(&record.holder) else { return false };
    let other = look.pod(name).and_then(Pod::container_id).is_some_and(|id| id != container);
    other || look.state(name).is_running() || record.standing().is_none()
}

#[cfg(test)]
mod tests {
    use crate::fixture::{holder, memory, name, record, stopped_set};
    use crate::memory::Outage;
    use crate::{Memory, Observation, Record, decide};

    fn reading_after(change: impl Fn(&mut Observation, &mut Memory)) -> bool {
        let mut seen = stopped_set(1);
        let mut known = memory([record(0).confirmed_in(1).at(5)]);
        change(&mut seen, &mut known);
        decide(&seen, &known).memory.of(&name(0)).any(|record: &Record| record.reading.is_some())
    }

    #[test]
    fn a_reading_stands_until_its_data_may_have_changed() {
        assert!(reading_after(|_, _| {}), "nothing happened");
        assert!(
            reading_after(|seen, _| seen.replicas.get_mut(&name(0)).unwrap().pod = None),
            "its pod is away"
        );
        assert!(!reading_after(|seen, _| *seen = seen.clone().answers(0, 0)), "its member was seen running");
        assert!(!reading_after(|_, known| known.paused = true), "the set was paused");
        let other = |seen: &mut Observation, _: &mut Memory| {
            seen.pod_mut(0).container.as_mut().unwrap().id = Some("another".into());
        };
        assert!(!reading_after(other), "another container was seen");
        let started = |_: &mut Observation, known: &mut Memory| {
            known.holders.values_mut().for_each(|record| record.starts += 1);
        };
        assert!(!reading_after(started), "something was started on it");
    }

    #[test]
    fn what_a_follower_held_at_least_is_of_use_only_to_who_was_not_heard_when_the_epoch_began() {
        let mut seen = stopped_set(4).answers(0, 8);
        seen.target.has_secondary = true;
        let follower = |n: u32, epoch: u64| {
            let mut record = record(n).confirmed_in(epoch).at(5);
            record.running = record.reading.take();
            record
        };
        let known = memory([
            record(0).confirmed_in(4).open_start("a"),
            follower(1, 4),
            follower(2, 3),
            follower(3, 2),
        ]);
        let after = decide(&seen, &known).memory;
        let kept = [1, 2, 3].map(|n| after.of(&name(n)).any(|record: &Record| record.running.is_some()));
        assert_eq!(kept, [false, true, false]);
    }

    #[test]
    fn what_another_policy_read_is_read_anew_and_what_the_same_one_read_is_not() {
        assert!(!reading_after(|seen, _| seen.reader = Some("another".into())), "another reads now");
        assert!(reading_after(|seen, _| seen.reader = None), "nobody reads now");
        let unknown = |_: &mut Observation, known: &mut Memory| {
            let taken = known.holders.values_mut().filter_map(|record| record.reading.as_mut());
            taken.for_each(|taken| taken.measure.reader = None);
        };
        assert!(!reading_after(unknown), "nobody knows who read it");
        let bound = |reader: &str| {
            let mut seen = stopped_set(1).answers(0, 0);
            (seen.target.has_secondary, seen.reader) = (true, Some(reader.into()));
            let mut follower = record(0).confirmed_in(1).open_start("a").at(5);
            follower.running = follower.reading.take();
            decide(&seen, &memory([follower])).memory.of(&name(0)).any(|record| record.running.is_some())
        };
        assert!(bound("reader") && !bound("another"), "so is what a running member held at least");
    }

    #[test]
    fn another_reader_makes_the_list_of_candidates_anew() {
        let kept = |before: Option<&str>, now: Option<&str>, is_read: bool| {
            let mut known = memory([0, 1].map(|n| record(n).confirmed_in(1).at(5)));
            if !is_read {
                known.holders.values_mut().for_each(|record| record.reading = None);
            }
            let (reader, list) = (before.map(Into::into), Some(vec![holder(0)]));
            let named = Some(holder(0));
            known.outage = Some(Outage { reader, candidates: list, named, ..Outage::default() });
            let mut seen = stopped_set(2);
            seen.reader = now.map(Into::into);
            let outage = decide(&seen, &known).memory.outage.unwrap();
            assert_eq!(outage.candidates.is_some(), outage.named.is_some(), "so is the word of a person");
            assert_eq!(outage.reader.is_some(), before.or(now).is_some());
            outage.candidates.is_some()
        };
        assert!(kept(Some("reader"), Some("reader"), true));
        assert!(kept(Some("reader"), None, true), "while nobody reads it stays");
        assert!(!kept(Some("reader"), Some("another"), false), "it was made by another");
        assert!(!kept(None, Some("another"), true), "it was made of what another one read");
        assert!(kept(None, Some("reader"), true), "nobody read when the outage began");
    }
}
