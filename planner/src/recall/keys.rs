//! What a person allowed: used once, and only where a hold of this look offers exactly that.

use crate::key::{Key, KeyKind};
use crate::look::{Look, holder_of};
use crate::names::ReplicaName;
use crate::plan::News;
use crate::record::HolderId;
use crate::seeding::{Owed, owed};

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
    for key in given {
        let text = key.text();
        if look.memory.used_keys.insert(text.clone()) {
            let used = offered.contains(&key) && turn(look, &key);
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

fn accept_loss(look: &mut Look<'_>, subject: &str) -> bool {
    let holders = look.memory.holders.values().filter(|record| record.replica.0 == subject);
    let owing: Vec<HolderId> = holders
        .filter(|record| record.joining || owed(look, record) != Owed::Nothing)
        .map(|record| record.holder.clone())
        .collect();
    for holder in &owing {
        if let Some(record) = look.memory.holders.get_mut(holder) {
            record.waived = true;
        }
    }
    !owing.is_empty()
}

fn assert_fenced(look: &mut Look<'_>, subject: &str) -> bool {
    let mut any = false;
    for record in look.memory.holders.values_mut() {
        any |= record.open.iter().any(|start| start.pod.0 == subject);
        record.close(|start| start.pod.0 == subject);
    }
    let pods = look.seen.replicas.values().filter_map(|replica| replica.pod.as_ref());
    let lock: Vec<_> =
        pods.filter(|pod| pod.uid.0 == subject).filter_map(|pod| pod.container_id().cloned()).collect();
    any |= !lock.is_empty();
    free_lock(look, subject);
    look.memory.lockless.extend(lock);
    any
}

/// Whoever held the volume lock of this pod's data is vouched to be gone.
fn free_lock(look: &mut Look<'_>, pod: &str) {
    let here =
        look.seen.replicas.values().find(|replica| replica.pod.as_ref().is_some_and(|p| p.uid.0 == pod));
    let holder = here.and_then(|replica| holder_of(replica, look.target()));
    if let Some(record) = holder.and_then(|holder| look.memory.holders.get_mut(&holder)) {
        record.lock_busy = false;
    }
}

fn accept_seed(look: &mut Look<'_>, subject: &str) -> bool {
    let Some(holder) = holder_at(look, subject) else { return false };
    let Some(outage) = look.memory.outage.as_mut() else { return false };
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
    holder_of(look.seen.replicas.get(&ReplicaName::from(subject))?, look.target())
}
