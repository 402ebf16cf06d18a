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
