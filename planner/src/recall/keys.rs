//! What a person allowed: used once, and only where a hold of this look offers exactly that.

use crate::key::{Key, KeyKind};
use crate::look::Look;
use crate::names::ReplicaName;
use crate::plan::News;
use crate::recall::fold::made_by;
use crate::record::{HolderId, Record};
use crate::seeding::{Owed, owed};
use crate::start::Start;

/// A key that was taken away may be given again.
pub(crate) fn forget_withdrawn(look: &mut Look<'_>) {
    let given: Vec<String> = look.target().keys.iter().map(Key::text).collect();
    look.memory.used_keys.retain(|text| given.contains(text));
}

/// The keys that were given and not spoken of yet.
pub(crate) fn given(look: &Look<'_>) -> Vec<Key> {
    let fresh = |key: &&Key| !look.memory.used_keys.contains(&key.text());
    look.target().keys.iter().filter(fresh).cloned().collect()
}

/// Opens what is offered, and refuses all else.
pub(crate) fn use_keys(look: &mut Look<'_>, given: Vec<Key>, offered: &[Key], news: &mut Vec<News>) {
    let seed =
        given.iter().rev().find(|key| key.kind == KeyKind::AcceptSeed && offered.contains(key)).cloned();
    let is_beside = look.running().next().is_some();
    // One starts: of several that are named at once the last one is meant. Beside others each is a try of its own.
    let is_meant = |key: &Key| is_beside || key.kind != KeyKind::AcceptSeed || seed.as_ref() == Some(key);
    for key in given {
        let text = key.text();
        if look.memory.used_keys.insert(text.clone()) {
            let used = offered.contains(&key) && is_meant(&key) && turn(look, &key);
            news.push(if used { News::KeyUsed(text) } else { News::KeyRefused(text) });
        }
    }
}

/// Whether the key fits something.
fn turn(look: &mut Look<'_>, key: &Key) -> bool {
    match key.kind {
        KeyKind::AcceptLoss => accept_loss(look, &key.subject),
        KeyKind::AssertFenced => assert_fenced(look, &key.subject),
        KeyKind::AcceptSeed => accept_seed(look, &key.subject),
        KeyKind::AcceptErrant => accept_errant(look, &key.subject),
        KeyKind::AcceptSize => accept_size(look, &key.subject),
        KeyKind::Approve => {
            look.approved = Some(ReplicaName::from(key.subject.as_str()));
            true
        }
        KeyKind::Recreate => look.seen.workload.as_ref().is_some_and(|workload| workload.immutable.is_some()),
    }
}

/// The data that `AcceptLoss` of a replica gives up. Of data that is gone and of data that came in its place that is only
/// the former: the latter was not spoken of.
pub(crate) fn given_up_by(look: &Look<'_>, subject: &str) -> Vec<HolderId> {
    let holders = look.memory.holders.values().filter(|record| record.replica.0 == subject);
    // What fell behind, and what is of an older epoch, owes nothing, and may be all that there is of something.
    let is_here = |record: &Record| !record.waived && look.home(&record.holder).is_some();
    let is_older = |record: &Record| (1..look.epoch()).contains(&record.confirmed);
    let is_spare = |record: &Record| is_here(record) && (record.is_behind() || is_older(record));
    let counts = |record: &Record| is_spare(record) || owed(look, record) != Owed::Nothing;
    let owing = holders.filter(|record| record.joining || counts(record));
    let (here, gone): (Vec<_>, Vec<_>) =
        owing.map(|record| record.holder.clone()).partition(|holder| look.home(holder).is_some());
    if gone.is_empty() { here } else { gone }
}

fn accept_loss(look: &mut Look<'_>, subject: &str) -> bool {
    let owing = given_up_by(look, subject);
    for holder in &owing {
        if let Some(record) = look.memory.holders.get_mut(holder) {
            record.waived = true;
        }
    }
    !owing.is_empty()
}

