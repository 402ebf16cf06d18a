//! The operator as `main` puts it together: its clients, election, watches and sets.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use kube::runtime::events::{Recorder, Reporter};
use operator::api::Installation;
use operator::clients::Clients;
use operator::cluster::Clusters;
use operator::context::Context;
use operator::controller::Controller;
use operator::lease::{Election, Leads, LeaseRef, identity};
use operator::policy::fetch::Registries;
use operator::policy::keep::Keep;
use operator::policy::{Host, Policies};
use operator::telemetry::{Metrics, Readiness};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tower::service_fn;

use crate::api_server::ApiServer;
use crate::exec::Containers;
use crate::fault::Fault;
use crate::life::Life;
use crate::strikes::Strikes;
use crate::watches::Watches;

/// Longer than any story.
const FOR_EVER: Duration = Duration::from_secs(365 * 24 * 3600);

/// A process of the operator, from its start to its death.
pub struct Process {
    /// What it did.
    pub life: Arc<Life>,
    task: JoinHandle<()>,
}

impl Process {
    /// Starts one.
    #[must_use]
    pub(crate) fn start(server: &ApiServer, number: usize, watches: &Watches, strikes: &Strikes) -> Self {
        let life = Arc::new(Life::new(watches, strikes));
        let task = tokio::spawn(operate(server.clone(), Arc::clone(&life), number));
        Self { life, task }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.life.die();
        self.task.abort();
    }
}

async fn operate(server: ApiServer, life: Arc<Life>, number: usize) {
    let (metrics, ready) = (Metrics::default(), Readiness::default());
    let (api, alive) = (server.clone(), Arc::clone(&life));
    let service = service_fn(move |request| api.clone().serve(Arc::clone(&alive), request));
    let clients = Clients::over(service, &metrics);
    let lease = LeaseRef::of("ops", &[], None);
    let installation = Installation { name: lease.to_string(), lease: lease.to_string(), renewed: None };
    let identity = identity(&format!("operator-{number}"));
    let (_says, always) = watch::channel(Leads::until(Instant::now() + FOR_EVER));
    let election = Election::begin(clients.writes.clone(), lease, identity, metrics.clone(), ready.clone());
    let leads = if server.planted() == Some(Fault::AlwaysLeads) { always } else { election.leads() };
    let controller = Controller::new(&clients.reads, &[]);
    let clusters = Clusters::new(&clients.reads, &[]);
    let reporter = Reporter { controller: "rss-operator".into(), instance: None };
    let context = Context {
        stores: controller.stores.clone(),
        exec: Arc::new(Containers { server, life }),
        audit: planner::audit,
        leads,
        recorder: Recorder::new(clients.writes.clone(), reporter),
        policies: Policies::new(
            host(),
            Registries::default(),
            Keep::new(&clients, "ops"),
            clients.reads.clone(),
        ),
        clients,
        metrics,
        ready,
        installation,
    };
    tokio::select! {
        () = Box::pin(controller.run(context.clone())) => {}
        () = Box::pin(clusters.run(context)) => {}
    }
    drop(election);
}

/// One engine for all of them, as there is one in a process.
fn host() -> Host {
    static HOST: OnceLock<Host> = OnceLock::new();
    HOST.get_or_init(|| Host::new().expect("an engine")).clone()
}
