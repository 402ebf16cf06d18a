//! From the resource as it is written to what is wanted.

use std::time::Duration;

use k8s_openapi::api::core::v1::ServicePort;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString;
use kube::Resource;

use super::invalid::Problems;
use super::{
    ClientService, Commands, Invalid, KeptClaims, Notice, Policy, Recovery, Target, Template, copied,
    given_once,
};
use crate::api::{ClaimRetention, LONGEST_NAME, ReplicatedStatefulSet, SetSpec, Span, Workload};

/// How often `status` is asked when nothing else happens, where the resource does not say. A database that dies in
/// a living container raises no event, so this is how long it may go unseen. A minute of that is long for clients;
/// one exec for each member every ten seconds costs an API server little, a tenth of a second of one connection.
pub const DEFAULT_INTERVAL: Duration = Duration::from_secs(10);

/// Oftener would be a load on the application, and one more write of the status each time.
const SHORTEST_REHEARSAL: Duration = Duration::from_secs(10);

/// A member that is lost is given up after so long, and no sooner than after the shortest.
const REPLACE_AFTER: Duration = Duration::from_mins(10);
const SHORTEST_LOSS: Duration = Duration::from_secs(30);

/// Oftener would be a load on the API server and tell nothing more.
const SHORTEST_INTERVAL: Duration = Duration::from_secs(1);

/// How many members may join at once, at most.
const MOST_JOINS: i32 = 100;

impl Target {
    /// Reads a resource, or says everything that is wrong with it.
    pub fn parse(set: &ReplicatedStatefulSet) -> Result<Self, Invalid> {
        let (mut problems, mut notices) = (Problems::default(), Vec::new());
        let spec = &set.spec;
        let name = name(set, &mut problems);
        let (labels, annotations) = copied::metadata(set, &mut problems);
        let interval = interval(spec, &mut problems);
        let commands = Commands::parse(&spec.pod.commands, &mut problems);
        let template = Template::parse(spec, &mut problems);
        let account = spec.service_account_name.as_deref();
        let policy = Policy::parse(spec.policy.as_ref(), account, &mut problems, &mut notices);
        let recovery = recovery(spec, &mut problems);
        let workload = spec.workload.unwrap_or_default();
        if workload == Workload::StatefulCluster {
            given_once::check(&name, &labels, spec, &mut problems);
        }
        notices.extend(without_effect(spec, &name));
        let invalid = Invalid { problems: problems.0 };
        let (Some(commands), true) = (commands, invalid.problems.is_empty()) else { return Err(invalid) };
        let replicas = spec.replicas.max(0).unsigned_abs();
        let retention = spec.persistent_volume_claim_retention_policy.as_ref();
        Ok(Self {
            namespace: set.meta().namespace.clone().unwrap_or_default(),
            uid: set.meta().uid.clone().unwrap_or_default(),
            generation: set.meta().generation.unwrap_or_default(),
            labels,
            annotations,
            workload,
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
            candidate: Policy::candidate(spec.policy.as_ref(), account),
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

pub(super) fn span(given: Option<&Span>, default: Duration, path: &str, problems: &mut Problems) -> Duration {
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
        mode: given.mode.unwrap_or_default(),
        failover: given.failover.unwrap_or_default(),
        forced_deletion: given.forced_deletion.unwrap_or_default(),
        detached_volume: given.detached_volume.unwrap_or_default(),
        parallel_joins: joins.unsigned_abs(),
        rehearsal_interval: rehearsal_interval(given.rehearsal_interval.as_ref(), problems),
        replace_after: replace_after(given.replace_after.as_ref(), problems),
    }
}

/// None: nobody is asked while it runs.
fn rehearsal_interval(given: Option<&Span>, problems: &mut Problems) -> Option<Duration> {
    const PATH: &str = "spec.recovery.rehearsalInterval";
    let interval = span(Some(given?), SHORTEST_REHEARSAL, PATH, problems);
    if interval < SHORTEST_REHEARSAL {
        problems.add(PATH, "it is less than ten seconds", "write 10s or more, or leave it out");
    }
    Some(interval)
}

fn replace_after(given: Option<&Span>, problems: &mut Problems) -> Duration {
    const PATH: &str = "spec.recovery.replaceAfter";
    let after = span(given, REPLACE_AFTER, PATH, problems);
    if after < SHORTEST_LOSS {
        problems.add(
            PATH,
            "a machine that starts anew takes as long",
            "write 30s or more, or leave it out for 10m",
        );
    }
    after
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
fn names_internal_service(spec: &SetSpec, set: &str) -> bool {
    let given = spec.service.as_ref().and_then(|service| service.name.as_ref());
    given.is_some_and(|name| *name == format!("{set}-svc"))
}

fn client_service(spec: &SetSpec, set: &str) -> Option<ClientService> {
    if spec.service_ports.is_empty() {
        return None;
    }
    let given = spec.service.clone().unwrap_or_default();
    let own = given.name.filter(|_| !names_internal_service(spec, set));
    let name = own.unwrap_or_else(|| set.to_owned());
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

fn without_effect(spec: &SetSpec, set: &str) -> Vec<Notice> {
    let all_primaries = spec.pod.commands.secondary.is_none()
        && spec.primaries.is_some_and(|primaries| primaries < spec.replicas);
    let beyond = spec.primaries.is_some_and(|primaries| primaries > spec.replicas && spec.replicas > 0);
    let is_numbered = spec.workload.unwrap_or_default() == Workload::StatefulSet;
    let replaces = spec.recovery.as_ref().is_some_and(|recovery| recovery.replace_after.is_some());
    let ignored = [
        (
            replaces && is_numbered,
            "spec.recovery.replaceAfter",
            "the pods of a StatefulSet come back to their claims; only members of a StatefulCluster are replaced",
        ),
        (beyond, "spec.primaries", "it is more than spec.replicas, so every member is a primary"),
        (spec.tls.is_some(), "spec.TLS", "certificates are not handled yet"),
        (spec.rule_selector.is_some(), "spec.ruleSelector", "rules are not handled yet"),
        (all_primaries, "spec.primaries", "without a secondary command every running member is a primary"),
        (
            spec.service.is_some() && spec.service_ports.is_empty(),
            "spec.service",
            "without spec.servicePorts there is no client service",
        ),
        (
            names_internal_service(spec, set),
            "spec.service.name",
            "it is the name of the internal service, so the client service has the name of the resource",
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
