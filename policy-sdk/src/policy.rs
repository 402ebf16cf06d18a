//! What a policy is, and what it says of itself.

use serde::{Deserialize, Serialize};

use crate::Settings;

/// A policy with its settings.
///
/// ```
/// use policy_sdk::{Policy, Problem};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// pub struct MyDb(Settings);
///
/// #[derive(Deserialize, JsonSchema)]
/// #[serde(deny_unknown_fields)]
/// pub struct Settings {
///     /// The lineage that counts.
///     lineage: String,
/// }
///
/// impl Policy for MyDb {
///     type Settings = Settings;
///     const NAME: &'static str = "mydb";
///     const VERSION: &'static str = "0.1.0";
///     const SUMMARY: &'static str = "MyDB, of one lineage.";
///
///     fn new(settings: Settings) -> Self {
///         Self(settings)
///     }
///
///     /// What the schema cannot say.
///     fn check(settings: &Settings) -> Vec<Problem> {
///         let is_good = !settings.lineage.contains('/');
///         let message = "a lineage has no `/`; give what stands before it".to_owned();
///         if is_good { Vec::new() } else { vec![Problem { path: "/lineage".to_owned(), message }] }
///     }
/// }
/// ```
pub trait Policy: Sized {
    /// `spec.policy.settings`; [`NoSettings`](crate::NoSettings) if there are none.
    type Settings: Settings;

    /// Such as `galera`: lower case letters, digits and `-`, at most 63.
    const NAME: &'static str;
    /// A semantic version; `env!("CARGO_PKG_VERSION")` is that of the crate.
    const VERSION: &'static str;
    /// One sentence: for which application, reading what.
    const SUMMARY: &'static str;

    /// The policy with these settings.
    fn new(settings: Self::Settings) -> Self;

    /// What is wrong with settings that agree with their schema; empty if they are good.
    #[must_use]
    fn check(settings: &Self::Settings) -> Vec<Problem> {
        let _ = settings;
        Vec::new()
    }
}

/// Something wrong with the settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Problem {
    /// A JSON pointer into them, such as `/monotonic`; empty for the whole.
    pub path: String,
    /// What is wrong, and what would be right.
    #[serde(default)]
    pub message: String,
}
