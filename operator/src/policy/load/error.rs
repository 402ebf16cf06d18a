//! Why a policy is not there.

use std::time::Duration;

use super::demands::KeysError;
use super::share::Full;
use crate::api::Reason;
use crate::policy::conform::Broken;
use crate::policy::fetch::{CredentialsError, FetchError};
use crate::policy::signature::Unsigned;
use crate::policy::{Digest, Failure, NoVerdict, Refusal, Unfit};

/// Why a policy is not there.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The registry does not give it.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// A Secret with logins cannot be used.
    #[error(transparent)]
    Credentials(#[from] CredentialsError),
    /// A Secret with keys cannot be used.
    #[error(transparent)]
    Keys(#[from] KeysError),
    /// It has not the signatures that are demanded.
    #[error(transparent)]
    Unsigned(#[from] Box<Unsigned>),
    /// It is not known to have the signatures that are demanded, and may not be looked at.
    #[error(
        "{0} was not verified by the keys that are demanded, and spec.policy.pullPolicy is Never; use IfNotPresent once"
    )]
    Unverified(String),
    /// It can have no signatures, and some are demanded.
    #[error(
        "ConfigMap {0} has no signature, and the administrator demands one of every policy (--policy-public-key); take \
         the policy from a registry, signed by its key: docs/policies.md#signatures"
    )]
    Unsignable(String),
    /// The ConfigMap is not there.
    #[error("ConfigMap {0} is not in the namespace of the resource; create it there")]
    NoConfigMap(String),
    /// It has no such key.
    #[error("ConfigMap {0} has no key {1} in its binaryData; kubectl create configmap --from-file makes one")]
    NoKey(String, String),
    /// It cannot be read.
    #[error("failed to read ConfigMap {0}")]
    ConfigMap(String, #[source] kube::Error),
    /// It may not be fetched, and is not there.
    #[error(
        "{0} is not what status.policy has, and spec.policy.pullPolicy is Never; fetch it once with IfNotPresent"
    )]
    Never(String),
    /// A candidate may not be fetched, and is not kept in the cluster.
    #[error(
        "{0} is a candidate, which only its registry has, and spec.policy.pullPolicy is Never; let it be fetched, or name a ConfigMap"
    )]
    NeverFetched(String),
    /// What decided before is not kept any more.
    #[error(
        "{0} is not kept in the cluster for this namespace any more; it is brought again from where it is named, unless \
         spec.policy.pullPolicy is Never"
    )]
    NotKept(Digest),
    /// What is kept cannot be read.
    #[error("failed to read what is kept of policies")]
    Keep(#[source] crate::policy::keep::KeepError),
    /// What is read for it does not come to its end.
    #[error(
        "the API server did not give all of what was read for the policy within {0:?}; it is tried again, and if that \
         stays so, look at the network between the operator and the API server"
    )]
    Late(Duration),
    /// There is no room for it.
    #[error(transparent)]
    Full(#[from] Full),
    /// It is no policy.
    #[error("{digest}: {refusal}")]
    Refused {
        /// Of what is no policy.
        digest: Digest,
        /// Why it is none.
        refusal: Refusal,
    },
    /// Its settings are not for it.
    #[error("spec.policy.settings: {0}")]
    Unfit(#[from] Unfit),
    /// Nobody knows whether it behaves: it answers too slowly for that.
    #[error(
        "{digest}: its trial took more than {after:?} of this machine, and was ended; let it answer with less fuel \
         (kubectl rss policy conform says how much it uses), or give the operator more processors"
    )]
    Slow {
        /// Of the component.
        digest: Digest,
        /// How long its trial may take.
        after: Duration,
    },
    /// It does not behave.
    #[error("{digest}: {broken}")]
    Broken {
        /// Of the component.
        digest: Digest,
        /// What is not true of it.
        broken: Box<Broken>,
    },
    /// The process that loads it first came to no verdict.
    #[error(transparent)]
    NoVerdict(#[from] NoVerdict),
    /// The operator failed itself.
    #[error("the operator failed while it loaded the policy; tell its authors")]
    Own(#[source] tokio::task::JoinError),
}

impl LoadError {
    /// One word of the closed set.
    #[must_use]
    pub fn reason(&self) -> Reason {
        match self {
            _ if self.is_of_the_machine() => Reason::PolicyUnavailable,
            Self::Unsigned(_) | Self::Unverified(_) | Self::Unsignable(_) => Reason::SignatureRefused,
            Self::Refused { .. } => Reason::PolicyRefused,
            Self::Unfit(_) => Reason::SettingsRefused,
            Self::Broken { .. } => Reason::DoesNotConform,
            _ => Reason::PolicyUnavailable,
        }
    }

    /// Whether a starved or faulty machine is to blame. The same policy may be found to behave a minute later.
    fn is_of_the_machine(&self) -> bool {
        let failure = match self {
            Self::Refused { refusal, .. } => refusal.failure(),
            Self::Unfit(unfit) => unfit.failure(),
            Self::Broken { broken, .. } => broken.failure.as_ref(),
            _ => None,
        };
        failure.is_some_and(Failure::is_of_the_machine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::conform::Property;
    use crate::policy::isolated::Limit;
    use crate::policy::question::Question;

    #[test]
    fn what_a_starved_machine_did_is_not_held_against_the_policy() {
        let digest = Digest::of(b"");
        let broken = |failure: Option<Failure>| LoadError::Broken {
            digest,
            broken: Box::new(Broken {
                property: Property::Answers,
                question: Box::new(Question::Check),
                detail: String::new(),
                failure,
            }),
        };
        let start = |failure| LoadError::Refused { digest, refusal: Refusal::Start(failure) };
        for (error, reason) in [
            (broken(None), Reason::DoesNotConform),
            (broken(Some(Failure::OutOfFuel)), Reason::DoesNotConform),
            (broken(Some(Failure::Deadline)), Reason::PolicyUnavailable),
            (start(Failure::Memory), Reason::PolicyRefused),
            (start(Failure::HostPanicked), Reason::PolicyUnavailable),
            (LoadError::Unfit(Unfit::Failed(Failure::Deadline)), Reason::PolicyUnavailable),
            (LoadError::Unfit(Unfit::NoneTaken), Reason::SettingsRefused),
            (LoadError::NoVerdict(NoVerdict::Ended(9)), Reason::PolicyUnavailable),
            (LoadError::Unfit(Unfit::Limit(Limit::Processor(60))), Reason::SettingsRefused),
            (
                LoadError::Refused { digest, refusal: Refusal::Limit(Limit::Memory(192)) },
                Reason::PolicyRefused,
            ),
        ] {
            assert_eq!(error.reason(), reason, "{error}");
        }
    }
}
