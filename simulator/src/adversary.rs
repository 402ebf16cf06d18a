//! A policy that answers anything at all, and something else each time: names of nobody, some twice or none, refusals;
//! and of `sequence` any position of any kind, whatever was printed.

mod positions;
mod successor;

use crate::chance::Chance;
use planner::Observation;
use planner::decision::{Judgement, Questions, Treatment, Verdict, Verdicts};
use planner::names::{AttemptId, ReplicaName};
use planner::record::Reading;
use positions::any_reading;
use std::collections::BTreeMap;

/// Which questions it answers so; the others it answers as an honest one does.
#[derive(Clone, Copy, Debug)]
pub enum Lies {
    /// Who seeds, who becomes primary in which order, and what becomes of the others.
    Choices,
    /// How much data holds, too.
    Everything,
    /// It makes the same of each honest answer, whatever it was asked.
    Says(fn(&mut Verdicts)),
    /// It reads the same of a member each time; honest is what was to be read.
    Reads(fn(&ReplicaName, Reading) -> Reading),
}

impl Lies {
    /// Whether it says of data what is not so.
    pub(crate) fn misreads(self) -> bool {
        matches!(self, Self::Everything | Self::Reads(_))
    }

    /// In place of what an honest one answered.
    pub(crate) fn answer(self, chance: &mut Chance, asked: &Questions, seen: &mut Observation) {
        match self {
            Self::Choices | Self::Everything => answer(chance, asked, seen),
            Self::Says(what) => what(&mut seen.verdicts),
            Self::Reads(_) => {}
        }
    }

    /// In place of what an honest one read.
    pub(crate) fn read(self, chance: &mut Chance, seen: &mut Observation) {
        match self {
            Self::Everything => read(chance, seen),
            Self::Reads(what) => {
                for (id, judged) in &mut seen.verdicts.readings {
                    let told = seen.attempts.get(id).map(|attempt| &attempt.replica);
                    if let Some(replica) = told {
                        judged.reading = what(replica, judged.reading.clone());
                    }
                }
            }
            Self::Choices | Self::Says(_) => {}
        }
    }
}

/// Nobody of the set: of another one, of none, or of an ordinal that is not there.
const STRANGERS: [&str; 6] = ["y-0", "x-99", "x", "", "x-0\n", "X-0"];

/// What two looks of three get in place of the honest answers.
fn answer(chance: &mut Chance, asked: &Questions, seen: &mut Observation) {
    if chance.one_in(3) {
        return;
    }
    let set: Vec<ReplicaName> = seen.replicas.keys().cloned().collect();
    let all: Vec<ReplicaName> =
        set.iter().cloned().chain(STRANGERS.iter().map(|name| ReplicaName((*name).to_owned()))).collect();
    let verdicts = &mut seen.verdicts;
    match chance.below(5) {
        0 => verdicts.seed = Some(Verdict::Missing("it refuses".to_owned())),
        1 => verdicts.seed = None,
        _ => verdicts.seed = Some(lie(any(chance, &all))),
    }
    match chance.below(6) {
        0 => verdicts.primaries = Some(Verdict::Missing("it refuses".to_owned())),
        1 => verdicts.primaries = None,
        _ => {
            let members = asked.primaries.iter().flatten().map(|member| member.replica.clone()).collect();
            verdicts.primaries = Some(lie(order(chance, members, &all)));
        }
    }
    for name in all.iter().chain(&set) {
        let verdict = match chance.below(7) {
            0 => Verdict::Missing("it refuses".to_owned()),
            1 => lie(Treatment::LeaveStopped),
            2 => lie(Treatment::Hold("it holds".to_owned())),
            3 => lie(Treatment::RunSecondary { follow: None }),
            _ => lie(Treatment::RunSecondary { follow: Some(any(chance, &all)) }),
        };
        verdicts.replicas.insert(name.clone(), verdict);
    }
}

/// Any order of these, and any list that is none.
fn order(chance: &mut Chance, mut members: Vec<ReplicaName>, all: &[ReplicaName]) -> Vec<ReplicaName> {
    shuffle(chance, &mut members);
    match chance.below(8) {
        0 => members.clear(),
        1 => _ = members.pop(),
        2 => members.push(any(chance, all)),
        3 => {
            members = all.to_vec();
            shuffle(chance, &mut members);
        }
        4 => {
            let first = members.first().cloned();
            members.extend(first);
        }
        _ => {}
    }
    members
}

fn shuffle(chance: &mut Chance, members: &mut [ReplicaName]) {
    for at in (1..members.len()).rev() {
        members.swap(at, chance.index(at + 1));
    }
}

/// Readings of what was printed, of what printed none, and of commands that nobody sent.
fn read(chance: &mut Chance, seen: &mut Observation) {
    let readings = &mut seen.verdicts.readings;
    let honest: Vec<Judgement> = readings.values().cloned().collect();
    let ids: Vec<AttemptId> = seen.attempts.keys().cloned().chain([AttemptId::from("nobody's")]).collect();
    let told: BTreeMap<AttemptId, Judgement> =
        ids.into_iter().map(|id| (id, any_reading(chance, &honest))).collect();
    for (id, judged) in told {
        let is_kept = readings.contains_key(&id) && chance.one_in(3);
        if !is_kept {
            readings.insert(id, judged);
        }
    }
}

fn any(chance: &mut Chance, names: &[ReplicaName]) -> ReplicaName {
    names[chance.index(names.len())].clone()
}

fn lie<T>(answer: T) -> Verdict<T> {
    Verdict::Proposed { answer, why: "it lies".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_order_is_given_and_lists_that_are_none() {
        let names: Vec<ReplicaName> = ["x-0", "x-1", "x-2"].map(ReplicaName::from).into();
        let all: Vec<ReplicaName> = names.iter().cloned().chain(["y-0".into()]).collect();
        let mut chance = Chance::new(1);
        let given: BTreeSet<Vec<ReplicaName>> =
            (0..1000).map(|_| order(&mut chance, names.clone(), &all)).collect();
        let orders =
            given.iter().filter(|list| list.iter().collect::<BTreeSet<_>>().len() == 3 && list.len() == 3);
        assert_eq!(orders.filter(|list| !list.contains(&all[3])).count(), 6, "{given:?}");
        assert!(given.contains(&Vec::new()) && given.iter().any(|list| list.contains(&all[3])));
        assert!(
            given.iter().any(|list| list.len() == 4 && !list.contains(&all[3])),
            "one of them is there twice"
        );
    }
}
