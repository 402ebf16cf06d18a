//! Who may hold what the line of the set never will.

use super::breach::{Breach, Rule};
use super::evidence::Evidence;
use super::join::is_inside_base;
use super::owed::read_before;
use super::past::Past;
use crate::observation::Role;
use crate::record::Record;

/// 4.6: who ran in one of two groups, and who was of the epoch before and is not known to hold no more than a new one
/// begins with, is written down with that epoch, until it is seen to run where there is one group.
pub(super) fn is_written_down(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    for record in evidence.plan.memory.holders.values() {
        if let Some(what) = wrong(evidence, record, &evidence.past(&record.holder)) {
            found.push(Breach::at(Rule::Forgotten, &record.replica, what));
        }
    }
}

fn wrong(evidence: &Evidence<'_>, new: &Record, past: &Past<'_>) -> Option<&'static str> {
    let split = evidence.has_two_groups();
    let serves = evidence.serves(&new.holder);
    let known: Vec<_> = past.own().filter_map(|record| record.parted.as_ref()).collect();
    match () {
        () if new.parted.as_ref().is_some_and(|epoch| known.contains(&epoch)) => None,
        () if !known.is_empty() && (!serves || split || new.parted.is_some()) => {
            Some("is said to have parted from another epoch, or from none")
        }
        () if new.parted.is_some() => None,
        () if serves && split && !evidence.hands_off() => {
            Some("runs in one of two groups, and that is not written down")
        }
        () if is_left_out(evidence, new, past) => Some("may hold more than its epoch began with"),
        () => None,
    }
}

/// It was of an epoch before one that it learns of in this look, and is not of that.
fn is_left_out(evidence: &Evidence<'_>, new: &Record, past: &Past<'_>) -> bool {
    let now = &evidence.plan.memory.epoch;
    let learns = past.own().all(|record| record.epoch.number < now.number);
    let is_former = new.confirmed > 0 && new.confirmed < now.number;
    let left = past.own().any(|record| record.left) || new.left;
    // Of one that led, what it left behind is that of others only if it is known what they began with.
    let left = left && (now.base.is_some() || past.own().all(|record| record.last != Some(Role::Primary)));
    let holds_no_more = || read_before(evidence, new).is_some_and(|taken| is_inside_base(now, taken));
    learns && is_former && !left && !new.joining && !holds_no_more()
}
