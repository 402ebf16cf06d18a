//! What a run found, as the one object that `--json` prints. Times are seconds after the cut.

use std::collections::BTreeSet;

use serde::{Serialize, Serializer};

use super::check::{Checked, Transfer};
use super::decider::Decider;
use super::recovery::{Recovery, Track};
use super::replay::Replayed;

/// A run.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    api_version: &'static str,
    kind: &'static str,
    /// Where it was.
    pub(super) cluster: String,
    /// Who decided before the first cut.
    pub(super) policy: Decider,
    pub(super) cuts: Vec<Cut>,
    /// Rows that were acknowledged in the whole run.
    pub(super) acknowledged: usize,
    /// Those of them that some member has not.
    pub(super) lost: usize,
    /// The same policy decides after the last.
    pub(super) policy_kept: bool,
    /// The last decision who seeds, taken again.
    pub(super) replay: Option<Replayed>,
    /// No row is lost, the set is ready, the same policy decides, and its last decision is the same when it is replayed.
    pub(super) ok: bool,
    /// Every row that was acknowledged.
    #[serde(skip)]
    pub(super) known: BTreeSet<u64>,
}

/// One cut and what came of it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Cut {
    number: u32,
    /// What lost its power with the databases.
    pub(super) with: Vec<&'static str>,
    pub(super) timeline: Timeline,
    pub(super) seed: Option<Seed>,
    pub(super) members: Vec<Member>,
    pub(super) lineage: Lineage,
    /// Rows that were acknowledged up to the check.
    pub(super) acknowledged: usize,
    /// Rows that were acknowledged and that a member has not.
    pub(super) lost: BTreeSet<u64>,
}

/// When what happened.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Timeline {
    /// Every database has got its SIGKILL; the first is second 0.
    pub(super) killed: Time,
    /// The last pod's deletion was accepted.
    pub(super) pods_deleted: Time,
    /// The operator noticed that no member runs.
    pub(super) outage_noticed: Option<Time>,
    /// A new container runs in place of each member.
    pub(super) all_observable: Option<Time>,
    /// Every position was read.
    pub(super) positions_read: Option<Time>,
    /// It was decided who begins.
    pub(super) seed_chosen: Option<Time>,
    /// The seed serves, as the operator sees it.
    pub(super) seed_serves: Option<Time>,
    /// The client service was led to it.
    pub(super) service_led: Option<Time>,
    /// A client's row was acknowledged that was begun after the cut.
    pub(super) first_write: Option<Time>,
    /// The operator says Ready.
    pub(super) ready: Option<Time>,
}

/// Who began, and why.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Seed {
    pub(super) pod: String,
    pub(super) why: String,
}

/// A member's way back.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Member {
    pub(super) pod: String,
    pub(super) observable: Option<Time>,
    pub(super) read: Option<Time>,
    pub(super) position: Option<String>,
    pub(super) joined: Option<Time>,
    pub(super) transfer: Transfer,
    pub(super) lost: Vec<u64>,
}

/// Which history the set was in and is in.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Lineage {
    before: String,
    after: Vec<String>,
    pub(super) kept: bool,
}

/// Seconds, written with three decimals.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) struct Time(pub(super) f64);

// === impl Time ===

impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64((self.0 * 1000.0).round() / 1000.0)
    }
}

// === impl Report ===

impl Report {
    pub(super) fn new(cluster: String, policy: Decider) -> Self {
        Self {
            api_version: "demo.rss/v1",
            kind: "PowerCuts",
            cluster,
            policy,
            cuts: Vec::new(),
            acknowledged: 0,
            lost: 0,
            policy_kept: true,
            replay: None,
            ok: true,
            known: BTreeSet::new(),
        }
    }

    pub(super) fn add(&mut self, cut: Cut) {
        self.cuts.push(cut);
        self.acknowledged = self.known.len();
        let lost: BTreeSet<_> = self.cuts.iter().flat_map(|cut| &cut.lost).collect();
        self.lost = lost.len();
        self.ok = self.lost == 0 && self.is_ready();
    }

    /// What is known only at the end: who decides now, and what came of the replay.
    pub(super) fn conclude(&mut self, decider: Option<Decider>, replay: Replayed) {
        self.policy_kept = decider.as_ref() == Some(&self.policy);
        self.ok &= self.policy_kept && replay.is_same();
        self.replay = Some(replay);
    }

    /// The set came back after the last cut.
    pub(super) fn is_ready(&self) -> bool {
        self.cuts.last().is_none_or(|cut| cut.timeline.ready.is_some())
    }
}

// === impl Cut ===

impl Cut {
    pub(super) fn of(
        number: u32,
        with: Vec<&'static str>,
        recovery: &Recovery,
        before: &str,
        checked: Vec<Checked>,
        acknowledged: usize,
    ) -> Self {
        let after: BTreeSet<_> = checked.iter().map(|member| member.lineage.clone()).collect();
        let lost = checked.iter().flat_map(|member| member.lost.iter().copied()).collect();
        let members =
            checked.into_iter().filter_map(|one| Some(Member::of(recovery.members.get(&one.pod)?, one)));
        Self {
            number,
            with,
            timeline: Timeline::of(recovery),
            seed: recovery.seed.clone().map(|(_, pod, why)| Seed { pod, why }),
            members: members.collect(),
            lineage: Lineage {
                before: before.to_owned(),
                kept: after.iter().all(|lineage| lineage == before),
                after: after.into_iter().collect(),
            },
            acknowledged,
            lost,
        }
    }
}

// === impl Timeline ===

impl Timeline {
    fn of(recovery: &Recovery) -> Self {
        // The moment of the last member, if there is one for each.
        let last = |when: fn(&Track) -> Option<f64>| {
            let all = recovery.members.values().map(when).collect::<Option<Vec<_>>>()?;
            all.into_iter().max_by(f64::total_cmp).map(Time)
        };
        let first = |when: fn(&Track) -> Option<f64>| {
            recovery.members.values().filter_map(when).min_by(f64::total_cmp).map(Time)
        };
        Self {
            killed: Time(recovery.cut.spread.as_secs_f64()),
            pods_deleted: Time(recovery.cut.deleted.as_secs_f64()),
            outage_noticed: recovery.noticed.map(Time),
            all_observable: last(|member| member.observable),
            positions_read: last(|member| member.read.as_ref().map(|(at, _)| *at)),
            seed_chosen: recovery.seed.as_ref().map(|(at, ..)| Time(*at)),
            seed_serves: first(|member| member.joined),
            service_led: first(|member| member.marked),
            first_write: recovery.first_write.map(Time),
            ready: recovery.ready.map(Time),
        }
    }
}

// === impl Member ===

impl Member {
    fn of(track: &Track, checked: Checked) -> Self {
        Self {
            pod: checked.pod,
            observable: track.observable.map(Time),
            read: track.read.as_ref().map(|(at, _)| Time(*at)),
            position: track.read.as_ref().map(|(_, position)| position.clone()),
            joined: track.joined.map(Time),
            transfer: checked.transfer,
            lost: checked.lost,
        }
    }
}
