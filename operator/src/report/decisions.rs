//! The record of decisions: which seed was chosen, how an order changed, what becomes of a member, and what was
//! refused. It is written with the promise that follows from it, so no seed begins without its record.

mod kept;

use planner::observation::Command;
use planner::plan::Reason;
use planner::{Plan, Step};
use serde_json::Value;

use super::Told;
use crate::api::Decision;
use crate::policy::Interface;
use crate::policy::question::Question;
use crate::policy::record::{Outcome, Record, Set};
use crate::target::Target;
use kept::Kept;

/// What was kept before, and what this look decided anew.
pub(super) fn decisions(told: &Told<'_>) -> Vec<Decision> {
    let members = told.observation.replicas.keys().map(|name| name.0.clone()).collect();
    let mut kept = Kept::new(told.previous.decisions.clone(), members);
    for record in told.records.iter().filter(|record| matters(record, told.plan)) {
        let Target { namespace, name, .. } = told.target;
        let set = Set { namespace: namespace.clone(), name: name.clone() };
        let record =
            Record { at: Some(told.now.to_string()), set: Some(set), ..with_vetoes(record, told.plan) };
        let interface = record.question.interface();
        let is_taken = is_seeding(told.plan) && interface == Interface::Seed;
        // What cannot be told as JSON does not exist.
        let Ok(new) = serde_json::to_value(record) else { continue };
        if is_taken || !kept.last_like(&new).is_some_and(|last| said(last) == said(&new)) {
            kept.add(interface, new);
        }
    }
    kept.into_all()
}

/// A question is put in every look; a decision is what something follows from, or why nothing does.
fn matters(record: &Record, plan: &Plan) -> bool {
    let failed = matches!(record.outcome, Outcome::Failed(_)) || !record.vetoes.is_empty();
    let is_read = matches!(record.question, Question::Sequence(_));
    (failed || !is_read) && is_decided(record, plan)
}

/// Whether the plan was made by this answer: of a seed it is not while a reading is still owed.
#[must_use]
pub fn is_decided(record: &Record, plan: &Plan) -> bool {
    match &record.question {
        Question::Sequence(_) => true,
        Question::Seed(_) => is_seeding(plan) || is_refused(plan),
        Question::Primaries(_) | Question::Replicas(_) => true,
        Question::Check => false,
    }
}

fn is_seeding(plan: &Plan) -> bool {
    plan.steps.iter().any(|step| matches!(step, Step::Run(run) if run.command == Command::Seed))
}

/// Whether the policy's word on the seed is why there is none.
fn is_refused(plan: &Plan) -> bool {
    let of_policy = |reason: &Reason| matches!(reason, Reason::SeedRefused { .. } | Reason::NoSeedVerdict(_));
    plan.holds.iter().any(|hold| of_policy(&hold.reason))
}

/// Why the host did not follow an answer to such a question. That the policy itself proposed none is no veto.
fn vetoes<'a>(question: &Question, plan: &'a Plan) -> impl Iterator<Item = &'a String> {
    let of_member = |name: &str| match question {
        Question::Replicas(input) => input.member.name == name,
        _ => false,
    };
    let interface = question.interface();
    plan.holds.iter().filter_map(move |hold| match &hold.reason {
        Reason::SeedRefused { why, .. } if interface == Interface::Seed => Some(why),
        Reason::OrderRefused { why, .. } if interface == Interface::Primaries => Some(why),
        Reason::LeaderRefused { member, why, .. } if of_member(&member.0) => Some(why),
        _ => None,
    })
}

/// The record, with what the planner did not allow of it.
fn with_vetoes(record: &Record, plan: &Plan) -> Record {
    let mut record = record.clone();
    if matches!(record.outcome, Outcome::Answered(_)) && record.vetoes.is_empty() {
        record.vetoes.extend(vetoes(&record.question, plan).cloned());
    }
    record
}

/// What makes a record news beside the last one of the same kind: not what was asked, which changes all the time.
fn said(record: &Value) -> [&Value; 7] {
    let answer = &record["answer"];
    [
        &answer["reading"],
        &answer["proposal"],
        &answer["ordering"],
        &answer["treatment"],
        &record["failure"],
        &record["vetoes"],
        &record["policy"],
    ]
}

#[cfg(test)]
mod tests;
