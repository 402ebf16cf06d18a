//! What the tasks of StatefulClusters share, and what each knows beside what is written.

use std::sync::Arc;

use k8s_openapi::jiff::Timestamp;
use stateful_cluster::timer::Timer;
use stateful_cluster::{Breach, Memory, Observation, Plan};

use super::answers::Answers;
use super::departures::Departures;
use super::stores::Stores;
use crate::ages::Ages;
use crate::api::StatefulCluster;
use crate::context::Context;
use crate::controller::SetKey;
use crate::observe::Foreign;
use crate::reconcile::Failing;

/// The check of a plan that knows none of the rules by which it was made.
pub(super) type Audit = fn(&Observation, &Memory, &Plan) -> Result<(), Vec<Breach>>;

/// What the tasks of all StatefulClusters share.
#[derive(Clone)]
pub(super) struct Shared {
    pub(super) context: Context,
    pub(super) stores: Stores,
    pub(super) audit: Audit,
}

/// What the task of one StatefulCluster knows beside what is written.
pub(super) struct Session {
    pub(super) key: SetKey,
    /// Of the resource that the task began with: another one of the same name later is another one.
    pub(super) uid: Option<String>,
    pub(super) answers: Answers,
    pub(super) ages: Ages<Timer>,
    /// Another installation's lease.
    pub(super) foreign: Foreign,
    /// What our last write returned: a cache that is older would show a promise that we made as not made.
    pub(super) written: Option<Arc<StatefulCluster>>,
    /// The caches were once as new as the API server.
    pub(super) is_new: bool,
    /// Who left, for people.
    pub(super) departures: Departures,
    /// When another may be replaced, as it was told last.
    pub(super) next: Option<Timestamp>,
    /// What the audit found last.
    pub(super) breach: Option<String>,
    /// Failures in a row.
    pub(super) failing: Failing,
    /// The last failure that an event told of.
    pub(super) told: Option<String>,
}

// === impl Session ===

impl Session {
    pub(super) fn new(key: SetKey) -> Self {
        Self {
            key,
            uid: None,
            answers: Answers::default(),
            ages: Ages::default(),
            foreign: Foreign::default(),
            written: None,
            is_new: false,
            departures: Departures::default(),
            next: None,
            breach: None,
            failing: Failing::default(),
            told: None,
        }
    }

    /// Somebody else looks after it: what was seen of it here is of before.
    pub(super) fn forget(&mut self) {
        (self.ages, self.is_new) = (Ages::default(), false);
        self.departures = Departures::default();
    }
}
