//! What changed with the policy of a set, and which of its answers count for nothing.

use std::collections::BTreeSet;

use super::{Happened, Reason};
use crate::api::condition::{ConditionType, get};
use crate::api::{self, PolicyStatus, SetStatus};
use crate::policy::Judge;
use crate::policy::question::Question;
use crate::policy::record::{Outcome, Record};
use crate::report::words;

/// What the status before did not tell: that another policy decides, or why what is named does not.
#[must_use]
pub fn of_policy(policy: &Judge, before: &SetStatus) -> Vec<Happened> {
    let mut all = Vec::new();
    let is_known = |reason: api::Reason, message: &str| {
        [ConditionType::PolicyReady, ConditionType::PolicyStale].into_iter().any(|kind| {
            let told = get(&before.conditions, kind);
            told.is_some_and(|told| told.reason == reason.as_str() && told.message == message)
        })
    };
    if let Some(active) = policy.active.as_ref().filter(|_| policy.decides()) {
        let known = before.policy.as_ref();
        // The operator's own needs no word where nothing else was asked for.
        let is_news =
            known.map_or(active.builtin.is_none(), |known| !known.answers_as(active) || !was_ready(before));
        if is_news {
            let note = format!("{} decides", words::policy(Some(active)));
            all.push(happened(api::Reason::PolicyActive, false, note));
        }
    }
    if let Some(unkept) = policy.unkept.as_ref().filter(|_| policy.decides()) {
        let note = words::unkept(policy, unkept);
        if !is_known(unkept.reason, &note) {
            all.push(happened(unkept.reason, true, note));
        }
    }
    if let Some(obstacle) = &policy.obstacle {
        let comes = obstacle.reason == api::Reason::PolicyLoading;
        if !comes && !is_known(obstacle.reason, &obstacle.message) {
            let goes_on = match policy.decides() {
                true => format!("{} goes on deciding", words::policy(policy.active.as_ref())),
                false => "nobody decides".to_owned(),
            };
            let note = format!("{}; {goes_on}", obstacle.message);
            all.push(happened(obstacle.reason, true, note));
        }
    }
    all
}

/// Whether a policy decided when the status was written.
fn was_ready(before: &SetStatus) -> bool {
    get(&before.conditions, ConditionType::PolicyReady).is_none_or(|told| told.status == "True")
}

/// The answers that the host does not believe, and questions that a component did not answer.
fn refusals(records: &[Record]) -> impl Iterator<Item = Happened> {
    records.iter().filter_map(refusal)
}

/// Different refused answers of one policy that are told: as many as one look may have. A policy may make up new ones
/// for ever; what was told is not forgotten for them, they are not told.
const MOST_REFUSED: usize = 256;

/// The refused answers that were told, of the policy that decides now.
#[derive(Default)]
pub struct RefusalsTold {
    of: Option<PolicyStatus>,
    notes: BTreeSet<String>,
}

impl RefusalsTold {
    /// Those that are new, each once: most are given again in every look.
    pub fn news(&mut self, policy: &Judge, records: &[Record]) -> Vec<Happened> {
        let known = |now: &&PolicyStatus| self.of.as_ref().is_some_and(|known| known.answers_as(now));
        if let Some(now) = policy.active.as_ref().filter(|now| !known(now)) {
            *self = Self { of: Some(now.clone()), notes: BTreeSet::new() };
        }
        let mut all = Vec::new();
        for happened in refusals(records) {
            if self.notes.len() < MOST_REFUSED && self.notes.insert(happened.note.clone()) {
                all.push(happened);
                if self.notes.len() == MOST_REFUSED {
                    let note = "more answers are refused than are told; the status keeps the newest";
                    all.push(self::happened(api::Reason::VerdictRefused, true, note.to_owned()));
                }
            }
        }
        all
    }
}

fn refusal(record: &Record) -> Option<Happened> {
    let by = record.policy.as_ref().filter(|by| by.digest.is_some()).map(words::by)?;
    let asked = record.question.interface().name();
    let about = match &record.question {
        Question::Sequence(input) => format!(" about {}", input.output.replica),
        Question::Replicas(input) => format!(" about {}", input.member.name),
        Question::Seed(_) | Question::Primaries(_) | Question::Check => String::new(),
    };
    let note = match &record.outcome {
        Outcome::Answered(answer) if !record.vetoes.is_empty() => {
            let (proposal, why) = (answer.proposal(&record.question), record.vetoes.join("; "));
            format!("{by} proposed {proposal}; refused because {why}")
        }
        _ if !record.vetoes.is_empty() => {
            format!("{by} answered {asked}{about}; refused because {}", record.vetoes.join("; "))
        }
        Outcome::Failed(why) => format!("{by} did not answer {asked}{about}: {why}"),
        Outcome::Answered(_) => return None,
    };
    Some(happened(api::Reason::VerdictRefused, true, note))
}

