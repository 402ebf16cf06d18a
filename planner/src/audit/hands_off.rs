//! A set that is not ours, or that people keep to themselves.

use super::breach::{Breach, Rule};
use super::evidence::Evidence;
use crate::memory::Memory;

/// 4.12: two installations never share a set; section 2, Reading: a pause is remembered, because it
/// makes readings void. So nothing is done, and nothing else is remembered.
pub(super) fn nothing_is_done(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    if let Some(step) = evidence.plan.steps.first() {
        found.push(Breach::of_set(Rule::HandsOff, format!("{step:?}")));
    }
    let Memory {
        epoch,
        holders,
        outage,
        outages,
        paused: _,
        restore_replicas,
        repairs,
        lockless,
        good,
        refused,
        used_keys,
        rehearsals,
    } = &evidence.plan.memory;
    let before = evidence.memory;
    let kept = epoch == &before.epoch
        && holders == &before.holders
        && outage == &before.outage
        && outages == &before.outages
        && restore_replicas == &before.restore_replicas
        && repairs == &before.repairs
        && lockless == &before.lockless
        && good == &before.good
        && refused == &before.refused
        && used_keys == &before.used_keys
        && rehearsals == &before.rehearsals;
    if !kept {
        found.push(Breach::of_set(Rule::HandsOff, "what is remembered changed"));
    }
}
