//! A question with settings as text becomes a call of the author's policy: the same natively and as a component.

use crate::{
    Candidate, Policy, Primaries, Problem, Replicas, Seed, Sequence, primaries, replicas, seed, sequence,
};

fn policy<P: Policy>(settings: &str) -> Result<P, String> {
    parsed::<P>(settings).map(P::new)
}

fn parsed<P: Policy>(settings: &str) -> Result<P::Settings, String> {
    serde_json::from_str(settings).map_err(|error| format!("settings: {error}"))
}

pub(crate) fn read<P: Sequence>(settings: &str, output: &sequence::Output) -> sequence::Answer {
    policy::<P>(settings).map_or_else(sequence::Answer::unreadable, |policy| policy.read(output))
}

pub(crate) fn choose<P: Seed>(settings: &str, candidates: &[Candidate]) -> seed::Answer {
    policy::<P>(settings).map_or_else(seed::Answer::refuse, |policy| policy.choose(candidates))
}

/// There is no word for "no order": one without names is none, and the host refuses it.
pub(crate) fn order<P: Primaries>(settings: &str, members: &[Candidate]) -> primaries::Answer {
    policy::<P>(settings).map_or_else(|why| primaries::Answer::order([], why), |policy| policy.order(members))
}

pub(crate) fn treat<P: Replicas>(
    settings: &str,
    member: &Candidate,
    primaries: &[String],
) -> replicas::Answer {
    policy::<P>(settings).map_or_else(replicas::Answer::hold, |policy| policy.treat(member, primaries))
}

/// The schema of the settings, with each type where it is used: the host takes none with references.
#[cfg(any(target_arch = "wasm32", test))]
pub(crate) fn schema<P: Policy>() -> String {
    let mut settings = schemars::generate::SchemaSettings::draft2020_12();
    settings.inline_subschemas = true;
    settings.into_generator().into_root_schema_for::<P::Settings>().as_value().to_string()
}

pub(crate) fn check<P: Policy>(settings: &str) -> Vec<Problem> {
    match parsed::<P>(settings) {
        Ok(settings) => P::check(&settings),
        Err(message) => vec![Problem { path: String::new(), message }],
    }
}

/// For [`export!`](crate::export): each answers one interface, natively.
#[cfg(not(target_arch = "wasm32"))]
pub mod native {
    use crate::record::{Checked, Decision};
    use crate::{Policy, Primaries, Replicas, Seed, Sequence};

    /// Answers `sequence`.
    pub fn sequence<P: Sequence>(settings: &str, asked: &Decision) -> Option<Decision> {
        let Decision::Sequence { input, .. } = asked.clone() else { return None };
        let answer = Some(super::read::<P>(settings, &input.output));
        Some(Decision::Sequence { input, answer })
    }

    /// Answers `seed`.
    pub fn seed<P: Seed>(settings: &str, asked: &Decision) -> Option<Decision> {
        let Decision::Seed { input, .. } = asked.clone() else { return None };
        let answer = Some(super::choose::<P>(settings, &input.candidates));
        Some(Decision::Seed { input, answer })
    }

    /// Answers `primaries`.
    pub fn primaries<P: Primaries>(settings: &str, asked: &Decision) -> Option<Decision> {
        let Decision::Primaries { input, .. } = asked.clone() else { return None };
        let answer = Some(super::order::<P>(settings, &input.members));
        Some(Decision::Primaries { input, answer })
    }

    /// Answers `replicas`.
    pub fn replicas<P: Replicas>(settings: &str, asked: &Decision) -> Option<Decision> {
        let Decision::Replicas { input, .. } = asked.clone() else { return None };
        let answer = Some(super::treat::<P>(settings, &input.member, &input.primaries));
        Some(Decision::Replicas { input, answer })
    }

    /// Answers `check` of `metadata`.
    pub fn metadata<P: Policy>(settings: &str, asked: &Decision) -> Option<Decision> {
        let Decision::Check { input, .. } = asked.clone() else { return None };
        let answer = Some(Checked { problems: super::check::<P>(settings) });
        Some(Decision::Check { input, answer })
    }
}

#[cfg(test)]
mod tests {
    use schemars::JsonSchema;
    use serde::Deserialize;

    use super::*;

    struct Nested;

    #[derive(Deserialize, JsonSchema)]
    struct Settings {
        _order: Order,
        _limits: Vec<Limits>,
    }

    #[derive(Deserialize, JsonSchema)]
    enum Order {
        Up,
        Down,
    }

    #[derive(Deserialize, JsonSchema)]
    struct Limits {
        _most: u32,
    }

    impl Policy for Nested {
        type Settings = Settings;
        const NAME: &'static str = "nested";
        const VERSION: &'static str = "0.1.0";
        const SUMMARY: &'static str = "Settings within settings.";

        fn new(_: Settings) -> Self {
            Self
        }
    }

    #[test]
    fn a_schema_has_each_type_where_it_is_used() {
        let schema = schema::<Nested>();
        assert!(schema.contains("_most") && schema.contains("Down"), "{schema}");
        assert!(!schema.contains("$ref") && !schema.contains("$defs"), "{schema}");
    }
}
