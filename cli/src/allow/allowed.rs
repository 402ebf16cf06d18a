//! What was given, or what could be.

use std::fmt::{self, Display, Formatter};
use std::process::ExitCode;

use planner::key::{Key, KeyKind};
use serde::Serialize;

use super::command;
use crate::cluster::Cluster;
use crate::explain::{API_VERSION, Choice, Explained, Held, Loss};

/// What was given, or what could be.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Allowed {
    api_version: &'static str,
    kind: &'static str,
    namespace: String,
    name: String,
    /// The key that was written down; the operator looks at it next.
    given: Option<String>,
    #[serde(flatten)]
    held: Held,
    offers: Vec<Offer>,
    /// The set in a line.
    #[serde(skip)]
    headline: String,
    /// What the key that was written down means.
    #[serde(skip)]
    means: Option<String>,
}

/// A key that was written down.
pub(super) struct Given {
    pub(super) key: String,
    pub(super) means: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Offer {
    replica: String,
    /// Why the set waits for it.
    waits: String,
    means: String,
    loss: Option<Loss>,
    facts: String,
    command: String,
}

// === impl Allowed ===

impl Allowed {
    /// Of a command that gives keys of this kind.
    pub(super) fn new(kind: KeyKind, given: Option<Given>, offers: Vec<Offer>, explained: Explained) -> Self {
        let (namespace, name) = explained.named();
        let (given, means) = given.map(|Given { key, means }| (key, means)).unzip();
        Self {
            api_version: API_VERSION,
            kind: if kind == KeyKind::Approve { "Approval" } else { "SeedChoice" },
            namespace,
            name,
            given,
            headline: explained.headline(),
            held: explained.into_held(),
            offers,
            means,
        }
    }

    /// 0: given; 4: shown, and it waits for a person.
    pub(crate) fn exit_code(&self) -> ExitCode {
        ExitCode::from(if self.given.is_some() { 0 } else { 4 })
    }
}

impl Display for Allowed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.headline)?;
        self.held.fmt(f)?;
        if let Some(key) = &self.given {
            writeln!(f, "given: {key}; the operator uses it once, or says in an event why not")?;
            return self.means.iter().try_for_each(|means| writeln!(f, "  means  {means}"));
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
    pub(super) fn of(cluster: &Cluster, name: &str, key: &Key, waits: &str, choice: &Choice) -> Option<Self> {
        Some(Self {
            replica: key.subject.clone(),
            waits: waits.to_owned(),
            means: choice.means.clone(),
            loss: choice.loss.clone(),
            facts: key.facts.clone(),
            command: command(key, name, &cluster.words())?,
        })
    }
}
