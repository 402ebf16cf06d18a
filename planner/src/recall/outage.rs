//! When an outage begins, and which of its candidates are still to be tried.

use crate::look::Look;
use crate::memory::Outage;
use crate::plan::News;
use crate::position::Position;
use crate::record::{HolderId, Record};

/// It begins with the first look in which nobody runs and nobody may.
pub(super) fn begin(look: &mut Look<'_>, news: &mut Vec<News>) {
    if look.memory.outage.is_none() && look.is_dark() {
        look.memory.outage = Some(Outage::default());
        look.memory.outages += 1;
        if look.epoch() > 0 {
            news.push(News::OutageNoticed);
        }
    }
}

/// A candidate whose seed began and was closed unconfirmed is struck off. If its history grew by
/// that try, it alone holds what was added, and it alone is left.
pub(super) fn strike_failed_candidates(look: &mut Look<'_>, _: &mut Vec<News>) {
    let tried: Vec<HolderId> = look
        .memory
        .holders
        .values()
        .filter(|record| record.tried.is_some() && record.standing().is_some())
        .map(|record| record.holder.clone())
        .collect();
    for holder in tried {
        strike(look, &holder);
    }
}

fn strike(look: &mut Look<'_>, holder: &HolderId) {
    let Some(record) = look.memory.holders.get_mut(holder) else { return };
    let grew = has_grown(record);
    record.tried = None;
    let Some(outage) = look.memory.outage.as_mut() else { return };
    if let Some(list) = outage.candidates.as_mut() {
        list.retain(|other| if grew { other == holder } else { other != holder });
    }
}

fn has_grown(record: &Record) -> bool {
    let before = record.tried.as_ref().and_then(|tried| tried.from.as_ref());
    match (before, record.position()) {
        (Some(before @ Position::History(_)), Some(now)) => now.includes(before) && now != before,
        (None, Some(Position::History(_))) => true,
        _ => false,
    }
}
