//! Which place each member has. A StatefulSet gives numbers; where identities are given once, who serves comes before who
//! does not, and of those that rest who is known to hold less comes behind those ahead of it. What is not known is never
//! less. Who was given up, or has no pod and a claim that is being deleted, has no place that anybody wants.

use crate::app_state::AppState;
use crate::look::Look;
use crate::names::ReplicaName;
use crate::record::{Reading, Taken};
use crate::target::Identities;
use std::collections::BTreeMap;

pub(crate) fn places(look: &Look<'_>) -> BTreeMap<ReplicaName, u32> {
    let replicas = &look.seen.replicas;
    match look.target().identities {
        Identities::Numbered => {
            replicas.iter().map(|(name, replica)| (name.clone(), replica.ordinal)).collect()
        }
        Identities::GivenOnce => {
            let mut names: Vec<&ReplicaName> = replicas.keys().collect();
            names.sort_by_cached_key(|name| rank(look, name));
            let beyond = |name: &ReplicaName| if has_place(look, name) { 0 } else { look.target().replicas };
            let places = names.into_iter().zip(0..).map(|(name, at): (_, u32)| (name, at + beyond(name)));
            places.map(|(name, place)| (name.clone(), place)).collect()
        }
    }
}

/// It was given up: nobody makes another pod of it.
pub(crate) fn is_released(look: &Look<'_>, name: &ReplicaName) -> bool {
    look.seen.workload.as_ref().is_some_and(|workload| workload.released.contains(name))
}

/// Its pod is gone or told to end, and so are its claims: whoever makes pods gives its place to another one.
fn is_ending(look: &Look<'_>, name: &ReplicaName) -> bool {
    let Some(replica) = look.seen.replicas.get(name) else { return false };
    let ends = replica.pod.as_ref().is_none_or(|pod| pod.terminating);
    let is_known = replica.pod.is_some() || !replica.claims.is_empty();
    is_known && ends && replica.claims.iter().all(|claim| claim.terminating)
}

/// Whoever makes pods counts it.
pub(crate) fn has_place(look: &Look<'_>, name: &ReplicaName) -> bool {
    !is_released(look, name) && !is_ending(look, name)
}

/// How many have a place.
pub(crate) fn standing(look: &Look<'_>) -> u32 {
    let all = look.seen.replicas.keys().filter(|name| has_place(look, name)).count();
    u32::try_from(all).unwrap_or(u32::MAX)
}

/// The first false comes first. How many are ahead orders as being ahead does, for whoever is ahead of one of them is
/// ahead of all that it is ahead of.
fn rank<'b>(look: &Look<'_>, name: &'b ReplicaName) -> (bool, bool, bool, usize, bool, &'b ReplicaName) {
    let state = look.state(name);
    let is_new = look.record(name).is_none_or(|record| record.is_new());
    let ahead = look.seen.replicas.keys().filter(|other| is_ahead(look, other, name)).count();
    (!has_place(look, name), !state.is_running(), is_new, ahead, *state != AppState::Primary, name)
}

/// Both rest and were read, and the first holds all that the second does, and more. What a member holds that runs is known
/// of a moment that is over.
fn is_ahead(look: &Look<'_>, first: &ReplicaName, second: &ReplicaName) -> bool {
    let at_rest = |name: &ReplicaName| {
        let is_asked = !look.state(name).is_running() && !is_released(look, name);
        look.record(name).filter(|_| is_asked).and_then(|record| record.standing())
    };
    let (Some(first), Some(second)) = (at_rest(first), at_rest(second)) else { return false };
    includes(first, second) && !includes(second, first)
}

fn includes(here: &Taken, there: &Taken) -> bool {
    match (&here.reading, &there.reading) {
        (Reading::At(mine), Reading::At(other)) => here.measure.includes(mine, &there.measure, other),
        (Reading::At(_) | Reading::Empty, Reading::Empty) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests;
