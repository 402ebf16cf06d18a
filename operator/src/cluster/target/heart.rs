//! What the heart is told, defaults filled in.

use stateful_cluster::Target;
use stateful_cluster::names::{ClaimTemplate, Identity};
use stateful_cluster::target::{Order, Patience, Retention, Update};

use crate::api::{ClusterSpec, PodManagement, Replacement, Span};
use crate::cluster::template;

/// Seconds, where the resource says nothing.
const UNHEALTHY: u64 = 600;
const UNHEARD: u64 = 300;
const WINDOW: u64 = 3600;
const PROGRESS: u64 = 600;

/// Replacements in one window, where the resource says nothing.
const BUDGET: u32 = 3;

/// What is remembered of all pods must fit the status.
const MOST: i32 = 1000;

pub(super) fn heart(spec: &ClusterSpec, wrong: &mut Vec<String>) -> Target {
    if !(0..=MOST).contains(&spec.replicas) {
        wrong.push(format!("spec.replicas: it is from 0 to {MOST}"));
    }
    let replacement = spec.replacement.clone().unwrap_or_default();
    let on_delete = spec.update_strategy.as_ref().and_then(|strategy| strategy.type_.as_deref());
    let scaled = spec.persistent_volume_claim_retention_policy.as_ref();
    let scaled = scaled.and_then(|policy| policy.when_scaled.as_deref());
    Target {
        replicas: u32::try_from(spec.replicas).unwrap_or_default(),
        order: match spec.pod_management_policy.unwrap_or_default() {
            PodManagement::Parallel => Order::Parallel,
            PodManagement::OrderedReady => Order::OneByOne,
        },
        claims: claims(spec, wrong),
        revision: template::revision(&spec.template),
        update: if on_delete == Some("OnDelete") { Update::OnDelete } else { Update::Rolling },
        when_removed: if scaled == Some("Delete") { Retention::Delete } else { Retention::Retain },
        released: replacement.released.as_ref().map(|names| names.iter().cloned().map(Identity).collect()),
        budget: replacement.budget.and_then(|budget| u32::try_from(budget).ok()).unwrap_or(BUDGET),
        patience: patience(spec, &replacement, wrong),
        paused: spec.paused.unwrap_or_default(),
    }
}

fn claims(spec: &ClusterSpec, wrong: &mut Vec<String>) -> Vec<ClaimTemplate> {
    let mut names: Vec<ClaimTemplate> = Vec::new();
    for (at, claim) in spec.volume_claim_templates.iter().enumerate() {
        let name = ClaimTemplate(claim.metadata.name.clone().unwrap_or_default());
        if name.0.is_empty() || names.contains(&name) {
            wrong.push(format!("spec.volumeClaimTemplates[{at}].metadata.name: each needs one of its own"));
        }
        names.push(name);
    }
    names
}

fn patience(spec: &ClusterSpec, replacement: &Replacement, wrong: &mut Vec<String>) -> Patience {
    let mut seconds = |field: &str, span: &Option<Span>, default| match span.as_ref().map(Span::duration) {
        None => default,
        Some(Ok(duration)) => duration.as_secs().max(1),
        Some(Err(error)) => {
            wrong.push(format!("spec.replacement.{field}: {error}; {}", error.cure()));
            default
        }
    };
    let patience = Patience {
        unhealthy: seconds("unhealthyAfter", &replacement.unhealthy_after, UNHEALTHY),
        unheard: seconds("unheardAfter", &replacement.unheard_after, UNHEARD),
        window: seconds("window", &replacement.window, WINDOW),
        progress: number(spec.progress_deadline_seconds).unwrap_or(PROGRESS),
    };
    pods_have_the_time_to_become_available(min_ready(spec), &patience, wrong);
    patience
}

/// For how long a pod must be ready, in seconds.
pub(super) fn min_ready(spec: &ClusterSpec) -> u64 {
    number(spec.min_ready_seconds.map(i64::from)).unwrap_or(0)
}

/// A pod that is ready counts as unavailable for that long: until then it must not be replaced, nor its template taken
/// back.
fn pods_have_the_time_to_become_available(min_ready: u64, patience: &Patience, wrong: &mut Vec<String>) {
    if min_ready >= patience.unhealthy {
        let unhealthy = patience.unhealthy;
        wrong.push(format!(
            "spec.minReadySeconds: no pod could be available ({min_ready} s) before it is replaced as unhealthy \
             (spec.replacement.unhealthyAfter, {unhealthy} s); write a longer unhealthyAfter"
        ));
    }
    if min_ready >= patience.progress {
        let progress = patience.progress;
        wrong.push(format!(
            "spec.progressDeadlineSeconds: no pod could be available (spec.minReadySeconds, {min_ready} s) before its \
             template is taken back ({progress} s); write more than minReadySeconds"
        ));
    }
}

fn number(found: Option<i64>) -> Option<u64> {
    found.and_then(|number| u64::try_from(number).ok())
}
