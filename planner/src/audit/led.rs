//! Who may lead, or may have led, though nobody sees it.

use super::breach::{Breach, Rule};
use super::closing::never_began;
use super::evidence::{Evidence, Member};
use crate::observation::Role;
use crate::record::{HolderId, Record};
use crate::start::{Start, StartKind};

/// 4.7: a promotion that may have begun and is over may have made its member lead, and take writes, before anybody saw it:
/// that is written down once the start is closed.
pub(super) fn is_written_down(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    for record in evidence.remembered() {
        let after = evidence.after(&record.holder);
        let is_told = after.is_none_or(|after| after.last == Some(Role::Primary));
        if !is_told && led_unseen(evidence, &record.holder) {
            found.push(Breach::at(Rule::Forgotten, &record.replica, "may have led, and nothing says so"));
        }
    }
}

/// What this data's member did last, as far as anybody knows.
pub(super) fn last_role(evidence: &Evidence<'_>, holder: &HolderId) -> Option<Role> {
    if led_unseen(evidence, holder) {
        return Some(Role::Primary);
    }
    evidence.past(holder).newest().and_then(|old| old.last)
}

/// Another one that was told to lead, does not serve, and may yet.
pub(super) fn may_lead_yet<'a>(evidence: &Evidence<'a>, promoted: &Member<'_>) -> Option<&'a Record> {
    let others = evidence.plan.memory.holders.values();
    let mut silent = others.filter(|record| {
        Some(&record.holder) != promoted.holder.as_ref() && !evidence.serves(&record.holder)
    });
    silent.find(|record| {
        let before = evidence.past(&record.holder);
        let leads = |start: &&Start| matches!(start.kind, StartKind::Seed | StartKind::Promote);
        record.open.iter().filter(leads).any(|start| !start.confirmed && before.knew(start))
    })
}

/// A promotion of it is closed in this look, was never seen to take effect, and may have. Who serves says itself what it is.
fn led_unseen(evidence: &Evidence<'_>, holder: &HolderId) -> bool {
    let open = evidence.after(holder).map(|after| after.open.as_slice()).unwrap_or_default();
    let is_closed = |start: &Start| open.iter().all(|still| still.attempt != start.attempt);
    let may_have_led = |start: &Start| {
        let is_unseen = start.kind == StartKind::Promote && !start.confirmed;
        is_unseen && is_closed(start) && !never_began(evidence, start)
    };
    !evidence.serves(holder) && evidence.past(holder).open().iter().any(may_have_led)
}
