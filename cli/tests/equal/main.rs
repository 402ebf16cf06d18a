//! `largest-integer` is one source used twice: linked in and as a component it answers the same, to the byte.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod generated;

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::{fs, thread};

use generated::{of_operator, of_sdk, questions};
use largest_integer::LargestInteger;
use native_policy::Native;
use operator::policy::question::{Member, Question};
use operator::policy::record::Outcome;
use operator::policy::{Component, Host, Policy, Settings, limits};
use planner::decision::{Decisions, SequenceOutput};
use planner::names::ReplicaName;
use policy_sdk::fixture::Exported;
use serde_json::{Value, json};

/// The questions that each function gets. A failure names its seed.
fn seeds() -> std::ops::Range<u64> {
    simulator::sampled(1..301, 1..1501)
}

/// Builds the component as an author does, and takes it as the operator does.
fn component() -> Component {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies/largest-integer");
    let mut tool = Command::new(env!("CARGO_BIN_EXE_kubectl-rss"));
    tool.args(["policy", "build", "-o", "json"]).arg(folder).stderr(Stdio::inherit());
    let done = tool.output().unwrap();
    assert!(done.status.success(), "the component was not built");
    let built: Value = serde_json::from_slice(&done.stdout).unwrap();
    let bytes = fs::read(built["path"].as_str().unwrap()).unwrap();
    Component::load(&Host::new().unwrap(), &bytes).unwrap()
}

/// Runs on a stack that calls of policies need.
fn with_room(test: impl FnOnce(Component) + Send + 'static) {
    let worker = thread::Builder::new().stack_size(4 * limits::THREAD_STACK);
    if let Err(panic) = worker.spawn(|| test(component())).unwrap().join() {
        std::panic::resume_unwind(panic);
    }
}

/// Settings that the policy's schema takes, and others, of which a policy that is asked all the same says why not.
fn settings() -> Vec<Value> {
    let bad = [
        json!({"monotonic": 1}),
        json!({"monotonic": "true"}),
        json!({"monotonic": null}),
        json!({"monotonic": [true]}),
        json!({"other": true}),
        json!({"monotonic": true, "\u{e9}": {"a": [1.5, -1]}}),
    ];
    good().into_iter().chain(bad).collect()
}

fn good() -> Vec<Value> {
    vec![json!({}), json!({"monotonic": false}), json!({"monotonic": true})]
}

/// Bytes as they would be written down.
fn bytes(answer: &impl serde::Serialize) -> String {
    serde_json::to_string(answer).unwrap()
}

/// The answer of a decision in the SDK's words, written as the operator writes it.
fn answer(decision: &Value) -> String {
    match of_operator(decision).outcome {
        Outcome::Answered(answer) => bytes(&answer),
        Outcome::Failed(why) => panic!("it has no answer: {why}"),
    }
}

#[test]
fn every_function_answers_the_same_natively_and_as_a_component() {
    with_room(|component| {
        let (settings, mut found) = (settings(), BTreeSet::new());
        for seed in seeds() {
            for question in questions(seed, &settings) {
                let record = of_sdk(&question);
                let text = record.settings_text();
                let native = LargestInteger::decide(&text, &record.decision).unwrap();
                let native = answer(&serde_json::to_value(native).unwrap());
                let asked = component.ask(&text, &of_operator(&question).question);
                let asked = asked.map(|ran| bytes(&ran.value));
                let asked = asked.unwrap_or_else(|failure| panic!("seed {seed}: {failure}: {question}"));
                assert_eq!(asked, native, "seed {seed}: {question}");
                found.insert(asked.split('"').take(4).collect::<String>());
            }
        }
        // Positions, no data and what is unreadable, a seed and none, orders, treatments, settings good and bad.
        assert!(found.len() >= 9, "{found:?}");
    });
}

/// The verdict as the planner gets it, and the record that is left of it, without who gave it.
fn verdict(policy: &Policy<'_>, question: &Question) -> String {
    let all = |members: &[Member]| members.iter().map(Member::candidate).collect::<Vec<_>>();
    let verdict = match question {
        Question::Sequence(input) => {
            let output = &input.output;
            let replica = &ReplicaName(output.replica.clone());
            let (stdout, stderr) = (output.stdout.as_str(), output.stderr.as_str());
            let truncated = output.truncated;
            bytes(&policy.sequence(&SequenceOutput {
                replica,
                code: output.exit_code,
                stdout,
                stderr,
                truncated,
            }))
        }
        Question::Seed(input) => bytes(&policy.seed(&all(&input.candidates))),
        Question::Primaries(input) => bytes(&policy.primaries(&all(&input.members))),
        Question::Replicas(input) => {
            let primaries: Vec<_> = input.primaries.iter().cloned().map(ReplicaName).collect();
            bytes(&policy.replicas(&input.member.candidate(), &primaries))
        }
        Question::Check => return String::new(),
    };
    let [record] = &policy.take_records()[..] else { panic!("one question, one record") };
    let record = serde_json::to_value(record).unwrap();
    format!("{verdict} {} {} {}", record["input"], record["answer"], record["failure"])
}

#[test]
fn the_planner_gets_the_same_verdicts_of_both_and_the_records_say_the_same() {
    with_room(|component| {
        let component = Arc::new(component);
        for settings in good() {
            let monotonic = settings["monotonic"] == true;
            let given = Settings::new(settings.as_object().cloned().unwrap()).unwrap();
            component.accepts(&given).unwrap();
            let native = Native(LargestInteger { monotonic });
            let linked = Policy::builtin(given.clone(), &native);
            let asked = Policy::new(Arc::clone(&component), Arc::new(given), &native);
            for seed in seeds() {
                for question in questions(seed, std::slice::from_ref(&settings)) {
                    let of = of_operator(&question).question;
                    assert_eq!(verdict(&asked, &of), verdict(&linked, &of), "seed {seed}: {question}");
                }
            }
        }
    });
}
