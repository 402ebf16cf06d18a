//! What is wanted, parsed: nothing behind this module meets an optional field or a text that could be wrong.

mod commands;
mod copied;
mod invalid;
mod notice;
mod policy;
mod template;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::core::v1::ServicePort;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::Resource;

pub use commands::{Command, Commands, DEFAULT_TIMEOUT};
pub use invalid::{Invalid, Problem};
pub use notice::Notice;
pub use policy::Policy;
pub use template::{Storage, Template};

use crate::api::{
    ClaimRetention, DetachedVolume, Failover, ForcedDeletion, LONGEST_NAME, ReplicatedStatefulSet, Retention,
    SessionAffinity, SetSpec, Span, UpdateKind,
};
use invalid::Problems;

/// How often `status` is asked when nothing else happens, where the resource does not say. A database that dies in
/// a living container raises no event, so this is how long it may go unseen. A minute of that is long for clients;
/// one exec for each member every ten seconds costs an API server little, a tenth of a second of one connection.
pub const DEFAULT_INTERVAL: Duration = Duration::from_secs(10);

/// Oftener would be a load on the API server and tell nothing more.
const SHORTEST_INTERVAL: Duration = Duration::from_secs(1);

/// How many members may join at once, at most.
const MOST_JOINS: i32 = 100;

/// What is wanted of one set.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// `metadata.name`: a DNS label of at most 48 characters.
    pub name: String,
    /// `metadata.namespace`.
    pub namespace: String,
    /// `metadata.uid`.
    pub uid: String,
    /// `metadata.generation`.
    pub generation: i64,
    /// Labels for StatefulSet, pods and services, beside the operator's own.
    pub labels: BTreeMap<String, String>,
    /// Annotations for StatefulSet and pods.
    pub annotations: BTreeMap<String, String>,
    /// Hands off.
    pub paused: bool,
    /// Members wanted; 0 = stopped.
    pub replicas: u32,
    /// How many run as primary; not above `replicas`, and all of them without a `secondary` command.
    pub primaries: u32,
    /// How often `status` is asked when nothing else happens; at least a second.
    pub interval: Duration,
    /// What can be asked of the application.
    pub commands: Commands,
    /// The name of the container in which commands run: the first one.
    pub container: String,
    /// Where the data of a replica lives.
    pub storage: Storage,
    /// The pod.
    pub template: Template,
    /// Ports of both services.
    pub ports: Vec<ServicePort>,
    /// The client service, if there is to be one.
    pub client_service: Option<ClientService>,
    /// Who takes the decisions.
    pub policy: Policy,
    /// How far recovery may go without a person.
    pub recovery: Recovery,
    /// Who replaces pods of an older template.
    pub rollout: UpdateKind,
    /// What becomes of claims that are no longer wanted.
    pub retention: KeptClaims,
    /// How many pods a drain may take at once; `None`: there is no budget.
    pub disruption_budget: Option<IntOrString>,
    /// What was accepted and has no effect.
    pub notices: Vec<Notice>,
}

/// The service that clients use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientService {
    /// Its name.
    pub name: String,
    /// Whether a client stays with one member.
    pub session_affinity: SessionAffinity,
}

/// How far recovery may go without a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recovery {
    /// When a secondary is promoted in the place of a lost primary.
    pub failover: Failover,
    /// What a pod proves that vanished unreported.
    pub forced_deletion: ForcedDeletion,
    /// What a detached volume proves.
    pub detached_volume: DetachedVolume,
    /// How many members may join at once; at least 1.
    pub parallel_joins: u32,
}

/// What becomes of claims that are no longer wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptClaims {
    /// When the resource is deleted.
    pub when_deleted: Retention,
    /// When the set is made smaller.
    pub when_scaled: Retention,
}

impl Target {
    /// Reads a resource, or says everything that is wrong with it.
    pub fn parse(set: &ReplicatedStatefulSet) -> Result<Self, Invalid> {
        let (mut problems, mut notices) = (Problems::default(), Vec::new());
        let spec = &set.spec;
        let name = name(set, &mut problems);
        let labels = copied::labels(set.meta().labels.as_ref(), &mut problems);
        let interval = interval(spec, &mut problems);
        let commands = Commands::parse(&spec.pod.commands, &mut problems);
        let template = Template::parse(spec, &mut problems);
        let policy = Policy::parse(spec.policy.as_ref(), &mut problems, &mut notices);
        let recovery = recovery(spec, &mut problems);
        notices.extend(without_effect(spec));
        let invalid = Invalid { problems: problems.0 };
        let (Some(commands), true) = (commands, invalid.problems.is_empty()) else { return Err(invalid) };
        let replicas = spec.replicas.max(0).unsigned_abs();
        let retention = spec.persistent_volume_claim_retention_policy.as_ref();
        Ok(Self {
            namespace: set.meta().namespace.clone().unwrap_or_default(),
            uid: set.meta().uid.clone().unwrap_or_default(),
            generation: set.meta().generation.unwrap_or_default(),
            labels,
            annotations: copied::annotations(set.meta().annotations.as_ref()),
            paused: spec.paused.unwrap_or(false),
            replicas,
            primaries: primaries(spec, replicas),
            interval,
            container: template.containers.first().map(|first| first.name.clone()).unwrap_or_default(),
            storage: template.storage(),
            template,
            commands,
            ports: ports(spec),
            client_service: client_service(spec, &name),
            policy,
            recovery,
            rollout: spec.update_strategy.as_ref().and_then(|given| given.kind).unwrap_or_default(),
            retention: kept_claims(retention),
            disruption_budget: disruption_budget(spec),
            notices,
            name,
        })
    }
}

