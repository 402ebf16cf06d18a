//! `decisions`: what the policy decided last, each with its question, its answer, and what the host did not allow of it.

use std::fmt::{self, Display, Formatter};
use std::sync::Arc;

use anyhow::Result;
use operator::api::{CandidateStatus, Decision, ReplicatedStatefulSet};
use operator::policy::record::{By, compact};
use operator::report::words;
use serde::Serialize;
use serde_json::Value;

use crate::explain;

/// The records of a set, oldest first, and what its candidate made of the same questions. As JSON `policy replay` reads it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Decisions {
    api_version: &'static str,
    kind: &'static str,
    decisions: Vec<Decision>,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidate: Option<Box<CandidateStatus>>,
}

/// Those of a set, with what the status keeps of it once but several of its questions have; `again` is what commands have
/// in them to ask the same cluster.
///
/// # Errors
/// If no operator has looked at it.
pub(crate) fn decisions(set: &ReplicatedStatefulSet, again: &str) -> Result<Decisions> {
    let status = explain::status(set, again)?;
    let mut decisions = status.decisions.clone();
    decisions.iter_mut().for_each(|one| compact::expand(Arc::make_mut(&mut one.0)));
    let candidate = status.policy.as_ref().and_then(|policy| policy.candidate.clone());
    Ok(Decisions::new(decisions, candidate))
}

// === impl Decisions ===

impl Decisions {
    fn new(decisions: Vec<Decision>, candidate: Option<Box<CandidateStatus>>) -> Self {
        Self { api_version: explain::API_VERSION, kind: "Decisions", decisions, candidate }
    }
}

impl Display for Decisions {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.decisions.is_empty() {
            writeln!(f, "no decision is recorded")?;
        }
        self.decisions.iter().try_for_each(|one| line(f, &one.0))?;
        self.candidate.iter().try_for_each(|candidate| compared(f, candidate))
    }
}

/// What a candidate, which nobody follows, would have decided.
fn compared(f: &mut Formatter<'_>, candidate: &CandidateStatus) -> fmt::Result {
    let since = candidate.since.as_ref().map(|since| format!(", since {}", since.0)).unwrap_or_default();
    writeln!(f, "\ncandidate  {}{since}", words::policy(Some(&candidate.policy())))?;
    let CandidateStatus { agreed, disagreed, failed, skipped, .. } = candidate;
    for (name, count) in
        [("agreed", agreed), ("disagreed", disagreed), ("failed", failed), ("skipped", skipped)]
    {
        writeln!(f, "{name:9}  {count}")?;
    }
    candidate.disagreements.iter().try_for_each(|Decision(record)| {
        let text = |name: &str| record[name].as_str().unwrap_or_default();
        writeln!(f, "{}  {}", text("at"), text("difference"))
    })
}

fn line(f: &mut Formatter<'_>, record: &Value) -> fmt::Result {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let interface = text(&record["interface"]);
    let kind = interface.split('@').next().unwrap_or_default();
    write!(f, "{}  {kind:9}  {}", text(&record["at"]), outcome(record))?;
    let why = text(&record["answer"]["why"]);
    if !why.is_empty() {
        write!(f, ": {why}")?;
    }
    for veto in record["vetoes"].as_array().into_iter().flatten() {
        write!(f, "; refused because {}", text(veto))?;
    }
    writeln!(f, " ({})", by(&record["policy"]))
}

/// What came of the question, and about whom it was.
fn outcome(record: &Value) -> String {
    let answer = &record["answer"];
    let names = |list: &Value| -> String {
        let names = list.as_array().into_iter().flatten();
        names.filter_map(|one| one.as_str().or(one["name"].as_str())).collect::<Vec<_>>().join(", ")
    };
    if let Some(failure) = record["failure"].as_str() {
        return format!("{}no answer, {failure}", about(&record["input"]));
    }
    match record["interface"].as_str().unwrap_or_default().split('@').next() {
        Some("seed") => {
            let chosen = answer["proposal"]["replica"].as_str().unwrap_or("nobody");
            format!("{chosen} of {}", names(&record["input"]["candidates"]))
        }
        Some("primaries") => names(&answer["ordering"]),
        Some("replicas") => {
            let member = record["input"]["member"]["name"].as_str().unwrap_or_default();
            format!("{member} {}", treatment(&answer["treatment"]))
        }
        Some("sequence") => format!("{}{}", about(&record["input"]), reading(&answer["reading"])),
        _ => String::new(),
    }
}