/// Nothing that was started in this pod is alive: but for what its member runs by, where that answers.
fn assert_fenced(look: &mut Look<'_>, subject: &str) -> bool {
    let of_pod = |name: &&ReplicaName| look.pod(name).is_some_and(|pod| pod.uid.0 == subject);
    let home = look.seen.replicas.keys().find(of_pod);
    let container = home.and_then(|name| look.pod(name)?.container_id()).cloned();
    let running = home.filter(|name| look.state(name).is_running()).and_then(|name| look.record(name));
    let kept = running.zip(container.as_ref()).and_then(|(record, id)| made_by(&record.open, id)).cloned();
    let is_kept = |start: &Start| kept.as_ref() == Some(&start.attempt);
    let mut any = false;
    for record in look.memory.holders.values_mut() {
        any |=
            record.open.iter().any(|start| start.pod.0 == subject && (!is_kept(start) || !start.confirmed));
        record.close(|start| start.pod.0 == subject && !is_kept(start));
        record.open.iter_mut().filter(|start| is_kept(start)).for_each(|start| start.confirmed = true);
    }
    if let Some(container) = container.filter(|_| kept.is_none()) {
        any = true;
        free_lock(look, subject);
        look.memory.lockless.insert(container);
    }
    any
}

/// Whoever held the volume lock of this pod's data is vouched to be gone.
fn free_lock(look: &mut Look<'_>, pod: &str) {
    let here = |name: &&ReplicaName| look.pod(name).is_some_and(|p| p.uid.0 == pod);
    let holder = look.seen.replicas.keys().find(here).and_then(|name| look.holder(name).cloned());
    if let Some(record) = holder.and_then(|holder| look.memory.holders.get_mut(&holder)) {
        record.lock_busy = false;
    }
}

/// Where others run there is no list: whose seed came to nothing beside them is tried once more.
fn accept_seed(look: &mut Look<'_>, subject: &str) -> bool {
    let Some(holder) = holder_at(look, subject) else { return false };
    let is_beside = look.running().next().is_some();
    let Some(outage) = look.memory.outage.as_mut().filter(|_| !is_beside) else {
        let record = look.memory.holders.get_mut(&holder);
        return record.is_some_and(|record| record.tried.take().is_some());
    };
    (outage.candidates, outage.named) = (None, Some(holder));
    true
}

/// Its data may be overwritten: it counts as a member whose data is being replaced.
fn accept_errant(look: &mut Look<'_>, subject: &str) -> bool {
    let Some(holder) = holder_at(look, subject) else { return false };
    look.memory.holders.get_mut(&holder).map(|record| record.joining = true).is_some()
}

fn accept_size(look: &mut Look<'_>, subject: &str) -> bool {
    let fits = subject == look.target().replicas.to_string() && look.memory.restore_replicas.is_some();
    if fits {
        look.memory.restore_replicas = None;
    }
    fits
}

fn holder_at(look: &Look<'_>, subject: &str) -> Option<HolderId> {
    look.holder(&ReplicaName::from(subject)).cloned()
}

#[cfg(test)]
mod tests {
    use crate::fixture::{container, holder, memory, name, record, start, stopped_set};
    use crate::key::{Key, KeyKind};
    use crate::look::Look;
    use crate::observation::Role;
    use crate::plan::News;
    use crate::record::HolderId;
    use crate::start::StartKind;
    use crate::timer::{Age, Timer};
    use crate::{Memory, Observation, Plan, decide};

