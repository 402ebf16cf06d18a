//! What an answer of `status` and the word of the kubelet mean together.

use crate::observation::{ContainerState, Pod, Replica, Status};
use crate::target::Target;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What is known of a member's application in this round.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum AppState {
    /// It runs and takes writes.
    Primary,
    /// It runs and follows.
    Secondary,
    /// It does not run, by its own word.
    Stopped,
    /// It says that something is wrong.
    Failed(String),
    /// The kubelet says that there is no process.
    Down(String),
    /// Nothing was heard. Not "stopped", not "failed".
    Unknown(String),
}

impl AppState {
    /// Exit codes are OCF's: 0 running, 7 stopped, 8 primary; 126 and above are the shell's or
    /// the kernel's words, not the application's.
    #[must_use]
    pub fn of(pod: Option<&Pod>, target: &Target) -> Self {
        let Some(pod) = pod else { return Self::Down("there is no pod".to_owned()) };
        let container = pod.container.as_ref();
        if pod.finished {
            return Self::Down("the pod has ended".to_owned());
        }
        if pod.terminating {
            return Self::Unknown("the pod is being deleted".to_owned());
        }
        match container.map(|c| &c.state) {
            None => {
                Self::Down(pod.trouble.clone().unwrap_or_else(|| "the container was not made yet".to_owned()))
            }
            Some(ContainerState::Waiting(why) | ContainerState::Terminated(why)) => {
                Self::Down(pod.trouble.clone().unwrap_or_else(|| why.clone()))
            }
            Some(ContainerState::Running) => Self::of_status(pod, target),
        }
    }

    /// The same of a replica, with what the cluster says of why its container does not run.
    #[must_use]
    pub fn of_replica(replica: &Replica, target: &Target) -> Self {
        match (Self::of(replica.pod.as_ref(), target), &replica.absence) {
            (Self::Down(what), Some(absence)) if what != absence.why => {
                Self::Down(format!("{what}: {}", absence.why))
            }
            (state, _) => state,
        }
    }

    fn of_status(pod: &Pod, target: &Target) -> Self {
        let running = pod.container.as_ref().and_then(|c| c.id.as_ref());
        match &pod.status {
            Status::NotAsked => Self::Unknown("status was not asked yet".to_owned()),
            Status::Silent(why) => Self::Unknown(why.clone()),
            Status::Hung { .. } => Self::Unknown("status did not end within its timeout".to_owned()),
            Status::Answer(answer) if Some(&answer.container) != running => {
                Self::Unknown("status was answered by an earlier container".to_owned())
            }
            Status::Answer(answer) => match answer.code {
                0 if target.all_primaries() => Self::Primary,
                0 => Self::Secondary,
                8 => Self::Primary,
                7 => Self::Stopped,
                code if !(0..126).contains(&code) => {
                    Self::Unknown(format!("status ended with {code}: {}", answer.text))
                }
                code => Self::Failed(format!("exit {code}: {}", answer.text)),
            },
        }
    }

    /// Primary or Secondary.
    #[must_use]
    pub fn is_running(&self) -> bool {
        matches!(self, Self::Primary | Self::Secondary)
    }

    /// The word alone.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Primary => "Primary",
            Self::Secondary => "Secondary",
            Self::Stopped => "Stopped",
            Self::Failed(_) => "Failed",
            Self::Down(_) => "Down",
            Self::Unknown(_) => "Unknown",
        }
    }
}

impl fmt::Display for AppState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(why) | Self::Down(why) | Self::Unknown(why) => write!(f, "{}({why})", self.name()),
            _ => f.write_str(self.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{name, stopped_set};
    use crate::observation::Absence;

    #[test]
    fn what_is_not_plain_is_said_with_its_reason() {
        assert_eq!(AppState::Stopped.to_string(), "Stopped");
        assert_eq!(AppState::Failed("exit 1".to_owned()).to_string(), "Failed(exit 1)");
        assert_eq!(AppState::Unknown("no route".to_owned()).to_string(), "Unknown(no route)");
    }

    #[test]
    fn a_member_that_does_not_run_says_why_in_the_words_of_the_cluster() {
        let seen = stopped_set(1);
        let absence = || Some(Absence { why: "FailedCreate: no quota".to_owned(), recovers: true });
        let of = |pod: Option<Pod>, absence| {
            AppState::of_replica(&Replica { pod, absence, ..Replica::default() }, &seen.target)
        };
        let down = |why: &str| AppState::Down(why.to_owned());
        assert_eq!(of(None, None), down("there is no pod"));
        assert_eq!(of(None, absence()), down("there is no pod: FailedCreate: no quota"));
        let mut pod = seen.replicas[&name(0)].pod.clone().unwrap();
        assert_eq!(of(Some(pod.clone()), absence()), AppState::Stopped, "it runs by now");
        (pod.container, pod.trouble) = (None, Some("FailedCreate: no quota".to_owned()));
        assert_eq!(of(Some(pod), absence()), down("FailedCreate: no quota"), "it is said once");
    }
}
