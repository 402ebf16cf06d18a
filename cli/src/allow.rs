//! `seed` and `approve`: a key that a hold of the set offers, given on the facts that a person saw and on no others.

mod allowed;
mod nothing;

use anyhow::{Context, Result, bail};
use k8s_openapi::jiff::Timestamp;
use planner::key::{Key, KeyKind};

use crate::cluster::Cluster;
use crate::explain::{self, Choice};
use crate::facts::Facts;
use crate::output::Format;
use crate::shell;
use crate::terminal::in_line;
use allowed::{Allowed, Given, Offer};
use nothing::{no_plan, no_seed};

/// What a person wants to allow.
pub(crate) struct Wanted {
    pub(crate) kind: KeyKind,
    /// Of which replica; none: of whichever the set offers.
    pub(crate) replica: Option<String>,
    /// The facts that were seen; none: they are to be shown.
    pub(crate) facts: Option<Facts>,
}

/// Shows what is offered, or gives it if the facts are those that were seen.
///
/// # Errors
/// If the set does not offer it, offers it on other facts by now, or the API server does not take it.
pub(crate) async fn allow(cluster: &Cluster, name: &str, wanted: &Wanted, format: Format) -> Result<Allowed> {
    let set = cluster.set(name).await?;
    let explained = explain::explain(&format.shown(set.clone())?, Timestamp::now(), cluster.again())?;
    if set.status.as_ref().is_some_and(explain::is_unseen) {
        bail!(
            "nothing can be allowed now: the operator cannot look at {name}, and uses no key; `{}` says why",
            cluster.explain(name)
        );
    }
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
    let given = match &wanted.facts {
        None => None,
        Some(facts) => Some(offers.iter().find(|(key, ..)| facts.are_those_of(key)).with_context(|| {
            // Not even what is right: who gives a key has read what it costs.
            format!(
                "nothing was given: {facts} is not what {name} offers now; `{}` shows what it offers and what that costs",
                asking(cluster, name, wanted)
            )
        })?),
    };
    if let Some((key, ..)) = given {
        cluster.allow(&set, &key.text()).await?;
    }
    let given = given.map(|(key, _, choice)| Given { key: key.text(), means: choice.means.clone() });
    let offer = |(key, waits, choice): &(Key, &str, &Choice)| Offer::of(cluster, name, key, waits, choice);
    let offers = offers.iter().filter_map(offer).collect();
    Ok(Allowed::new(wanted.kind, given, offers, explained))
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
