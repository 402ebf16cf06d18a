//! Every answer that a policy may give to what it is asked in a look: each place of the set, a stranger, every order
//! and lists that are none, refusals.

use crate::world::api::name;
use planner::Observation;
use planner::decision::{Questions, Treatment, Verdict, Verdicts};
use planner::names::ReplicaName;

/// One that no set of these worlds has.
const STRANGER: u32 = 9;

/// One answer in place of an honest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lie {
    /// This one seeds.
    Seed(u32),
    /// Nobody is said to seed.
    NoSeed,
    /// The members in this of all orders.
    Order(u32),
    /// What is no order of them: nobody, one of them twice, a stranger beside them.
    NoOrder(u32),
    /// Each that is no primary follows this one.
    Follow(u32),
    /// It follows nobody, stays stopped, or waits, or nothing is said.
    Apart(u32),
}

/// All that differ.
pub(crate) fn all(asked: &Questions, members: u32) -> Vec<Lie> {
    let mut all = Vec::new();
    let named = || (0..members).chain([STRANGER]);
    if asked.seed.is_some() {
        all.extend(named().map(Lie::Seed).chain([Lie::NoSeed]));
    }
    if let Some(ordered) = &asked.primaries {
        let orders = (1..=u32::try_from(ordered.len()).unwrap_or(u32::MAX)).product();
        all.extend((0..orders).map(Lie::Order).chain((0..3).map(Lie::NoOrder)));
    }
    if !asked.replicas.is_empty() {
        all.extend(named().map(Lie::Follow).chain((0..4).map(Lie::Apart)));
    }
    all
}

impl Lie {
    /// The look with this answer.
    pub(crate) fn tell(self, asked: &Questions, seen: &mut Observation) {
        let Verdicts { seed, primaries, replicas, .. } = &mut seen.verdicts;
        let ordered = || asked.primaries.iter().flatten().map(|member| member.replica.clone()).collect();
        let mut treat = |verdict: Verdict<Treatment>| {
            replicas.values_mut().for_each(|told| *told = verdict.clone());
        };
        match self {
            Self::Seed(number) => *seed = Some(lie(name(number))),
            Self::NoSeed => *seed = Some(refusal()),
            Self::Order(number) => *primaries = Some(lie(nth_order(ordered(), number))),
            Self::NoOrder(number) => *primaries = Some(lie(no_order(ordered(), number))),
            Self::Follow(number) => treat(lie(Treatment::RunSecondary { follow: Some(name(number)) })),
            Self::Apart(0) => treat(lie(Treatment::RunSecondary { follow: None })),
            Self::Apart(1) => treat(lie(Treatment::LeaveStopped)),
            Self::Apart(2) => treat(lie(Treatment::Hold("a lie".to_owned()))),
            Self::Apart(_) => treat(refusal()),
        }
    }
}

fn lie<T>(answer: T) -> Verdict<T> {
    Verdict::Proposed { answer, why: "a lie".to_owned() }
}

fn refusal<T>() -> Verdict<T> {
    Verdict::Missing("it refuses".to_owned())
}

fn nth_order(mut left: Vec<ReplicaName>, number: u32) -> Vec<ReplicaName> {
    let (mut order, mut number) = (Vec::new(), number as usize);
    while !left.is_empty() {
        let at = number % left.len();
        number /= left.len();
        order.push(left.remove(at));
    }
    order
}

fn no_order(members: Vec<ReplicaName>, number: u32) -> Vec<ReplicaName> {
    let more = match number {
        0 => return Vec::new(),
        1 => members.first().cloned(),
        _ => Some(name(STRANGER)),
    };
    more.into_iter().chain(members).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_order_is_told_once_and_none_of_the_others_is_an_order() {
        let members: Vec<ReplicaName> = (0..3).map(name).collect();
        let orders: BTreeSet<_> = (0..6).map(|number| nth_order(members.clone(), number)).collect();
        assert_eq!(orders.len(), 6);
        for number in 0..3 {
            let mut told = no_order(members.clone(), number);
            told.sort();
            assert_ne!(told, members);
        }
    }
}
