//! `decisions`: what the policy decided last, each with its question, its answer, and what the host did not allow of it.

use std::fmt::{self, Display, Formatter};

use operator::api::{Decision, ReplicatedStatefulSet};
use serde::Serialize;
use serde_json::Value;

/// The records, oldest first. As JSON, an array that `policy replay` reads.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Decisions(Vec<Decision>);

/// Those of a set.
pub(crate) fn decisions(set: ReplicatedStatefulSet) -> Decisions {
    Decisions(set.status.unwrap_or_default().decisions)
}

impl Display for Decisions {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return writeln!(f, "no decision is recorded");
        }
        self.0.iter().try_for_each(|one| line(f, &one.0))
    }
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
        return format!("no answer, {failure}");
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
        Some("sequence") => record["input"]["output"]["replica"].as_str().unwrap_or_default().to_owned(),
        _ => String::new(),
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

fn by(policy: &Value) -> String {
    let part = |name: &str| policy[name].as_str().map(str::to_owned);
    let parts: Vec<String> = ["name", "version", "digest"].into_iter().filter_map(part).collect();
    if parts.is_empty() { "the operator's own policy".to_owned() } else { parts.join(" ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_decision_is_a_line_that_says_when_what_why_and_by_whom() {
        let component = json!({"name": "galera", "version": "0.1.0", "digest": "sha256:ab"});
        let all = [
            json!({"interface": "seed@0.1.0", "at": "T1", "policy": {},
                "input": {"candidates": [{"name": "x-0"}, {"name": "x-1"}]},
                "answer": {"proposal": {"replica": "x-1"}, "why": "largest"}}),
            json!({"interface": "primaries@0.1.0", "at": "T2", "policy": component,
                "input": {"members": []}, "answer": {"ordering": ["x-1", "x-0"], "why": ""}}),
            json!({"interface": "replicas@0.1.0", "at": "T3", "policy": component,
                "input": {"member": {"name": "x-2"}},
                "answer": {"treatment": {"runSecondary": "x-1"}, "why": ""}, "vetoes": ["x-1 is not known"]}),
            json!({"interface": "sequence@0.1.0", "at": "T4", "policy": component, "input": {"output": {}},
                "failure": "it trapped"}),
        ];
        let told = Decisions(all.into_iter().map(Decision).collect()).to_string();
        let expected = "\
T1  seed       x-1 of x-0, x-1: largest (the operator's own policy)
T2  primaries  x-1, x-0 (galera 0.1.0 sha256:ab)
T3  replicas   x-2 runs as secondary of x-1; refused because x-1 is not known (galera 0.1.0 sha256:ab)
T4  sequence   no answer, it trapped (galera 0.1.0 sha256:ab)
";
        assert_eq!(told, expected);
        assert_eq!(Decisions(Vec::new()).to_string(), "no decision is recorded\n");
    }
}
