//! Which member starts first, alone, after nobody ran?

use crate::{Candidate, Policy};
use serde::{Deserialize, Serialize};

/// Chooses the seed.
///
/// ```
/// use policy_sdk::seed::Answer;
/// use policy_sdk::{Candidate, Seed};
/// # use policy_sdk::{NoSettings, Policy};
/// # struct MyDb;
/// # impl Policy for MyDb {
/// #     type Settings = NoSettings;
/// #     const NAME: &'static str = "mydb";
/// #     const VERSION: &'static str = "0.1.0";
/// #     const SUMMARY: &'static str = "MyDB.";
/// #     fn new(_: NoSettings) -> Self { Self }
/// # }
///
/// impl Seed for MyDb {
///     /// One that closed its files cleanly starts sooner; among those the lowest ordinal.
///     fn choose(&self, candidates: &[Candidate]) -> Answer {
///         let is_clean = |one: &Candidate| one.facts.get("clean").is_some_and(|value| value == "1");
///         match candidates.iter().min_by_key(|one| (!is_clean(one), one.ordinal, one.name.clone())) {
///             Some(first) => Answer::replica(&first.name, format!("clean: {}", is_clean(first))),
///             None => Answer::refuse("nobody was given"),
///         }
///     }
/// }
/// ```
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
    /// None of them: nobody starts, and the set says why. It is asked again whenever the operator looks.
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
