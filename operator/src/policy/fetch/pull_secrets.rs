//! The Secrets with the logins for a policy, read from the API server.

use k8s_openapi::api::core::v1::{LocalObjectReference, Secret, ServiceAccount};
use kube::{Api, Client};

use super::credentials::{Credentials, CredentialsError};
use super::image::Image;
use crate::writes::is_forbidden;

/// The service account of a pod that names none.
const DEFAULT_ACCOUNT: &str = "default";

/// Secrets with logins, in the namespace of the resource.
#[derive(Clone, Debug, PartialEq)]
pub enum PullSecrets {
    /// `spec.policy.pullSecrets` names them.
    Named(Vec<LocalObjectReference>),
    /// `imagePullSecrets` of this service account names them, as for the images of its pods.
    OfAccount(Box<str>),
}

// === impl PullSecrets ===

impl PullSecrets {
    /// The Secrets of the account count only where no others are named. Kubernetes does the same for a pod.
    pub(crate) fn of(named: &[LocalObjectReference], account: Option<&str>) -> Self {
        match named {
            [] => Self::OfAccount(account.unwrap_or(DEFAULT_ACCOUNT).into()),
            named => Self::Named(named.to_vec()),
        }
    }

    /// Reads the logins. A Secret that cannot be used disables no other one.
    ///
    /// # Errors
    /// If the resource names a Secret that cannot be used, and no other one has a login for the image. If the API server
    /// does not answer.
    pub async fn read(
        &self,
        reads: &Client,
        namespace: &str,
        image: &Image,
    ) -> Result<Credentials, CredentialsError> {
        let names = match self {
            Self::Named(named) => named.iter().map(|secret| secret.name.clone()).collect(),
            Self::OfAccount(account) => of_account(reads, namespace, account).await?,
        };
        let api: Api<Secret> = Api::namespaced(reads.clone(), namespace);
        let (mut all, mut faults) = (Credentials::default(), Vec::new());
        for name in names {
            if let Err(fault) = add(&mut all, &api, &name).await {
                faults.push(fault);
            }
        }
        // The kubelet also ignores a Secret of the account that is not there.
        let is_ignored = |fault: &CredentialsError| matches!(self, Self::OfAccount(_)) && is_settled(fault);
        match faults.into_iter().find(|fault| !is_ignored(fault)) {
            Some(fault) if !all.has_login(image) => Err(fault),
            _ => Ok(all),
        }
    }
}

async fn add(all: &mut Credentials, api: &Api<Secret>, name: &str) -> Result<(), CredentialsError> {
    let found = api.get_opt(name).await;
    let found = found.map_err(|error| CredentialsError::Read(name.to_owned(), error))?;
    all.add(name, &found.ok_or_else(|| CredentialsError::Missing(name.to_owned()))?)
}

/// The names of the Secrets of a service account. The right to read accounts is optional: without it, or without the
/// account, the list is empty.
async fn of_account(reads: &Client, namespace: &str, account: &str) -> Result<Vec<String>, CredentialsError> {
    let api: Api<ServiceAccount> = Api::namespaced(reads.clone(), namespace);
    let found = match api.get_opt(account).await {
        Err(error) if is_forbidden(&error) => {
            tracing::debug!(
                namespace,
                account,
                "the role lacks get of serviceaccounts: pull secrets are not used"
            );
            None
        }
        found => found.map_err(|error| CredentialsError::Account(account.to_owned(), error))?,
    };
    let secrets = found.and_then(|account| account.image_pull_secrets).unwrap_or_default();
    Ok(secrets.into_iter().map(|secret| secret.name).collect())
}

/// The API server answered, and answers the same until a person changes something.
fn is_settled(fault: &CredentialsError) -> bool {
    match fault {
        CredentialsError::Read(_, error) | CredentialsError::Account(_, error) => is_forbidden(error),
        CredentialsError::Missing(_) | CredentialsError::Kind(_) | CredentialsError::Malformed(_) => true,
    }
}
