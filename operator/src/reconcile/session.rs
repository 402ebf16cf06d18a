//! What a set's task remembers between looks. Nothing of it is needed for safety: a new leader begins
//! without it.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use planner::names::{AttemptId, ReplicaName};
use planner::observation::{AttemptState, Fate, Observation};
use tokio::time::Instant;

use super::Failing;
use super::succession::Successions;
use crate::ages::Ages;
use crate::api::Reason;
use crate::attempts::Attempts;
use crate::children;
use crate::controller::SetKey;
use crate::events::{self, Happened, OrderTold, RefusalsTold};
use crate::observe::{Absences, Applied, Attachments, Boots, Foreign, Gone, Written};
use crate::policy::{Loading, Shadow};
use crate::rollout::Templates;

/// How long a command that was seen to have begun is left alone before it is asked about again.
const BEGAN: Duration = Duration::from_secs(2);

/// What a set's task remembers.
pub struct Session {
    /// Which set.
    pub key: SetKey,
    /// `metadata.uid` of the resource that the task began with.
    pub uid: Option<String>,
    /// Its commands.
    pub attempts: Attempts,
    /// Its policy.
    pub policy: Loading,
    /// Its candidate, which nobody follows.
    pub candidate: Shadow,
    /// How long the policy was asked in the last look.
    pub asked: Duration,
    /// Answers of the policy that were refused, as told.
    pub refused: RefusalsTold,
    /// The order of primaries, as told.
    pub order: OrderTold,
    /// How long conditions have held.
    pub ages: Ages<planner::timer::Timer>,
    /// When others take the places of those that are away, as told.
    pub successions: Successions,
    /// What the last writes returned.
    pub written: Written,
    /// Templates of pods that are not of the wanted one.
    pub templates: Templates,
    /// What the API server answered to the last apply of each child.
    pub settled: children::Settled,
    /// Whether the StatefulSet is what was asked for, once it was compared.
    pub applied: Option<Applied>,
    /// Another installation's lease.
    pub foreign: Foreign,
    /// Pods that are surely gone.
    pub gone: Gone,
    /// What was told of the boots of nodes.
    pub boots: Boots,
    /// When volumes were asked about.
    pub attachments: Attachments,
    /// Why members are away.
    pub absences: Absences,
    /// Running primaries of the last look.
    pub peers: Vec<ReplicaName>,
    /// The gist of the last plan, and since when it is the same.
    pub said: Option<(String, Instant)>,
    /// How many times in a row what was promised was not written, because the caches are behind.
    pub conflicts: u32,
    /// How many times in a row a child could not be written.
    pub child_failures: u32,
    /// How many times in a row a readiness gate could not be written.
    pub gate_failures: u32,
    /// What people should know of the children.
    pub trouble: Option<crate::report::Trouble>,
    /// Failures in a row.
    pub(crate) failing: Failing,
    /// The last failure that an event told of.
    pub told: Option<(Reason, String)>,
    /// What the audit found last.
    pub breach: Option<String>,
    /// Texts that are no keys, as told last.
    pub no_keys: Vec<String>,
    /// The generation whose notices were told.
    pub noticed: Option<i64>,
    began: BTreeMap<AttemptId, Instant>,
    nonces: u64,
    random: u64,
}

impl Session {
    /// Of a set that was not looked at yet.
    #[must_use]
    pub fn new(key: SetKey, attempts: Attempts, policy: Loading, candidate: Shadow) -> Self {
        Self {
            key,
            uid: None,
            attempts,
            policy,
            candidate,
            asked: Duration::ZERO,
            refused: RefusalsTold::default(),
            order: OrderTold::default(),
            ages: Ages::default(),
            successions: Successions::default(),
            written: Written::default(),
            templates: Templates::default(),
            settled: children::Settled::default(),
            applied: None,
            foreign: Foreign::default(),
            gone: Gone::default(),
            boots: Boots::default(),
            attachments: Attachments::default(),
            absences: Absences::default(),
            peers: Vec::new(),
            said: None,
            conflicts: 0,
            child_failures: 0,
            gate_failures: 0,
            trouble: None,
            failing: Failing::default(),
            told: None,
            breach: None,
            no_keys: Vec::new(),
            noticed: None,
            began: BTreeMap::new(),
            nonces: 0,
            random: RandomState::new().build_hasher().finish(),
        }
    }

    /// A word that no other look has, of this leader or another: attempts are named by it.
    pub fn nonce(&mut self) -> String {
        self.nonces += 1;
        format!("{:012x}{:x}", self.random & 0xffff_ffff_ffff, self.nonces)
    }

    /// Forgets commands that ended and stand in Memory now. Seen again they would be taken for news.
    /// Of one that was only seen to have begun the question is put again after a while.
    pub fn forget(&mut self, observation: &Observation, now: Instant) {
        let ended = observation.attempts.iter().filter(|(_, attempt)| attempt.state != AttemptState::Running);
        let mut ids: BTreeSet<AttemptId> = ended.map(|(id, _)| id.clone()).collect();
        self.began.retain(|id, _| observation.fates.get(id) == Some(&Fate::Began));
        for (id, fate) in &observation.fates {
            let since = *self.began.entry(id.clone()).or_insert(now);
            if *fate == Fate::Began && now.duration_since(since) < BEGAN {
                ids.remove(id);
            } else {
                ids.insert(id.clone());
            }
        }
        self.began.retain(|id, _| !ids.contains(id));
        self.attempts.forget(&ids);
    }

    /// Remembers what is planned. Whether it is something else than before.
    pub fn say(&mut self, gist: String, now: Instant) -> bool {
        let is_new = self.said.as_ref().is_none_or(|(said, _)| *said != gist);
        if is_new {
            self.said = Some((gist, now));
        }
        is_new
    }

    /// An event for a failure that the last event did not tell of.
    pub fn news_of(&mut self, reason: Reason, note: &str) -> Option<Happened> {
        let now = Some((reason, note.to_owned()));
        if self.told == now {
            return None;
        }
        self.told = now;
        Some(events::trouble(reason, note.to_owned()))
    }
}
