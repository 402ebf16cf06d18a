//! The record of decisions: which seed was chosen, how an order changed, what becomes of a member, and what was
//! refused. It is written with the promise that follows from it, so no seed begins without its record.

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

/// Bytes of JSON that all records of a set may have: a resource is copied with every change, and etcd takes 1.5 MiB.
const MOST_BYTES: usize = 128 * 1024;

/// How many records are kept of an interface: the choice of a seed is what people ask about years later.
fn most(interface: Interface) -> usize {
    match interface {
        Interface::Seed | Interface::Replicas => 8,
        Interface::Sequence | Interface::Primaries => 4,
        Interface::Metadata => 0,
    }
}

/// What was kept before, and what this look decided anew.
pub(super) fn decisions(told: &Told<'_>) -> Vec<Decision> {
    let mut kept = told.previous.decisions.clone();
    for record in told.records.iter().filter(|record| matters(record, told.plan)) {
        let Ok(Value::Object(mut json)) = serde_json::to_value(with_vetoes(record, told.plan)) else {
            continue;
        };
        let is_taken = is_seeding(told.plan) && record.question.interface() == Interface::Seed;
        if !is_taken && is_known(&json, &kept) {
            continue;
        }
        let Target { namespace, name, .. } = told.target;
        let set = Set { namespace: namespace.clone(), name: name.clone() };
        json.insert("at".to_owned(), told.now.to_string().into());
        json.insert("set".to_owned(), serde_json::to_value(set).unwrap_or_default());
        kept.push(Decision(Value::Object(json)));
        drop_oldest(&mut kept, record.question.interface());
    }
    kept
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
        Question::Seed(_) => is_seeding(plan) || refusal(plan).is_some(),
        Question::Primaries(_) | Question::Replicas(_) => true,
        Question::Check => false,
    }
}

fn is_seeding(plan: &Plan) -> bool {
    plan.steps.iter().any(|step| matches!(step, Step::Run(run) if run.command == Command::Seed))
}

/// Why the proposal of a seed was not followed.
fn refusal(plan: &Plan) -> Option<&str> {
    plan.holds.iter().find_map(|hold| match &hold.reason {
        Reason::SeedRefused { why, .. } | Reason::NoSeedVerdict(why) => Some(why.as_str()),
        _ => None,
    })
}

/// The record, with what the planner did not allow of it.
fn with_vetoes(record: &Record, plan: &Plan) -> Record {
    let mut record = record.clone();
    let is_answered = matches!(record.outcome, Outcome::Answered(_));
    if record.question.interface() == Interface::Seed && is_answered {
        record.vetoes.extend(refusal(plan).map(str::to_owned));
    }
    record
}

/// Whether the last record of the same kind, about the same member, says the same.
fn is_known(json: &serde_json::Map<String, Value>, kept: &[Decision]) -> bool {
    let subject = |json: &Value| json["input"]["member"]["name"].clone();
    let new = Value::Object(json.clone());
    let is_same_kind = |old: &&Value| old["interface"] == new["interface"] && subject(old) == subject(&new);
    let said = |json: &Value| {
        let (answer, failure) = (&json["answer"], &json["failure"]);
        let chosen = ["proposal", "ordering", "treatment"].map(|field| answer[field].clone());
        (chosen, failure.clone(), json["vetoes"].clone(), json["policy"].clone())
    };
    let last = kept.iter().rev().map(|old| &old.0).find(is_same_kind);
    last.is_some_and(|last| said(last) == said(&new))
}

fn drop_oldest(kept: &mut Vec<Decision>, interface: Interface) {
    let is_of = |one: &Decision| one.0["interface"] == interface.versioned();
    while kept.iter().filter(|one| is_of(one)).count() > most(interface) {
        let oldest = kept.iter().position(is_of).unwrap_or_default();
        kept.remove(oldest);
    }
    let bytes = |kept: &[Decision]| kept.iter().map(|one| one.0.to_string().len()).sum::<usize>();
    while bytes(kept) > MOST_BYTES {
        kept.remove(0);
    }
}

#[cfg(test)]
mod tests;
