//! `seed` and `approve`: a key that a hold of the set offers, given on the facts that a person saw and on no others.

use std::fmt::{self, Display, Formatter};
use std::process::ExitCode;

use anyhow::{Result, bail};
use k8s_openapi::jiff::Timestamp;
use operator::api::ReplicatedStatefulSet;
use planner::key::{Key, KeyKind};
use serde::Serialize;

use crate::cluster::Cluster;
use crate::explain::{self, Choice, Loss};
use crate::output::Format;

/// What a person wants to allow.
pub(crate) struct Wanted {
    pub(crate) kind: KeyKind,
    /// Of which replica; none: of whichever the set offers.
    pub(crate) replica: Option<String>,
    /// The hash of the facts that were seen; none: they are to be shown.
    pub(crate) facts: Option<String>,
}

/// What was given, or what could be.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Allowed {
    /// The key that was written down; the operator looks at it next.
    given: Option<String>,
    offers: Vec<Offer>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Offer {
    replica: String,
    /// Why the set waits for it.
    waits: String,
    means: String,
    loss: Option<Loss>,
    facts: String,
    command: String,
}

/// Shows what is offered, or gives it if the facts are those that were seen.
///
/// # Errors
/// If the set does not offer it, offers it on other facts by now, or the API server does not take it.
pub(crate) async fn allow(cluster: &Cluster, name: &str, wanted: &Wanted, format: Format) -> Result<Allowed> {
    let set = cluster.set(name).await?;
    let explained = explain::explain(&format.shown(set.clone())?, Timestamp::now())?;
    let is_meant = |key: &Key| wanted.replica.as_ref().is_none_or(|replica| *replica == key.subject);
    let offers = explained.offers(wanted.kind);
    let offers: Vec<_> = offers.into_iter().filter(|(key, ..)| is_meant(key)).collect();
    if offers.is_empty() {
        bail!(
            "{name} does not wait for that{}; `kubectl rss explain {name}` says what it waits for",
            wanted.replica.as_ref().map(|replica| format!(" of {replica}")).unwrap_or_default()
        );
    }
    let seen = |facts: &str| offers.iter().find(|(key, ..)| key.facts == facts);
    let given = match wanted.facts.as_deref().map(|facts| (facts, seen(facts))) {
        None => None,
        Some((_, Some((key, ..)))) => {
            cluster.allow(&set, &key.text()).await?;
            Some(key.text())
        }
        Some((facts, None)) => bail!(
            "nothing was given: {facts} is not what {name} offers now ({}); the facts have changed, look again",
            offers.iter().map(|(key, ..)| key.facts.as_str()).collect::<Vec<_>>().join(", ")
        ),
    };
    let offers = offers.iter().map(|(key, waits, choice)| Offer::of(&set, key, waits, choice)).collect();
    Ok(Allowed { given, offers })
}

// === impl Allowed ===

impl Allowed {
    /// 0: given; 4: shown, and it waits for a person.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(if self.given.is_some() { 0 } else { 4 })
    }
}

impl Display for Allowed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(key) = &self.given {
            return writeln!(f, "given: {key}; the operator uses it once, or says in an event why not");
        }
        self.offers.iter().try_for_each(|offer| {
            let Offer { waits, means, loss, command, .. } = offer;
            writeln!(f, "{waits}\n  means  {means}")?;
            loss.iter().try_for_each(|loss| writeln!(f, "  costs  {loss}"))?;
            writeln!(f, "  allow  {command}")
        })
    }
}

// === impl Offer ===

impl Offer {
    fn of(set: &ReplicatedStatefulSet, key: &Key, waits: &str, choice: &Choice) -> Self {
        let of = |text: &Option<String>| text.clone().unwrap_or_default();
        let (namespace, name) = (of(&set.metadata.namespace), of(&set.metadata.name));
        let Key { kind, subject, facts } = key;
        let command = match kind {
            KeyKind::Approve => format!("kubectl rss approve {name} -n {namespace} --plan {facts}"),
            _ => format!("kubectl rss seed {name} {subject} -n {namespace} --facts {facts}"),
        };
        Self {
            replica: subject.clone(),
            waits: waits.to_owned(),
            means: choice.means.clone(),
            loss: choice.loss.clone(),
            facts: facts.clone(),
            command,
        }
    }
}