    /// What a person leads to who vouches for the one that is overdue.
    fn vouched(seen: &mut Observation, known: &Memory) -> Plan {
        let plan = decide(seen, known);
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "Overdue").unwrap();
        seen.target.keys = hold.keys.clone();
        let plan = decide(seen, known);
        assert_eq!(crate::audit(seen, known, &plan), Ok(()));
        assert!(plan.holds.iter().all(|hold| hold.reason.name() != "Overdue"), "{:?}", plan.holds);
        plan
    }

    #[test]
    fn a_promotion_that_hangs_is_vouched_to_be_over_and_what_its_member_runs_by_stays_open() {
        let mut seen = stopped_set(2).answers(0, 0);
        (seen.target.has_secondary, seen.target.primaries) = (true, 1);
        (seen.pod_mut(0).active, seen.pod_mut(0).role) = (Some(true), Some(Role::Secondary));
        seen.ages.insert(Timer::Deadline("hangs".into()), Age::Ripe);
        let mut hangs = start(0, "hangs");
        (hangs.kind, hangs.confirmed, hangs.ended) = (StartKind::Promote, false, false);
        let mut follower = record(0).confirmed_in(1).open_start("follows");
        follower.open.push(hangs);
        let known = memory([follower, record(1).confirmed_in(1)]);
        let plan = vouched(&mut seen, &known);
        let open = plan.memory.holders.values().flat_map(|record| &record.open);
        assert_eq!(open.map(|start| start.attempt.0.as_str()).collect::<Vec<_>>(), ["follows"]);
        assert!(!plan.memory.lockless.contains(&container(0)), "nothing was said of its lock");
    }

    #[test]
    fn a_loss_of_what_is_gone_gives_up_nothing_that_came_in_its_place() {
        let mut seen = stopped_set(2);
        seen.replicas.get_mut(&name(0)).unwrap().claims[0].uid = "restored".into();
        let mut restored = record(0).at(9);
        restored.holder = HolderId::Claims(vec!["restored".into()]);
        let known = memory([record(0).confirmed_in(1).at(7), restored, record(1).confirmed_in(1).at(5)]);
        let plan = decide(&seen, &known);
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "LostData").unwrap();
        seen.target.keys = hold.keys.clone();
        let plan = decide(&seen, &known);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
        let given_up = plan.memory.holders.values().filter(|record| record.waived);
        let given_up: Vec<&HolderId> = given_up.map(|record| &record.holder).collect();
        assert_eq!(given_up, [&holder(0)]);
        let mut wrong = plan.clone();
        wrong.memory.holders.values_mut().filter(|record| record.replica == name(0)).for_each(|record| {
            record.waived = true;
        });
        let found = crate::audit(&seen, &known, &wrong).unwrap_err();
        assert!(found.iter().any(|breach| breach.rule == crate::audit::Rule::Forgotten), "{found:?}");
    }

    #[test]
    fn what_fell_behind_and_is_gone_uses_up_no_word_for_what_came_in_its_place() {
        let mut seen = stopped_set(2);
        seen.replicas.get_mut(&name(0)).unwrap().claims[0].uid = "restored".into();
        let mut restored = record(0).reads(crate::Reading::Unreadable("exit 1".to_owned()));
        restored.holder = HolderId::Claims(vec!["restored".into()]);
        let mut behind = record(0).confirmed_in(1).at(7);
        behind.left = true;
        let mut known = memory([behind, restored, record(1).confirmed_in(1).at(5)]);
        known.outage = Some(crate::memory::Outage::default());
        let plan = decide(&seen, &known);
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "LostData").unwrap();
        seen.target.keys = hold.keys.clone();
        let plan = decide(&seen, &known);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
        let given_up: Vec<String> =
            plan.memory.holders.values().filter(|r| r.waived).map(|r| r.holder.to_string()).collect();
        assert_eq!(given_up, ["claim restored"]);
    }

    #[test]
    fn a_key_that_was_taken_away_may_be_given_again() {
        let mut known = memory([record(0).confirmed_in(1)]);
        known.used_keys.insert("used".to_owned());
        assert!(decide(&stopped_set(1), &known).memory.used_keys.is_empty());
    }

    #[test]
    fn to_vouch_for_a_pod_opens_nothing_where_only_what_its_member_runs_by_is_open() {
        let seen = stopped_set(2).answers(0, 0);
        let elsewhere = record(1).confirmed_in(1).open_start("b");
        let mut look = Look::new(&seen, memory([record(0).confirmed_in(1).open_start("a"), elsewhere]));
        assert!(!super::assert_fenced(&mut look, "pod-0"));
        assert!(look.memory.holders.values().all(|record| record.open.len() == 1));
        assert!(super::assert_fenced(&mut look, "pod-1"), "that one does not run");
    }

    #[test]
    fn whoever_held_the_lock_of_a_pod_that_is_vouched_for_is_gone_and_no_other() {
        let seen = stopped_set(2);
        let busy = [0, 1].map(|ordinal| {
            let mut record = record(ordinal).confirmed_in(1);
            record.lock_busy = true;
            record
        });
        let mut look = Look::new(&seen, memory(busy));
        assert!(super::assert_fenced(&mut look, "pod-0"));
        let is_busy = |ordinal| look.memory.of(&name(ordinal)).any(|record| record.lock_busy);
        assert!(!is_busy(0) && is_busy(1));
    }

    #[test]
    fn beside_members_that_run_each_that_is_named_is_tried_once_more() {
        let seen = stopped_set(3).answers(2, 0);
        let failed = |ordinal| {
            let mut record = record(ordinal).confirmed_in(1);
            record.tried = serde_json::from_value(serde_json::json!({"from": null})).ok();
            record
        };
        let known = memory([failed(0), failed(1), record(2).confirmed_in(1).open_start("a")]);
        let keys = [0, 1].map(|ordinal| Key::bound(KeyKind::AcceptSeed, name(ordinal).0, &seen, &known));
        let (mut look, mut news) = (Look::new(&seen, known), Vec::new());
        super::use_keys(&mut look, keys.to_vec(), &keys, &mut news);
        assert_eq!(news, keys.map(|key| News::KeyUsed(key.text())));
    }

    #[test]
    fn whose_word_is_of_earlier_facts_takes_nothing_from_who_is_named_beside_it() {
        let (seen, known) = (stopped_set(2), memory([record(0).confirmed_in(1), record(1).confirmed_in(1)]));
        let known = Memory { outage: Some(crate::memory::Outage::default()), ..known };
        let keys = [0, 1].map(|ordinal| Key::bound(KeyKind::AcceptSeed, name(ordinal).0, &seen, &known));
        let (mut look, mut news) = (Look::new(&seen, known), Vec::new());
        super::use_keys(&mut look, keys.to_vec(), &keys[..1], &mut news);
        assert_eq!(news, [News::KeyUsed(keys[0].text()), News::KeyRefused(keys[1].text())]);
        assert_eq!(look.memory.outage.and_then(|outage| outage.named), Some(holder(0)));
    }

    #[test]
    fn a_size_is_accepted_once_and_only_the_one_that_is_wanted() {
        let seen = stopped_set(3);
        let accepts = |waits: bool, subject: &str| {
            let mut look = Look::new(&seen, memory([record(0)]));
            look.memory.restore_replicas = waits.then_some(5);
            (super::accept_size(&mut look, subject), look.memory.restore_replicas)
        };
        assert_eq!(accepts(true, "3"), (true, None));
        assert_eq!(accepts(true, "2"), (false, Some(5)));
        assert_eq!(accepts(false, "3"), (false, None));
    }

    #[test]
    fn a_member_that_runs_stays_written_down_whatever_a_person_vouches_for() {
        let mut seen = stopped_set(2).answers(0, 0);
        seen.ages.insert(Timer::Deadline("a".into()), Age::Ripe);
        let mut older = record(0).confirmed_in(1).open_start("a");
        older.open[0].confirmed = false;
        let mut known = memory([older, record(1).confirmed_in(2)]);
        known.epoch.number = 2;
        let plan = vouched(&mut seen, &known);
        assert_eq!(plan.memory.of(&name(0)).next().unwrap().open.len(), 1);
    }
}
