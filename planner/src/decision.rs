//! What an application decides: the four questions to a policy, and its answers.
//! An answer is a proposal; the host checks what the data allows.

use crate::names::{AttemptId, ReplicaName};
use crate::position::Position;
use crate::record::Reading;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The decisions that differ between applications. An implementation is pure: the same
/// question always has the same answer.
pub trait Decisions {
    /// What does this output of `sequence` say? `code` is its exit code.
    fn sequence(&self, output: &SequenceOutput<'_>) -> Judgement;
    /// Which of these equal candidates starts? Each includes all that the set is known to hold.
    fn seed(&self, candidates: &[Candidate]) -> Verdict<ReplicaName>;
    /// In which order do these members become primary? Demotion takes the reverse.
    fn primaries(&self, members: &[Candidate]) -> Verdict<Vec<ReplicaName>>;
    /// What of a member that is not primary?
    fn replicas(&self, member: &Candidate, primaries: &[ReplicaName]) -> Verdict<Treatment>;
}

/// What `sequence` printed.
#[derive(Clone, Copy, Debug)]
pub struct SequenceOutput<'a> {
    /// Whose.
    pub replica: &'a ReplicaName,
    /// Its exit code.
    pub code: i32,
    /// Its output.
    pub stdout: &'a str,
    /// Its error output.
    pub stderr: &'a str,
    /// The output was cut; such an output is never a position.
    pub truncated: bool,
}

/// What an output of `sequence` says of the data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Judgement {
    /// How much history it holds.
    pub reading: Reading,
    /// What else is known of it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
}

/// A name and a value that mean something to the policy alone, such as `safe_to_bootstrap` and `1`.
pub type Fact = (String, String);

/// A member as a policy sees it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Candidate {
    /// Its name.
    pub replica: ReplicaName,
    /// Its number in the StatefulSet, or its place where there are no numbers.
    pub ordinal: u32,
    /// When its data was created, in seconds since the Unix epoch, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<u64>,
    /// What it holds, where that is known.
    pub position: Option<Position>,
    /// What the policy itself said of its data when it read the position.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Fact>,
}

/// A policy's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Verdict<T> {
    /// What it proposes, and why.
    Proposed {
        /// The proposal.
        answer: T,
        /// Its reason, in its own words.
        why: String,
    },
    /// It has none, and why: it refused, trapped, or answered nonsense.
    Missing(String),
}

/// What becomes of a member that is not primary.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Treatment {
    /// It runs `secondary`.
    RunSecondary {
        /// The primary whose address is the first argument, so that the member knows whom to follow.
        follow: Option<ReplicaName>,
    },
    /// It stays stopped.
    LeaveStopped,
    /// It waits, for this reason.
    Hold(String),
}

/// What the planner wants to know of the policy in this round; see `questions`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Questions {
    /// Equal candidates for a seed.
    pub seed: Option<Vec<Candidate>>,
    /// Members to be ordered for becoming primary.
    pub primaries: Option<Vec<Candidate>>,
    /// Members that are not to be primary.
    pub replicas: Vec<Candidate>,
    /// Whom those may follow: the running primaries of the newest epoch, the lowest place first.
    pub leaders: Vec<ReplicaName>,
}

/// The policy's answers to `Questions`, with the questions that they answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdicts {
    /// Why the policy could not be asked, where it could not: nothing below is its word then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
    /// What each `sequence` said, by attempt.
    pub readings: BTreeMap<AttemptId, Judgement>,
    /// Who seeds.
    pub seed: Option<Verdict<ReplicaName>>,
    /// In which order members become primary.
    pub primaries: Option<Verdict<Vec<ReplicaName>>>,
    /// What becomes of the others.
    pub replicas: BTreeMap<ReplicaName, Verdict<Treatment>>,
}

impl From<Reading> for Judgement {
    fn from(reading: Reading) -> Self {
        Self { reading, facts: Vec::new() }
    }
}

/// Asks the policy everything that is to be asked in this round.
#[must_use]
pub fn judge(policy: &dyn Decisions, questions: &Questions) -> Verdicts {
    Verdicts {
        unavailable: None,
        readings: BTreeMap::new(),
        seed: questions.seed.as_deref().map(|candidates| policy.seed(candidates)),
        primaries: questions.primaries.as_deref().map(|members| policy.primaries(members)),
        replicas: questions
            .replicas
            .iter()
            .map(|member| (member.replica.clone(), policy.replicas(member, &questions.leaders)))
            .collect(),
    }
}
