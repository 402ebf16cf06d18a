//! The policy that is part of the operator, asked as the planner asks it.

use std::collections::BTreeMap;
use std::fmt;
use std::hint::black_box;
use std::time::Instant;

use largest_integer::LargestInteger;
use operator::policy::question::{Member, Question};
use planner::decision::{Candidate, Decisions, SequenceOutput, Verdict};
use planner::names::ReplicaName;
use planner::record::Reading;
use serde::Serialize;
use serde_json::Value;

use super::{ASKED, median};
use crate::candidate::Given;

/// Microseconds that a question takes, by interface: the median; none where it refuses.
#[derive(Debug, Serialize)]
pub(crate) struct Native(BTreeMap<&'static str, Option<f64>>);

type Policy = native_policy::Native<LargestInteger>;

// === impl Native ===

impl Native {
    /// Measured with the questions that components were asked, and with their settings if they are any of its own.
    pub(super) fn measured<'a>(questions: impl Iterator<Item = &'a Question>, settings: &Given) -> Self {
        let settings = Value::Object(settings.0.clone()).to_string().parse();
        let policy = native_policy::Native(settings.unwrap_or_default());
        let one = |question: &Question| {
            let decides = asked(&policy, question)?;
            Some((question.interface().name(), decides().then(|| took(&*decides))))
        };
        Self(questions.filter_map(one).collect())
    }
}

/// The question put to it, and whether it decides.
fn asked<'a>(policy: &'a Policy, question: &'a Question) -> Option<Box<dyn Fn() -> bool + 'a>> {
    let candidates = |members: &[Member]| members.iter().map(Member::candidate).collect::<Vec<Candidate>>();
    match question {
        Question::Sequence(input) => {
            let (output, replica) = (&input.output, ReplicaName(input.output.replica.clone()));
            Some(Box::new(move || {
                let reading = policy.sequence(&SequenceOutput {
                    replica: &replica,
                    code: output.exit_code,
                    stdout: &output.stdout,
                    stderr: &output.stderr,
                    truncated: output.truncated,
                });
                matches!(black_box(reading).reading, Reading::At(_))
            }))
        }
        Question::Seed(input) => {
            let candidates = candidates(&input.candidates);
            Some(Box::new(move || is_proposed(&black_box(policy.seed(&candidates)))))
        }
        Question::Primaries(input) => {
            let members = candidates(&input.members);
            Some(Box::new(move || is_proposed(&black_box(policy.primaries(&members)))))
        }
        Question::Replicas(input) => {
            let primaries: Vec<_> = input.primaries.iter().cloned().map(ReplicaName).collect();
            let member = input.member.candidate();
            Some(Box::new(move || is_proposed(&black_box(policy.replicas(&member, &primaries)))))
        }
        Question::Check => None,
    }
}

fn is_proposed<T>(verdict: &Verdict<T>) -> bool {
    matches!(verdict, Verdict::Proposed { .. })
}

fn took(call: &dyn Fn() -> bool) -> f64 {
    let once = |_| {
        let begun = Instant::now();
        call();
        begun.elapsed()
    };
    median((0..ASKED).map(once).collect()) * 1e6
}

impl fmt::Display for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "without a component, largest-integer as it is part of the operator")?;
        self.0.iter().try_for_each(|(interface, took)| match took {
            Some(us) => write!(f, "\n  {interface:<10} {us:>8.1} us"),
            None => write!(f, "\n  {interface:<10} refuses what was asked"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::questions;

    #[test]
    fn what_it_refuses_is_told_and_not_measured() {
        let measured = |questions: &[Question]| Native::measured(questions.iter(), &Given::default()).0;
        let mut questions = questions::of_numbers();
        let all = measured(&questions);
        assert_eq!(all.keys().copied().collect::<Vec<_>>(), ["primaries", "replicas", "seed", "sequence"]);
        assert!(all.values().all(|took| *took > Some(0.0)), "{all:?}");
        let Question::Sequence(input) = &mut questions[0] else { panic!() };
        input.output.stdout = "cfca5ad2-e4b9-11f1-b976-bfaf6a280d46:8".to_owned();
        let text = Native(measured(&questions)).to_string();
        assert!(text.contains("sequence   refuses what was asked"), "{text}");
    }
}
