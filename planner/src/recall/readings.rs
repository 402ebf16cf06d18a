//! When a reading no longer stands.

use crate::look::Look;
use crate::names::ContainerId;
use crate::observation::Pod;
use crate::plan::News;

/// While a set is paused people start databases by hand: afterwards everything is read anew.
pub(super) fn after_pause(look: &mut Look<'_>, _: &mut Vec<News>) {
    if !std::mem::take(&mut look.memory.paused) {
        return;
    }
    look.was_paused = true;
    for record in look.memory.holders.values_mut() {
        record.reading = None;
        record.running = None;
    }
    if let Some(outage) = look.memory.outage.as_mut() {
        outage.candidates = None;
        outage.named = None;
    }
}

/// A reading is void once its member was seen running or another container was seen: a
/// container's own command may have touched the data.
///
/// A lower bound is of use only for what comes after its primary: while one lives it grows old.
pub(super) fn void_readings(look: &mut Look<'_>, _: &mut Vec<News>) {
    if look.live_primaries().next().is_some() {
        look.memory.holders.values_mut().for_each(|record| record.running = None);
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
    use crate::fixture::{memory, name, record, stopped_set};
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
}
