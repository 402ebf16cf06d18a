//! What is corrected without loss, as the causes of holds say.

use super::commands::Set;
use super::way::Way;
use super::{by_place, subject};
use crate::explain::wait::Wait;
use crate::shell;

/// What a person does about a cause, by the word that Kubernetes or the operator has for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Correction {
    /// The API server takes no new pod.
    Admission,
    /// An image cannot be had.
    Image,
    /// A claim gets no volume.
    Claim,
    /// A command prints too much.
    Command,
    /// The pod says more.
    Pod,
}

/// What is corrected for these members.
struct Found<'a> {
    correction: Correction,
    members: Vec<&'a str>,
    causes: Vec<&'a str>,
    seconds: Option<i64>,
}

const CORRECTIONS: &[(&str, Correction)] = &[
    ("FailedCreate", Correction::Admission),
    ("StepFailed", Correction::Admission),
    ("ErrImagePull", Correction::Image),
    ("ImagePullBackOff", Correction::Image),
    ("InvalidImageName", Correction::Image),
    ("ErrImageNeverPull", Correction::Image),
    ("ImageInspectError", Correction::Image),
    ("RegistryUnavailable", Correction::Image),
    ("ProvisioningFailed", Correction::Claim),
    ("OutputTooLong", Correction::Command),
];

// === impl Correction ===

impl Correction {
    fn of(cause: &str) -> Self {
        let word = cause.split(':').next().unwrap_or_default();
        CORRECTIONS.iter().find(|(known, _)| *known == word).map_or(Self::Pod, |(_, correction)| *correction)
    }

    /// In words; `{}` is whom it is about.
    fn means(self) -> &'static str {
        match self {
            Self::Admission => {
                "let the pod of {} be made: make room in the quota, or correct the webhook or policy"
            }
            Self::Image => "correct the image of {}, or the way to its registry",
            Self::Claim => "let the claims of {} get their volumes",
            Self::Command => "correct commands.sequence, so that less is printed for {}",
            Self::Pod => "correct what keeps the container of {} from running",
        }
    }
}

// === impl Set ===

impl Set<'_> {
    /// One way for each cause, whatever the number of holds and members that it is said of.
    pub(super) fn corrections(&self, waits: &[Wait]) -> Vec<Way> {
        let mut found: Vec<Found<'_>> = Vec::new();
        for wait in by_place(waits.iter().filter(|wait| wait.cause.is_some())) {
            let cause = wait.cause.as_deref().unwrap_or_default();
            let correction = Correction::of(cause);
            let at = found.iter().position(|found| found.correction == correction).unwrap_or_else(|| {
                found.push(Found {
                    correction,
                    members: Vec::new(),
                    causes: Vec::new(),
                    seconds: wait.seconds,
                });
                found.len() - 1
            });
            let known = &mut found[at];
            known.members.extend(Some(subject(wait)).filter(|member| !known.members.contains(member)));
            known.causes.extend(Some(cause).filter(|cause| !known.causes.contains(cause)));
            known.seconds = known.seconds.min(wait.seconds);
        }
        found.iter().map(|found| self.correction(found)).collect()
    }

    fn correction(&self, found: &Found<'_>) -> Way {
        let means = found.correction.means().replace("{}", &found.members.join(", "));
        let means = format!("{means} ({}); nothing is lost", found.causes.join("; "));
        Way::by_hand(means, Some(self.help(found.correction, &found.members)), found.seconds)
    }

    /// The command that shows more, or corrects it.
    fn help(&self, correction: Correction, members: &[&str]) -> String {
        match correction {
            Correction::Image | Correction::Command => self.edit(),
            Correction::Admission => format!("kubectl describe statefulsets,resourcequotas{}", self.behind()),
            Correction::Claim => format!("kubectl describe persistentvolumeclaims{}", self.behind()),
            Correction::Pod => {
                let pods: Vec<_> = members.iter().map(|member| shell::word(member).to_string()).collect();
                format!("kubectl describe pods {}{}", pods.join(" "), self.behind())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_known_by_its_word_and_not_by_what_follows() {
        for (cause, expected) in [
            ("FailedCreate: pods \"x-0\" is forbidden: exceeded quota", Correction::Admission),
            ("ErrImagePull", Correction::Image),
            ("FailedMount: ErrImagePull", Correction::Pod),
            ("", Correction::Pod),
        ] {
            assert_eq!(Correction::of(cause), expected, "{cause}");
        }
    }
}
