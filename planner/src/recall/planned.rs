//! That a member was stopped for a change: forgotten once it runs on, or runs again.

use crate::look::Look;
use crate::plan::News;
use crate::planned::runs_on;
use crate::record::HolderId;

pub(super) fn forget_planned_stops(look: &mut Look<'_>, _: &mut Vec<News>) {
    let running = look.running().filter(|name| runs_on(look, name));
    let running: Vec<HolderId> = running.filter_map(|name| look.holder(name).cloned()).collect();
    for holder in running {
        if let Some(record) = look.memory.holders.get_mut(&holder) {
            record.planned_stop = None;
        }
    }
}
