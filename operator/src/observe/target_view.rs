//! What the planner needs of the target, in its own words.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use planner::key::Key;
use planner::target as view;

use crate::api;
use crate::target::{Commands, Storage, Target};

/// Where people write what they allow: `KIND/SUBJECT/FACTS`, several with commas between.
pub const ALLOW: &str = "clusterlabs.org/allow";

/// The planner's view of a target. `annotations` are the resource's own: what a person allows is no
/// part of the specification, and is gone when the annotation is.
#[must_use]
pub fn target_view(target: &Target, annotations: Option<&BTreeMap<String, String>>) -> view::Target {
    view::Target {
        generation: target.generation,
        replicas: target.replicas,
        primaries: target.primaries,
        paused: target.paused,
        has_secondary: target.commands.secondary.is_some(),
        storage: storage(&target.storage),
        identities: match target.workload {
            api::Workload::StatefulSet => view::Identities::Numbered,
            api::Workload::StatefulCluster => view::Identities::GivenOnce,
        },
        mode: match target.recovery.mode {
            api::RecoveryMode::Auto => view::Mode::Auto,
            api::RecoveryMode::Ask => view::Mode::Ask,
            api::RecoveryMode::PlanOnly => view::Mode::PlanOnly,
        },
        failover: match target.recovery.failover {
            api::Failover::Never => view::Failover::Never,
            api::Failover::NoKnownLoss => view::Failover::NoKnownLoss,
            api::Failover::AllowLoss => view::Failover::AllowLoss,
        },
        forced_deletion: match target.recovery.forced_deletion {
            api::ForcedDeletion::WaitGracePeriod => view::ForcedDeletion::WaitGracePeriod,
            api::ForcedDeletion::Hold => view::ForcedDeletion::Hold,
        },
        detached_volume: match target.recovery.detached_volume {
            api::DetachedVolume::Hold => view::DetachedVolume::Hold,
            api::DetachedVolume::Closed => view::DetachedVolume::Closed,
        },
        replace_after: Some(target.recovery.replace_after.as_secs()),
        rehearsal_interval: target.recovery.rehearsal_interval.map(|interval| interval.as_secs()),
        parallel_joins: target.recovery.parallel_joins,
        rollout: match target.rollout {
            api::UpdateKind::RollingUpdate => view::Rollout::RollingUpdate,
            api::UpdateKind::OnDelete => view::Rollout::OnDelete,
        },
        timeouts: timeouts(&target.commands),
        grace_seconds: target.template.grace.as_secs(),
        keys: keys(annotations.and_then(|all| all.get(ALLOW)).map_or("", String::as_str)),
    }
}

fn storage(storage: &Storage) -> view::Storage {
    match storage {
        Storage::Claims { lock_mount } => view::Storage::Claims { lock: lock_mount.is_some() },
        Storage::Pod => view::Storage::Pod,
        Storage::Container => view::Storage::Container,
    }
}

fn timeouts(commands: &Commands) -> view::Timeouts {
    let secondary = commands.secondary.as_ref().unwrap_or(&commands.primary);
    view::Timeouts {
        sequence: seconds(commands.sequence.timeout),
        seed: seconds(commands.seed.timeout),
        primary: seconds(commands.primary.timeout),
        secondary: seconds(secondary.timeout),
        status: seconds(commands.status.timeout),
        stop: seconds(commands.stop.timeout),
    }
}

/// Rounded up: the planner counts whole seconds, and must not find a command late that still has time.
fn seconds(timeout: Duration) -> u64 {
    timeout.as_secs() + u64::from(timeout.subsec_nanos() > 0)
}

/// Texts that were meant as keys and are none: they open nothing, and whoever wrote them waits.
#[must_use]
pub fn no_keys(annotations: Option<&BTreeMap<String, String>>) -> Vec<String> {
    let text = annotations.and_then(|all| all.get(ALLOW)).map_or("", String::as_str);
    let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
    parts.filter(|part| Key::parse(part).is_none()).map(str::to_owned).collect()
}

/// What is left in the annotation without these keys; `None` if none of them stands in it. Nothing left means that
/// the annotation goes.
#[must_use]
pub fn without_keys(
    annotations: Option<&BTreeMap<String, String>>,
    used: &BTreeSet<String>,
) -> Option<Option<String>> {
    let text = annotations?.get(ALLOW)?;
    let parts: Vec<&str> = text.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    let is_used = |part: &&str| Key::parse(part).is_some_and(|key| used.contains(&key.text()));
    let left: Vec<&str> = parts.iter().copied().filter(|part| !is_used(part)).collect();
    (left.len() < parts.len()).then(|| (!left.is_empty()).then(|| left.join(",")))
}

fn keys(text: &str) -> Vec<Key> {
    text.split(',').filter_map(Key::parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use planner::key::KeyKind;

    #[test]
    fn several_keys_stand_in_one_annotation_and_nonsense_among_them_opens_nothing() {
        let read = keys("AcceptLoss/rss-x-0/00ff, please, AcceptSize/2/00ff");
        let kinds: Vec<_> = read.iter().map(|key| (key.kind, key.subject.as_str())).collect();
        assert_eq!(kinds, [(KeyKind::AcceptLoss, "rss-x-0"), (KeyKind::AcceptSize, "2")]);
        assert!(keys("").is_empty());
        let written = |text: &str| no_keys(Some(&[(ALLOW.to_owned(), text.to_owned())].into()));
        assert_eq!(written("AcceptLoss/rss-x-0/00ff, please, "), ["please"]);
        assert!(written("").is_empty() && no_keys(None).is_empty());
    }

    #[test]
    fn only_keys_that_were_used_are_taken_away() {
        let used = BTreeSet::from(["AcceptLoss/rss-x-0/00ff".to_owned()]);
        let left = |text: &str| without_keys(Some(&[(ALLOW.to_owned(), text.to_owned())].into()), &used);
        assert_eq!(left("AcceptLoss/rss-x-0/00ff"), Some(None));
        assert_eq!(
            left(" please, AcceptLoss/rss-x-0/00ff ,AcceptLoss/rss-x-0/11ff"),
            Some(Some("please,AcceptLoss/rss-x-0/11ff".to_owned()))
        );
        assert_eq!(left("AcceptLoss/rss-x-0/11ff, please"), None);
        assert_eq!(without_keys(None, &used), None);
    }

    #[test]
    fn a_part_of_a_second_counts_as_a_whole_one() {
        assert_eq!(seconds(Duration::from_millis(1_500)), 2);
        assert_eq!(seconds(Duration::from_secs(2)), 2);
    }
}
