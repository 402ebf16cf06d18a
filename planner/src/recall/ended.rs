//! Data that ended with its pod or container, and members that left while others served.

use crate::app_state::AppState;
use crate::look::Look;
use crate::names::ReplicaName;
use crate::plan::News;
use crate::recall::well::is_well;
use crate::record::{HolderId, Record};
use crate::timer::Timer;

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

/// A member that is Stopped or Down while another serves falls behind; a bare number that it gives
/// later says nothing about the others. One look does not tell: its answers are not of one moment, and
/// in a power cut the last of them may come from before it.
pub(super) fn note_left(look: &mut Look<'_>, _: &mut Vec<News>) {
    let left: Vec<HolderId> = look
        .memory
        .holders
        .values()
        .filter(|record| {
            is_behind(look, &record.replica) && look.is_ripe(&Timer::Behind(record.replica.clone()))
        })
        .map(|record| record.holder.clone())
        .collect();
    for holder in left {
        if let Some(record) = look.memory.holders.get_mut(&holder) {
            record.left = true;
        }
    }
}

/// Nobody is made again whose claims are gone, where identities are given once: a set that is whole goes on without it. What
/// it had is of no more use then, as what a number had before its new data was confirmed; its open starts are kept.
pub(super) fn end_made_up_for(look: &mut Look<'_>, _: &mut Vec<News>) {
    if look.is_numbered() || look.target().replicas == 0 || !is_well(look) {
        return;
    }
    let is_gone = |record: &&Record| record.left && look.home(&record.holder).is_none();
    let gone: Vec<HolderId> =
        look.memory.holders.values().filter(is_gone).map(|record| record.holder.clone()).collect();
    look.memory.holders.retain(|holder, record| !gone.contains(holder) || !record.open.is_empty());
}

/// Whose claims are gone while others serve, where nobody else gets its name.
pub(crate) fn gone<'b>(look: &'b Look<'_>) -> impl Iterator<Item = &'b ReplicaName> {
    let gone = look.memory.holders.values().filter(|record| look.home(&record.holder).is_none());
    gone.map(|record| &record.replica).filter(|name| !look.is_numbered() && is_behind(look, name))
}

/// Stopped or Down, nothing that was started of it may be alive, and another serves. While an old process of it may
/// live, it may be that one that takes the writes.
pub(crate) fn is_behind(look: &Look<'_>, name: &ReplicaName) -> bool {
    let away = matches!(look.state(name), AppState::Stopped | AppState::Down(_));
    let over = look.memory.of(name).all(|record| record.open.is_empty());
    away && over && look.live_primaries().any(|other| other != name)
}

#[cfg(test)]
mod tests {
    use crate::decide;
    use crate::fixture::{memory, name, record, stopped_set};
    use crate::record::HolderId;
    use crate::target::Storage;
    use crate::timer::{Age, Timer};

    #[test]
    fn data_ends_with_its_pod_where_there_are_no_claims_and_what_may_live_of_it_is_kept() {
        let mut seen = stopped_set(1);
        seen.target.storage = Storage::Pod;
        let of = |pod: &str| {
            let mut record = record(0).confirmed_in(1);
            record.holder = HolderId::Pod(pod.into());
            record
        };
        let mut alive = record(0).confirmed_in(1).open_start("a");
        (alive.holder, alive.open[0].pod) = (HolderId::Pod("older".into()), "older".into());
        let known = decide(&seen, &memory([of("pod-0"), of("before"), alive])).memory.holders;
        assert!(!known[&HolderId::Pod("pod-0".into())].ended);
        assert!(!known.contains_key(&HolderId::Pod("before".into())));
        assert!(known[&HolderId::Pod("older".into())].ended, "nobody knows whether its process is over");
        let claims = decide(&stopped_set(1), &memory([record(0), record(7)])).memory.holders;
        assert!(claims.values().all(|record| !record.ended), "a claim outlives whoever used it");
    }

    #[test]
    fn a_member_falls_behind_when_another_serves_for_longer_than_one_look() {
        let mut seen = stopped_set(2).answers(0, 0);
        let known = memory([record(0).confirmed_in(1).open_start("a"), record(1).confirmed_in(1)]);
        let left =
            |seen: &crate::Observation| decide(seen, &known).memory.of(&name(1)).any(|record| record.left);
        assert!(!left(&seen), "the answers of one look are not of one moment");
        seen.ages.insert(Timer::Behind(name(1)), Age::Ripe);
        assert!(left(&seen));
        let mut elsewhere = record(1).confirmed_in(1).open_start("b");
        (elsewhere.open[0].pod, elsewhere.open[0].container) = ("before".into(), "before".into());
        let plan = decide(&seen, &memory([record(0).confirmed_in(1).open_start("a"), elsewhere]));
        assert!(plan.memory.of(&name(1)).all(|record| !record.left), "what it ran by may be alive elsewhere");
        let dark = seen.clone().answers(0, 7);
        assert!(!left(&dark), "nobody serves");
    }
}
