//! A question with settings as text becomes a call of the author's policy: the same natively and as a component.

use crate::{
    Candidate, Policy, Primaries, Problem, Replicas, Seed, Sequence, Settings, primaries, replicas, seed,
    sequence,
};

fn policy<P: Policy>(settings: &str) -> Result<P, String> {
    parsed::<P>(settings).map(P::new)
}

fn parsed<P: Policy>(settings: &str) -> Result<P::Settings, String> {
    P::Settings::read(settings).map_err(|why| format!("settings: {why}"))
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
