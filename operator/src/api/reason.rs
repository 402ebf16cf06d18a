//! The closed sets of words that status, events and metrics share.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a person sees first: the state of the set in one word.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, PartialEq, Eq)]
#[schemars(transform = super::undescribed)]
pub enum Phase {
    /// It has never served.
    Creating,
    /// It serves, or nothing but time keeps it from that.
    Running,
    /// The operator has its hands off.
    Paused,
    /// Only a person can make it serve.
    Failed,
}

impl Phase {
    /// The word as it stands in the status.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Creating => "Creating",
            Self::Running => "Running",
            Self::Paused => "Paused",
            Self::Failed => "Failed",
        }
    }
}

macro_rules! reasons {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {
        /// Why something is as it is: the shell's own words, beside those of the planner's holds and steps.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Reason { $($(#[$doc])* $name),+ }

        impl Reason {
            /// Every reason, for the documentation and for tests.
            pub const ALL: &'static [Self] = &[$(Self::$name),+];

            /// The word as it stands in conditions, events and metric labels.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => stringify!($name)),+ }
            }
        }
    };
}

reasons! {
    /// Every member that is wanted serves.
    AllMembersServe,
    /// Some members serve, not all that are wanted.
    SomeMembersServe,
    /// No member serves.
    NoMemberServes,
    /// The resource asks for no members.
    StoppedBySpec,
    /// The resource says `paused`.
    Paused,
    /// The set is made for the first time.
    Creating,
    /// Members are being brought back.
    Recovering,
    /// All members, stopped at once, would be brought back.
    WouldRecover,
    /// All members, stopped at once, would be held.
    WouldNotRecover,
    /// The number of members is being changed.
    Scaling,
    /// Pods are being replaced by those of a newer template.
    RollingOut,
    /// Nothing is left to do.
    Settled,
    /// The resource was understood.
    SpecAccepted,
    /// The resource cannot be acted on as it is written.
    InvalidSpec,
    /// A field was accepted and does nothing.
    FieldIgnored,
    /// Labels by which services and the budget find a pod were missing or changed, and the operator restored them.
    LabelsRestored,
    /// Pods are replaced, because the pod template changed in more than labels and annotations.
    RolloutStarted,
    /// A command's name is none that the operator runs.
    UnknownCommand,
    /// A field of an existing StatefulSet differs and cannot be changed.
    Immutable,
    /// An object of a name that is needed belongs to someone else.
    ForeignObject,
    /// Services, StatefulSet or disruption budget could not be written.
    ChildrenFailed,
    /// The readiness gate of a pod could not be written.
    ReadinessFailed,
    /// The StatefulCluster that makes the pods waits for a person.
    WorkloadStalled,
    /// A policy decides that was found to behave.
    PolicyActive,
    /// The policy that decides is not kept in the cluster, and somebody has to do something about that.
    PolicyNotKept,
    /// The policy that is named is being fetched, compiled or tried.
    PolicyLoading,
    /// The policy that is named is nowhere to be had at the moment; it is tried again.
    PolicyUnavailable,
    /// No key that is asked for has signed what is named.
    SignatureRefused,
    /// What is named is no policy that this operator runs.
    PolicyRefused,
    /// The policy does not take its settings.
    SettingsRefused,
    /// What must be true of every policy is not true of this one.
    DoesNotConform,
    /// The policy answered what cannot be meant; the answer counts for nothing.
    VerdictRefused,
    /// The candidate is asked what the policy is asked, and never followed.
    CandidateAsked,
    /// The candidate would have decided otherwise than the policy did.
    CandidateDisagrees,
    /// Another installation of the operator holds this resource.
    NotOurs,
    /// What is so could not be seen, or what was promised not be read: nothing is done.
    ObservationFailed,
    /// What is to be done could not be written down, so it was not done.
    PromiseFailed,
    /// What was promised could not be done.
    StepFailed,
    /// What is so could not be told.
    ReportFailed,
    /// The independent check of a plan found it wrong.
    Breach,
    /// A command cannot be guarded in a container.
    Unguarded,
    /// A pod has no guard although it was made from the wanted template.
    GuardMissing,
    /// What is kept of a set outgrew its bound.
    PositionTooLarge,
}

#[cfg(test)]
mod tests {
    use super::Reason;

    #[test]
    fn every_reason_is_one_word_in_camel_case() {
        for reason in Reason::ALL {
            let word = reason.as_str();
            assert!(word.starts_with(|c: char| c.is_ascii_uppercase()), "{word}");
            assert!(word.chars().all(|c| c.is_ascii_alphanumeric()), "{word}");
        }
    }
}
