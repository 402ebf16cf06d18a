//! What no honest policy answers, to each question that is asked at all.

use planner::Observation;
use planner::decision::{Treatment, Verdict};
use planner::names::ReplicaName;

/// The look with each of these answers in the place of the honest one. Of what is wrong in one way for all worlds one
/// takes its turn in each.
pub(crate) fn lies(seen: &Observation, turn: usize) -> Vec<Observation> {
    let mut all = Vec::new();
    let mut told = |lie: &dyn Fn(&mut Observation)| {
        let mut seen = seen.clone();
        lie(&mut seen);
        all.push(seen);
    };
    let names: Vec<ReplicaName> = seen.replicas.keys().cloned().collect();
    if seen.verdicts.seed.is_some() {
        names.iter().for_each(|name| told(&|seen| seen.verdicts.seed = Some(a_lie(name.clone()))));
    }
    if let Some(Verdict::Proposed { answer, .. }) = &seen.verdicts.primaries {
        for order in orders(answer, &names, turn) {
            told(&|seen| seen.verdicts.primaries = Some(a_lie(order.clone())));
        }
    }
    if !seen.verdicts.replicas.is_empty() {
        for treatment in treatments(&names, turn) {
            told(&|seen| {
                seen.verdicts.replicas.values_mut().for_each(|verdict| *verdict = a_lie(treatment.clone()));
            });
        }
    }
    all
}

fn a_lie<T>(answer: T) -> Verdict<T> {
    Verdict::Proposed { answer, why: "a lie".to_owned() }
}

/// The worst first; and nobody, somebody in the place of all, or all of the set, whoever was given.
fn orders(honest: &[ReplicaName], names: &[ReplicaName], turn: usize) -> [Vec<ReplicaName>; 2] {
    let worst = honest.iter().rev().cloned().collect();
    let none = match turn % 3 {
        0 => Vec::new(),
        1 => honest.iter().filter_map(|_| honest.first().cloned()).collect(),
        _ => names.to_vec(),
    };
    [worst, none]
}

/// Each is told to follow somebody, itself and who does not run among them; and nobody, or to stay, or to wait.
fn treatments(names: &[ReplicaName], turn: usize) -> [Treatment; 2] {
    let follow = names.get(turn % names.len().max(1)).cloned();
    let other = match turn % 3 {
        0 => Treatment::RunSecondary { follow: None },
        1 => Treatment::LeaveStopped,
        _ => Treatment::Hold("a lie".to_owned()),
    };
    [Treatment::RunSecondary { follow }, other]
}
