//! `seed` and `approve`: a key that a hold of the set offers, given on the facts that a person saw and on no others.

use std::fmt::{self, Display, Formatter};
use std::process::ExitCode;

use anyhow::{Result, bail};
use k8s_openapi::jiff::Timestamp;
use operator::api::{RecoveryMode, ReplicatedStatefulSet};
use planner::key::{Key, KeyKind};
use serde::Serialize;

use crate::cluster::Cluster;
use crate::explain::{self, Choice, Explained, Held, Loss};
use crate::output::Format;
use crate::shell;
use crate::terminal::in_line;

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
    #[serde(flatten)]
    held: Held,
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
    let explained = explain::explain(&format.shown(set.clone())?, Timestamp::now(), cluster.again())?;
    let is_meant = |key: &Key| wanted.replica.as_ref().is_none_or(|replica| *replica == key.subject);
    let (offers, others): (Vec<_>, Vec<_>) =
        explained.offers(wanted.kind).into_iter().partition(|(key, ..)| is_meant(key));
    if offers.is_empty() {
        let others: Vec<&str> = others.iter().map(|(key, ..)| key.subject.as_str()).collect();
        let why = wanted
            .replica
            .as_ref()
            .map_or_else(|| no_plan(&set), |one| no_seed(&set, one, &others, &explained));
        bail!("{name} {}; `{}` says what it waits for", in_line(&why), cluster.explain(name));
    }
    let seen = |facts: &str| offers.iter().find(|(key, ..)| key.facts == facts);
    let given = match wanted.facts.as_deref().map(|facts| (facts, seen(facts))) {
        None => None,
        Some((_, Some((key, ..)))) => {
            cluster.allow(&set, &key.text()).await?;
            Some(key.text())
        }
        // Not even what is right: who gives a key has read what it costs.
        Some((facts, None)) => bail!(
            "nothing was given: {facts} is not what {name} offers now; `{}` shows what it offers and what that costs",
            asking(cluster, name, wanted)
        ),
    };
    let offer = |(key, waits, choice): &(Key, &str, &Choice)| Offer::of(cluster, name, key, waits, choice);
    let offers = offers.iter().filter_map(offer).collect();
    Ok(Allowed { given, offers, held: explained.into_held() })
}

/// The command of this tool that gives a key, where there is one; it keeps keys that were given before. `words` are those
/// that a command has behind the name of the set.
pub(crate) fn command(key: &Key, name: &str, words: &str) -> Option<String> {
    let [subject, hash] = [&key.subject, &key.facts].map(|text| shell::word(text));
    match key.kind {
        KeyKind::Approve => Some(format!("kubectl rss approve {name}{words} --plan {hash}")),
        KeyKind::AcceptSeed => Some(format!("kubectl rss seed {name} {subject}{words} --facts {hash}")),
        KeyKind::AcceptLoss
        | KeyKind::AssertFenced
        | KeyKind::AcceptErrant
        | KeyKind::AcceptSize
        | KeyKind::Recreate => None,
    }
}

/// What to type to be shown what is offered.
fn asking(cluster: &Cluster, name: &str, Wanted { replica, .. }: &Wanted) -> String {
    match replica {
        Some(replica) => format!("kubectl rss seed {name} {replica}{}", cluster.words()),
        None => format!("kubectl rss approve {name}{}", cluster.words()),
    }
}

/// Why nobody can name this replica.
fn no_seed(set: &ReplicatedStatefulSet, replica: &str, offered: &[&str], explained: &Explained) -> String {
    let known: Vec<&str> =
        set.status.iter().flat_map(|status| &status.replica_states).map(|one| one.name.as_str()).collect();
    let none = match known.contains(&replica) {
        true => String::new(),
        false if known.is_empty() => ", and its status tells of no replica".to_owned(),
        false => format!(", which is none of its replicas ({})", known.join(", ")),
    };
    let others = match offered {
        [] => "nor of any other".to_owned(),
        offered => format!("only of {}", offered.join(", ")),
    };
    let known = explained.last_known(replica).map(|known| {
        format!("; {replica} was {known}, and only what was read since it stopped can be started from")
    });
    format!("offers no AcceptSeed of {replica}{none}, {others}{}", known.unwrap_or_default())
}

/// Why there is nothing to approve.
fn no_plan(set: &ReplicatedStatefulSet) -> String {
    let mode = set.spec.recovery.as_ref().and_then(|recovery| recovery.mode).unwrap_or_default();
    match mode {
        RecoveryMode::Ask => {
            "has nothing to approve now: no plan waits (AwaitsApproval), though its recovery.mode is Ask"
                .to_owned()
        }
        mode => format!(
            "has nothing to approve: its recovery.mode is {mode:?}, and a plan waits (AwaitsApproval) only with Ask"
        ),
    }
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
        self.held.fmt(f)?;
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
    fn of(cluster: &Cluster, name: &str, key: &Key, waits: &str, choice: &Choice) -> Option<Self> {
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
