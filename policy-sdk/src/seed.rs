//! Which member starts first, alone, after nobody ran?

use crate::{Candidate, Policy};
use serde::{Deserialize, Serialize};

/// Chooses the seed.
pub trait Seed: Policy {
    /// Chooses one of at least one candidate; each holds all that any member is known to hold. Their order means
    /// nothing.
    fn choose(&self, candidates: &[Candidate]) -> Answer;
}

/// A proposal with its reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Answer {
    /// What is proposed.
    pub proposal: Proposal,
    /// Why, in one sentence.
    #[serde(default)]
    pub why: String,
}

/// What is proposed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Proposal {
    /// This one; the name of one of the candidates.
    Replica(String),
    /// None of them: the set waits for a person.
    Refuse,
}

impl Answer {
    /// This one, and why.
    #[must_use]
    pub fn replica(name: &str, why: impl Into<String>) -> Self {
        Self { proposal: Proposal::Replica(name.to_owned()), why: why.into() }
    }

    /// None of them, and why.
    #[must_use]
    pub fn refuse(why: impl Into<String>) -> Self {
        Self { proposal: Proposal::Refuse, why: why.into() }
    }
}