/// Checked here too: an object may have been stored under a definition that did not ask for it.
fn name(set: &ReplicatedStatefulSet, problems: &mut Problems) -> String {
    let name = set.meta().name.clone().unwrap_or_default();
    let allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let label = name.chars().all(allowed)
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && !name.ends_with('-');
    if !label || name.len() > LONGEST_NAME {
        problems.add(
            "metadata.name",
            "it is also the name of a Service and part of labels",
            format!("at most {LONGEST_NAME} of a-z, 0-9 and '-', a letter first, no '-' last"),
        );
    }
    name
}

fn span(given: Option<&Span>, default: Duration, path: &str, problems: &mut Problems) -> Duration {
    given.map_or(Ok(default), Span::duration).unwrap_or_else(|error| {
        problems.add(path, error.to_string(), error.cure());
        default
    })
}

fn interval(spec: &SetSpec, problems: &mut Problems) -> Duration {
    let interval =
        span(spec.reconcile_interval.as_ref(), DEFAULT_INTERVAL, "spec.reconcileInterval", problems);
    if interval < SHORTEST_INTERVAL {
        problems.add("spec.reconcileInterval", "it is less than a second", "write a second or more");
    }
    interval
}

fn recovery(spec: &SetSpec, problems: &mut Problems) -> Recovery {
    let given = spec.recovery.clone().unwrap_or_default();
    let joins = given.parallel_joins.unwrap_or(1);
    if !(1..=MOST_JOINS).contains(&joins) {
        problems.add(
            "spec.recovery.parallelJoins",
            format!("{joins} is no number of joins"),
            "write 1 to 100",
        );
    }
    Recovery {
        failover: given.failover.unwrap_or_default(),
        forced_deletion: given.forced_deletion.unwrap_or_default(),
        detached_volume: given.detached_volume.unwrap_or_default(),
        parallel_joins: joins.unsigned_abs(),
    }
}

fn primaries(spec: &SetSpec, replicas: u32) -> u32 {
    match spec.primaries {
        Some(wanted) if spec.pod.commands.secondary.is_some() => wanted.max(0).unsigned_abs().min(replicas),
        _ => replicas,
    }
}

/// A ClusterIP service takes no port of the nodes.
fn ports(spec: &SetSpec) -> Vec<ServicePort> {
    spec.service_ports.iter().map(|port| ServicePort { node_port: None, ..port.clone() }).collect()
}

/// The internal service has the name NAME-svc, so the client service cannot.
fn client_service(spec: &SetSpec, set: &str) -> Option<ClientService> {
    if spec.service_ports.is_empty() {
        return None;
    }
    let given = spec.service.clone().unwrap_or_default();
    let name = given.name.filter(|name| *name != format!("{set}-svc")).unwrap_or_else(|| set.to_owned());
    Some(ClientService { name, session_affinity: given.session_affinity.unwrap_or_default() })
}

fn kept_claims(given: Option<&ClaimRetention>) -> KeptClaims {
    KeptClaims {
        when_deleted: given.and_then(|given| given.when_deleted).unwrap_or_default(),
        when_scaled: given.and_then(|given| given.when_scaled).unwrap_or_default(),
    }
}

fn disruption_budget(spec: &SetSpec) -> Option<IntOrString> {
    let given = spec.disruption_budget.clone().unwrap_or_default();
    given.enabled.unwrap_or(true).then(|| given.max_unavailable.unwrap_or(IntOrString::Int(1)))
}

fn without_effect(spec: &SetSpec) -> Vec<Notice> {
    let all_primaries = spec.pod.commands.secondary.is_none()
        && spec.primaries.is_some_and(|primaries| primaries < spec.replicas);
    let ignored = [
        (spec.tls.is_some(), "spec.TLS", "certificates are not handled yet"),
        (spec.rule_selector.is_some(), "spec.ruleSelector", "rules are not handled yet"),
        (all_primaries, "spec.primaries", "without a secondary command every running member is a primary"),
        (
            spec.service.is_some() && spec.service_ports.is_empty(),
            "spec.service",
            "without spec.servicePorts there is no client service",
        ),
        (
            spec.service_ports.iter().any(|port| port.node_port.is_some()),
            "spec.servicePorts.nodePort",
            "the services are of type ClusterIP",
        ),
    ];
    let ignored = ignored.into_iter().filter(|(written, ..)| *written);
    let unknown = spec.pod.commands.unknown.keys().map(|name| Notice::UnknownCommand { name: name.clone() });
    ignored.map(|(_, path, why)| Notice::FieldIgnored { path, why }).chain(unknown).collect()
}
