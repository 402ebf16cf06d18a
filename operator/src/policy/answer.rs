//! What a policy answers: the values of the contract, in the JSON that records have.

mod words;

use planner::position::Position;
use serde::{Deserialize, Serialize};

use super::question::Pairs;

/// What came back, before anything of it is believed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// Of `sequence`.
    Sequence(Said),
    /// Of `seed`.
    Seed(Proposed),
    /// Of `primaries`.
    Primaries(Ordered),
    /// Of `replicas`.
    Replicas(Treated),
    /// Of `metadata`.
    Check(Checked),
}

/// What an output says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Said {
    /// The reading.
    pub reading: Reading,
    /// The reason.
    pub why: String,
}

/// A reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Reading {
    /// There is data.
    At(Found),
    /// There is none.
    Empty,
    /// It cannot be told.
    Unreadable,
}

/// Data with a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Found {
    /// What it holds.
    pub position: Position,
    /// What else is known of it.
    #[serde(default)]
    pub facts: Pairs,
}

/// Who starts first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proposed {
    /// The proposal.
    pub proposal: Proposal,
    /// The reason.
    pub why: String,
}

/// A proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Proposal {
    /// This one.
    Replica(String),
    /// None of them.
    Refuse,
}

/// An order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ordered {
    /// The names.
    pub ordering: Vec<String>,
    /// The reason.
    pub why: String,
}

/// What becomes of a member.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Treated {
    /// The treatment.
    pub treatment: Treatment,
    /// The reason.
    pub why: String,
}

/// A treatment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Treatment {
    /// It runs, following this one.
    RunSecondary(Option<String>),
    /// It stays stopped.
    LeaveStopped,
    /// It waits.
    Hold,
}

/// What is wrong with settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checked {
    /// All that is wrong.
    pub problems: Vec<Problem>,
}

/// One thing that is wrong with settings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Problem {
    /// A JSON pointer into the settings.
    pub path: String,
    /// What is wrong there.
    pub message: String,
}
