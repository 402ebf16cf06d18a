//! What every set's task shares.

use std::sync::Arc;

use kube::runtime::events::Recorder;
use planner::{Breach, Memory, Observation, Plan};
use tokio::sync::watch;

use crate::api::Installation;
use crate::clients::Clients;
use crate::controller::Stores;
use crate::exec::Exec;
use crate::lease::Leads;
use crate::policy::Policies;
use crate::telemetry::{Metrics, Readiness};

/// The check of a plan that knows none of the rules by which it was made.
pub type Audit = fn(&Observation, &Memory, &Plan) -> Result<(), Vec<Breach>>;

/// What every set's task shares.
#[derive(Clone)]
pub struct Context {
    /// Ways to the API server.
    pub clients: Clients,
    /// What the watches hold.
    pub stores: Stores,
    /// What runs commands in containers.
    pub exec: Arc<dyn Exec>,
    /// What finds a wrong plan before anything is done on it.
    pub audit: Audit,
    /// Whether this process leads. A hint: safety rests on versions, UIDs, guard and lock.
    pub leads: watch::Receiver<Leads>,
    /// Where policies come from, and those in use.
    pub policies: Policies,
    /// Writes events.
    pub recorder: Recorder,
    /// Counts.
    pub metrics: Metrics,
    /// What is known of the leader and of the caches.
    pub ready: Readiness,
    /// Which installation of the operator this is.
    pub installation: Installation,
}

impl Context {
    /// Whether this process may act. Asked again before each effect.
    #[must_use]
    pub fn leads(&self) -> bool {
        self.leads.borrow().now()
    }
}