fn happened(reason: api::Reason, is_warning: bool, note: String) -> Happened {
    Happened { reason: Reason::Shell(reason), is_warning, replica: None, note }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::{Decider, Digest, Obstacle};
    use largest_integer::LargestInteger;
    use serde_json::json;

    fn component(bytes: &[u8]) -> Option<PolicyStatus> {
        Some(PolicyStatus { digest: Some(Digest::of(bytes)), ..PolicyStatus::default() })
    }

    /// As if a component decided; events do not ask it anything.
    fn by(active: Option<PolicyStatus>, obstacle: Option<Obstacle>) -> Judge {
        Judge { active, obstacle, ..Judge::builtin(LargestInteger::default()) }
    }

    fn told(policy: Option<PolicyStatus>, ready: &str, reason: &str, message: &str) -> SetStatus {
        let condition = json!([{"type": "PolicyReady", "status": ready, "reason": reason, "message": message,
            "lastTransitionTime": "2026-01-01T00:00:00Z"}]);
        SetStatus { policy, conditions: serde_json::from_value(condition).unwrap(), ..SetStatus::default() }
    }

    fn words(policy: &Judge, before: &SetStatus) -> Vec<&'static str> {
        of_policy(policy, before).iter().map(|one| one.reason.as_str()).collect()
    }

    #[test]
    fn who_decides_is_told_when_it_changes_and_not_again() {
        let first = by(component(b"one"), None);
        assert_eq!(words(&first, &SetStatus::default()), ["PolicyActive"]);
        let ready = told(component(b"one"), "True", "PolicyActive", "");
        assert_eq!(words(&first, &ready), [""; 0]);
        assert_eq!(words(&by(component(b"two"), None), &ready), ["PolicyActive"]);
        let away = told(component(b"one"), "False", "PolicyUnavailable", "");
        assert_eq!(words(&first, &away), ["PolicyActive"], "it is back");
        let builtin = Judge::builtin(LargestInteger::default());
        assert_eq!(words(&builtin, &SetStatus::default()), [""; 0], "nothing else was asked for");
        assert_eq!(words(&builtin, &ready), ["PolicyActive"]);
    }

    #[test]
    fn why_it_does_not_decide_is_told_once_for_each_reason_and_that_it_comes_is_no_news() {
        let obstacle = |reason, message: &str| Some(Obstacle { reason, message: message.to_owned() });
        let nobody = |reason, message: &str| {
            let decider = Decider::Nobody(message.to_owned());
            Judge { decider, ..by(None, obstacle(reason, message)) }
        };
        let refused = nobody(api::Reason::PolicyRefused, "it is text");
        let happened = of_policy(&refused, &SetStatus::default());
        assert_eq!(happened[0].note, "it is text; nobody decides");
        assert!(happened[0].is_warning);
        assert_eq!(words(&refused, &told(None, "False", "PolicyRefused", "it is text")), [""; 0]);
        assert_eq!(words(&refused, &told(None, "False", "PolicyRefused", "it is large")), ["PolicyRefused"]);
        assert_eq!(words(&nobody(api::Reason::PolicyLoading, "it comes"), &SetStatus::default()), [""; 0]);
    }

    #[test]
    fn that_what_decides_is_not_kept_is_told_once() {
        let full = Obstacle { reason: api::Reason::PolicyNotKept, message: "32 are".to_owned() };
        let unkept = Judge { unkept: Some(full), ..by(component(b"one"), None) };
        let ready = told(component(b"one"), "True", "PolicyActive", "");
        let happened = of_policy(&unkept, &ready);
        assert!(happened.len() == 1 && happened[0].is_warning, "{}", happened.len());
        let note = &happened[0].note;
        assert!(note.ends_with(" decides and is not kept in the cluster: 32 are"), "{note}");
        assert_eq!(words(&unkept, &told(component(b"one"), "True", "PolicyNotKept", note)), [""; 0]);
    }

    #[test]
    fn an_answer_that_is_not_believed_and_none_at_all_are_told_with_whom_they_are_about() {
        let record = |more: serde_json::Value| -> Record {
            let mut json = json!({"interface": "sequence@0.1.0", "input": {"output": {"replica": "x-0"}},
                "policy": {"name": "p", "version": "1", "digest": Digest::of(b"p")}});
            json.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            serde_json::from_value(json).unwrap()
        };
        let answer = json!({"reading": "empty", "why": ""});
        let all = [
            record(json!({"failure": "it trapped"})),
            record(json!({"failure": "refused", "vetoes": ["it was cut"]})),
            record(json!({"answer": answer, "vetoes": ["it was cut"]})),
            record(json!({"answer": answer})),
            record(json!({"failure": "none", "policy": {}})),
        ];
        let notes: Vec<String> = refusals(&all).map(|one| one.note).collect();
        let [trapped, refused, proposed] = &notes[..] else { panic!("{notes:?}") };
        assert!(trapped.starts_with("policy p 1 sha256:"), "{trapped}");
        assert!(trapped.ends_with(" did not answer sequence about x-0: it trapped"), "{trapped}");
        assert!(refused.ends_with(" answered sequence about x-0; refused because it was cut"), "{refused}");
        assert!(
            proposed.ends_with(" proposed no data as what x-0 holds; refused because it was cut"),
            "{proposed}"
        );
    }

    #[test]
    fn refused_answers_are_told_once_however_many_there_are_in_each_look_and_another_policys_anew() {
        let refused = |from: u32, to: u32| -> Vec<Record> {
            let one = |n: u32| {
                json!({"interface": "sequence@0.1.0", "input": {"output": {"replica": format!("x-{n}")}},
                    "policy": {"digest": Digest::of(b"p")}, "failure": "it trapped"})
            };
            (from..to).map(|n| serde_json::from_value(one(n)).unwrap()).collect()
        };
        let (mut told, one) = (RefusalsTold::default(), by(component(b"one"), None));
        assert_eq!(told.news(&one, &refused(0, 100)).len(), 100);
        assert_eq!(told.news(&one, &refused(0, 100)), []);
        let more = told.news(&one, &refused(0, 300));
        assert_eq!(more.len(), 157, "those that there is room for, and that there are more");
        assert!(more[156].note.starts_with("more answers are refused than are told"));
        assert_eq!(told.news(&one, &refused(0, 300)), []);
        assert_eq!(told.news(&by(component(b"two"), None), &refused(0, 2)).len(), 2);
    }
}