/// The member that a question is about, where it is about one.
fn about(input: &Value) -> String {
    let name = input["output"]["replica"].as_str().or(input["member"]["name"].as_str());
    name.map(|name| format!("{name}: ")).unwrap_or_default()
}

fn reading(said: &Value) -> String {
    match said["at"]["position"].as_object() {
        Some(position) => Value::from(position.clone()).to_string(),
        None => said.as_str().unwrap_or_default().to_owned(),
    }
}

fn treatment(said: &Value) -> String {
    match (said.as_str(), said["runSecondary"].as_str()) {
        (_, Some(leader)) => format!("runs as secondary of {leader}"),
        (Some("leaveStopped"), _) => "is left stopped".to_owned(),
        (Some("hold"), _) => "waits".to_owned(),
        _ => "runs as secondary".to_owned(),
    }
}

/// Who gave the answer, in the words of events and conditions.
fn by(policy: &Value) -> String {
    match serde_json::from_value::<By>(policy.clone()) {
        Ok(by) => words::by(&by),
        Err(_) => "it is not recorded by whom".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_decision_is_a_line_that_says_when_what_why_and_by_whom() {
        let digest = format!("sha256:{}", "ab".repeat(32));
        let component = json!({"name": "galera", "version": "0.1.0", "digest": digest});
        let all = [
            json!({"interface": "seed@0.1.0", "at": "T1", "policy": {},
                "input": {"candidates": [{"name": "x-0"}, {"name": "x-1"}]},
                "answer": {"proposal": {"replica": "x-1"}, "why": "largest"}}),
            json!({"interface": "primaries@0.1.0", "at": "T2", "policy": component,
                "input": {"members": []}, "answer": {"ordering": ["x-1", "x-0"], "why": ""}}),
            json!({"interface": "replicas@0.1.0", "at": "T3", "policy": component,
                "input": {"member": {"name": "x-2"}},
                "answer": {"treatment": {"runSecondary": "x-1"}, "why": ""}, "vetoes": ["x-1 is not known"]}),
            json!({"interface": "sequence@0.1.0", "at": "T4", "policy": component, "input": {"output": {"replica": "x-0"}},
                "failure": "it trapped"}),
            json!({"interface": "sequence@0.1.0", "at": "T5", "policy": component, "input": {"output": {"replica": "x-0"}},
                "answer": {"reading": {"at": {"position": {"ordinal": 7}}}, "why": ""}, "vetoes": ["it failed"]}),
            json!({"interface": "sequence@0.1.0", "at": "T6", "input": {"output": {"replica": "x-0"}},
                "answer": {"reading": "empty", "why": ""}}),
        ];
        let decisions = all.into_iter().map(|one| Decision(one.into())).collect();
        let told = Decisions::new(decisions, None).to_string();
        let expected = "\
T1  seed       x-1 of x-0, x-1: largest (policy largest-integer)
T2  primaries  x-1, x-0 (policy galera 0.1.0 sha256:abababababab)
T3  replicas   x-2 runs as secondary of x-1; refused because x-1 is not known (policy galera 0.1.0 sha256:abababababab)
T4  sequence   x-0: no answer, it trapped (policy galera 0.1.0 sha256:abababababab)
T5  sequence   x-0: {\"ordinal\":7}; refused because it failed (policy galera 0.1.0 sha256:abababababab)
T6  sequence   x-0: empty (it is not recorded by whom)
";
        assert_eq!(told, expected);
        let none = Decisions::new(Vec::new(), None);
        assert_eq!(none.to_string(), "no decision is recorded\n");
    }

    #[test]
    fn what_a_candidate_would_have_decided_is_a_short_table() {
        let digest = format!("sha256:{}", "ab".repeat(32));
        let candidate = json!({"name": "galera", "version": "0.2.0", "digest": digest,
            "since": "2026-01-02T03:04:05Z", "agreed": 41, "disagreed": 1, "failed": 0, "skipped": 0,
            "disagreements": [{"at": "T9", "difference": "seed: x-1; decided was: x-0"}]});
        let candidate = serde_json::from_value(candidate).unwrap();
        let told = Decisions::new(Vec::new(), Some(candidate)).to_string();
        let expected = "\
no decision is recorded

candidate  galera 0.2.0 sha256:abababababab, since 2026-01-02T03:04:05Z
agreed     41
disagreed  1
failed     0
skipped    0
T9  seed: x-1; decided was: x-0
";
        assert_eq!(told, expected);
    }
}
