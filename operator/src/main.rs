//! The operator.

use anyhow::{Context as _, Result, bail};
use clap::Parser;
use kube::Config;
use kube::runtime::events::{Recorder, Reporter};
use operator::api::Installation;
use operator::arguments::{Arguments, Command, Resource};
use operator::clients::Clients;
use operator::cluster::Clusters;
use operator::context::Context;
use operator::controller::Controller;
use operator::exec::PodExec;
use operator::lease::{Election, LeaseRef, identity};
use operator::policy::keep::Keep;
use operator::policy::{Host, Isolated, Policies, limits};
use operator::telemetry::{LogFormat, Metrics, Readiness, begin_logging, serve};
use operator::{crdgen, install, shutdown};
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

/// How long sets may take to finish the effect that they are in the middle of.
const FINISH: Duration = Duration::from_secs(10);

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    if let Some(Command::LoadPolicy(child)) = arguments.command {
        return child.run();
    }
    if let Some(Command::Crd { resource }) = arguments.command {
        let definition = match resource {
            Resource::ReplicatedStatefulSet => crdgen::crd(),
            Resource::StatefulCluster => crdgen::stateful_cluster(),
        };
        return std::io::stdout().write_all(crdgen::yaml(&definition).as_bytes()).context("failed to print");
    }
    if rustls::crypto::ring::default_provider().install_default().is_err() {
        bail!("another cryptography provider is installed already");
    }
    begin_logging(arguments.log_format.unwrap_or_else(LogFormat::fitting), &arguments.log_level)
        .with_context(|| wrong_filter(&arguments.log_level))?;
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.thread_stack_size(limits::THREAD_STACK);
    let runtime = runtime.worker_threads(usize::from(arguments.workers)).enable_all().build()?;
    runtime.block_on(operate(arguments))
}

fn wrong_filter(filter: &str) -> String {
    format!(
        "failed to read `--log-level` or `RUST_LOG` ({filter}): write a level, or a filter such as \
         `info,operator::exec=trace`"
    )
}

async fn operate(arguments: Arguments) -> Result<()> {
    let mut shutdown = shutdown::on_signal().context("failed to listen to signals")?;
    let (registries, keys) = (arguments.registries.registries()?, arguments.registries.keys()?);
    let host = Host::new().context("failed to make ready for policies")?;
    let config = Config::infer().await.context("failed to find the cluster")?;
    tracing::info!(server = %config.cluster_url, "asks this API server");
    let home = arguments.own_namespace.clone().unwrap_or_else(|| config.default_namespace.clone());
    let (metrics, ready) = (Metrics::default(), Readiness::default());
    let clients = Clients::new(config, &metrics).context("failed to use the cluster's credentials")?;
    let listener = tokio::net::TcpListener::bind(arguments.listen).await;
    let listener = listener.with_context(|| format!("failed to listen on {}", arguments.listen))?;
    tokio::spawn(serve(listener, metrics.clone(), ready.clone(), shutdown.clone()));
    if arguments.create_crd {
        tokio::select! {
            done = install::definitions(&clients.writes) => done?,
            () = shutdown::begins(&mut shutdown) => return Ok(()),
        }
    }
    let lease = LeaseRef::of(&home, &arguments.namespaces, arguments.lease_name.as_deref());
    let installation = Installation { name: lease.to_string(), lease: lease.to_string(), renewed: None };
    let reporter = Reporter { controller: "rss-operator".into(), instance: Some(arguments.own_name.clone()) };
    let (writes, identity) = (clients.writes.clone(), identity(&arguments.own_name));
    let election = Election::begin(writes, lease, identity, metrics.clone(), ready.clone());
    let policies = Policies::new(host, registries, Keep::new(&clients, &home), clients.reads.clone());
    let policies = policies.demanding(keys).isolated(Isolated::own());
    let controller = Controller::new(&clients.reads, &arguments.namespaces);
    let clusters = Clusters::new(&clients.reads, &arguments.namespaces);
    let context = Context {
        stores: controller.stores.clone(),
        exec: Arc::new(PodExec::new(clients.writes.clone(), metrics.clone())),
        audit: planner::audit,
        leads: election.leads(),
        recorder: Recorder::new(clients.writes.clone(), reporter),
        policies,
        clients,
        metrics,
        ready,
        installation,
    };
    let mut sets = std::pin::pin!(controller.run(context.clone()));
    let mut clusters = std::pin::pin!(clusters.run(context));
    tokio::select! {
        () = &mut sets => bail!("the watches ended"),
        () = &mut clusters => bail!("the watches of StatefulClusters ended"),
        () = shutdown::begins(&mut shutdown) => {}
    }
    let led = election.leads().borrow().now();
    let resigned = election.resign().await;
    let are_cut_short = tokio::time::timeout(FINISH, async { tokio::join!(sets, clusters) }).await.is_err();
    if led && are_cut_short {
        tracing::warn!("some sets were cut short");
    }
    resigned.release().await;
    Ok(())
}
