//! Data that ended with its pod or container, and members that left while others served.

use crate::app_state::AppState;
use crate::look::Look;
use crate::plan::News;
use crate::record::HolderId;

/// Without claims the data ends with its pod or container; its open starts are kept.
pub(super) fn end_vanished_holders(look: &mut Look<'_>, _: &mut Vec<News>) {
    let here: Vec<HolderId> =
        look.memory.holders.keys().filter(|holder| look.home(holder).is_some()).cloned().collect();
    for (holder, record) in &mut look.memory.holders {
        let outlives = matches!(holder, HolderId::Claims(_));
        record.ended |= !outlives && !here.contains(holder);
    }
    look.memory.holders.retain(|_, record| !record.ended || !record.open.is_empty());
}

/// A member that is Stopped or Down while another serves falls behind; a bare number that it
/// gives later says nothing about the others.
pub(super) fn note_left(look: &mut Look<'_>, _: &mut Vec<News>) {
    if look.live_primaries().next().is_none() {
        return;
    }
    let left: Vec<HolderId> = look
        .memory
        .holders
        .iter()
        .filter(|(_, record)| matches!(look.state(&record.replica), AppState::Stopped | AppState::Down(_)))
        .map(|(holder, _)| holder.clone())
        .collect();
    for holder in left {
        if let Some(record) = look.memory.holders.get_mut(&holder) {
            record.left = true;
        }
    }
}
