//! The record of decisions: which seed was chosen, how an order changed, what becomes of a member, and what was
//! refused. It is written with the promise that follows from it, so no seed begins without its record.

mod kept;

use planner::observation::Command;
use planner::plan::Reason;
use planner::{Plan, Step};
use serde_json::{Value, json};

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
        let interface = record.question.interface();
        let is_taken = is_seeding(told.plan) && interface == Interface::Seed;
        let vetoes = vetoes(record, told.plan);
        let gist = gist(record, &vetoes);
        if !is_taken && kept.last_like(&gist).is_some_and(|last| said(last) == said(&gist)) {
            continue;
        }
        let Target { namespace, name, .. } = told.target;
        let set = Set { namespace: namespace.clone(), name: name.clone() };
        let record = Record { at: Some(told.now.to_string()), set: Some(set), vetoes, ..record.clone() };
        // What cannot be told as JSON does not exist.
        if let Ok(new) = serde_json::to_value(record) {
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

/// What was not believed of an answer, or what the planner did not allow of it.
fn vetoes(record: &Record, plan: &Plan) -> Vec<String> {
    if matches!(record.outcome, Outcome::Answered(_)) && record.vetoes.is_empty() {
        return not_allowed(&record.question, plan).cloned().collect();
    }
    record.vetoes.clone()
}

/// Why the host did not follow an answer to such a question. That the policy itself proposed none is no veto.
fn not_allowed<'a>(question: &Question, plan: &'a Plan) -> impl Iterator<Item = &'a String> {
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

/// As much of a record's JSON as tells whether it is news: whom it is about and what was said, and not all that was asked.
fn gist(record: &Record, vetoes: &[String]) -> Value {
    let input = match &record.question {
        Question::Sequence(input) => json!({"output": {"replica": input.output.replica}}),
        Question::Replicas(input) => json!({"member": {"name": input.member.name}}),
        Question::Seed(_) | Question::Primaries(_) | Question::Check => Value::Null,
    };
    let (answer, failure) = match &record.outcome {
        Outcome::Answered(answer) => (Some(answer), None),
        Outcome::Failed(why) => (None, Some(why)),
    };
    let vetoes = Some(vetoes).filter(|vetoes| !vetoes.is_empty());
    json!({"interface": record.question.interface().versioned(), "input": input, "answer": answer,
        "failure": failure, "vetoes": vetoes, "policy": record.policy})
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
