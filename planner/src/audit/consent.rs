//! What waits for a person's word.

use super::breach::{Breach, Rule};
use super::evidence::Evidence;
use super::planned::goes_on;
use crate::key::KeyKind;
use crate::observation::Command;
use crate::record::Record;
use crate::target::Mode;

/// 4.10, `recovery.mode`: a set that had an epoch goes on from a member by itself only where that is `Auto`. Where it is
/// `Ask`, with a key for that member in this very look, or if it was named (`AcceptSeed`); where `PlanOnly`, never. What
/// becomes primary beside one that serves brings nothing back; nor does what follows a planned stop, if it loses nothing.
pub(super) fn is_given(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let (mode, memory) = (evidence.seen.target.mode, &evidence.plan.memory);
    if mode == Mode::Auto || memory.epoch.number == 0 {
        return;
    }
    let beside = evidence.members.iter().any(|member| {
        let confirmed = |record: &Record| record.confirmed == memory.epoch.number && !record.joining;
        member.takes_writes() && evidence.record_of(member).is_some_and(confirmed)
    });
    for run in evidence.runs() {
        let opens = run.command == Command::Seed || (run.command == Command::Promote && !beside);
        let named = memory.outage.as_ref().and_then(|outage| outage.named.as_ref());
        let is_named = named.is_some()
            && evidence.member(&run.replica).and_then(|member| member.holder.as_ref()) == named;
        let approved = evidence.key(KeyKind::Approve, Some(&run.replica.0)).is_some();
        if opens && !goes_on(evidence, run) && (mode == Mode::PlanOnly || !(approved || is_named)) {
            found.push(Breach::at(Rule::Consent, &run.replica, "nobody approved it"));
        }
    }
}
