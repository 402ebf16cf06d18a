//! What a policy is asked: the values of the contract, in the JSON that records have.

use std::collections::BTreeMap;

use planner::decision::Candidate;
use planner::names::ReplicaName;
use planner::position::Position;
use serde::{Deserialize, Serialize};

use super::interface::Interface;

/// Names and values, each name once.
pub type Pairs = BTreeMap<String, String>;

/// One question, with all that a policy is told beside its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// What does this output say?
    Sequence(SequenceInput),
    /// Who starts first?
    Seed(SeedInput),
    /// Who becomes primary, in which order?
    Primaries(PrimariesInput),
    /// What becomes of this member?
    Replicas(ReplicasInput),
    /// Are the settings good? They are all that is told.
    Check,
}

/// The input of `sequence`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SequenceInput {
    /// What the command printed.
    pub output: Output,
}

/// The input of `seed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SeedInput {
    /// Those that may seed.
    pub candidates: Vec<Member>,
}

/// The input of `primaries`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PrimariesInput {
    /// Those that are to be ordered.
    pub members: Vec<Member>,
}

/// The input of `replicas`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ReplicasInput {
    /// The one that it is about.
    pub member: Member,
    /// Those that are primary.
    pub primaries: Vec<String>,
}

/// What `sequence` printed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Output {
    /// Whose.
    pub replica: String,
    /// Its exit code.
    pub exit_code: i32,
    /// Its output.
    pub stdout: String,
    /// Its error output.
    pub stderr: String,
    /// It was cut.
    pub truncated: bool,
    /// Room for more.
    pub extra: Pairs,
}

/// A member.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// Its number in the StatefulSet.
    #[serde(default)]
    pub ordinal: Option<u32>,
    /// When its data was created, in seconds since 1970.
    #[serde(default)]
    pub created_at: Option<u64>,
    /// What it holds.
    #[serde(default)]
    pub position: Option<Position>,
    /// What else its `sequence` told.
    #[serde(default)]
    pub facts: Pairs,
    /// Room for more.
    #[serde(default)]
    pub extra: Pairs,
}

impl Member {
    /// It as the planner would give it, where every member has a number.
    #[must_use]
    pub fn candidate(&self) -> Candidate {
        Candidate {
            replica: ReplicaName(self.name.clone()),
            ordinal: self.ordinal.unwrap_or_default(),
            created_at: self.created_at,
            position: self.position.clone(),
            facts: self.facts.clone().into_iter().collect(),
        }
    }
}

impl Question {
    /// Which interface it is asked through.
    #[must_use]
    pub fn interface(&self) -> Interface {
        match self {
            Self::Sequence(_) => Interface::Sequence,
            Self::Seed(_) => Interface::Seed,
            Self::Primaries(_) => Interface::Primaries,
            Self::Replicas(_) => Interface::Replicas,
            Self::Check => Interface::Metadata,
        }
    }

    /// The name of the member that it is about, if it is about one.
    pub(super) fn subject(&self) -> Option<&str> {
        match self {
            Self::Sequence(input) => Some(&input.output.replica),
            Self::Replicas(input) => Some(&input.member.name),
            Self::Seed(_) | Self::Primaries(_) | Self::Check => None,
        }
    }

    /// The same text for the same question, and another for any other.
    pub(super) fn text(&self) -> String {
        let input = match self {
            Self::Sequence(input) => serde_json::to_string(input),
            Self::Seed(input) => serde_json::to_string(input),
            Self::Primaries(input) => serde_json::to_string(input),
            Self::Replicas(input) => serde_json::to_string(input),
            Self::Check => Ok(String::new()),
        };
        format!("{} {}", self.interface().versioned(), input.unwrap_or_default())
    }
}
