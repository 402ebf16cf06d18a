//! Which policy decides.

use super::invalid::Problems;
use super::notice::Notice;
use crate::api::{Builtin, PolicySpec};

/// What would be right where a policy cannot be run.
const CURE: &str = "leave spec.policy out, or write `policy: {builtin: largest-integer}`";

/// Who takes the decisions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Policy {
    /// A policy that is part of the operator.
    Builtin(Builtin),
}

impl Policy {
    /// Anything that would be asked of a policy and not be done is a problem: a signature that nobody checks, or a
    /// setting that nobody reads, is worse than a refusal.
    pub(super) fn parse(
        given: Option<&PolicySpec>,
        problems: &mut Problems,
        notices: &mut Vec<Notice>,
    ) -> Self {
        let builtin = Self::Builtin(given.and_then(|policy| policy.builtin).unwrap_or_default());
        let Some(given) = given else { return builtin };
        let sources = [given.builtin.is_some(), given.image.is_some(), given.config_map.is_some()];
        if sources.into_iter().filter(|given| *given).count() != 1 {
            problems.add("spec.policy", "it does not have exactly one source", CURE);
        }
        for (written, path, reason) in [
            (given.image.is_some(), "spec.policy.image", "policies of a registry cannot be run yet"),
            (
                given.config_map.is_some(),
                "spec.policy.configMap",
                "policies of a ConfigMap cannot be run yet",
            ),
            (
                given.verification.is_some(),
                "spec.policy.verification",
                "a builtin policy carries no signature",
            ),
            (given.settings.is_some(), "spec.policy.settings", "largest-integer has no settings"),
            (given.candidate.is_some(), "spec.policy.candidate", "candidates cannot be asked yet"),
        ] {
            if written {
                problems.add(path, reason, CURE);
            }
        }
        for (written, path) in [
            (given.pull_policy.is_some(), "spec.policy.pullPolicy"),
            (!given.pull_secrets.is_empty(), "spec.policy.pullSecrets"),
        ] {
            if written {
                notices.push(Notice::FieldIgnored { path, why: "a builtin policy is not pulled" });
            }
        }
        builtin
    }
}
