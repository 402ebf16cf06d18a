//! What installations may do: the rights of `deploy/`, in the cluster or in one namespace.

use anyhow::{Context, Result};
use k8s_openapi::api::core::v1::ServiceAccount;
use k8s_openapi::api::rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding, RoleRef};
use kube::Client;
use kube::api::{Api, DeleteParams};

use crate::manifest;

/// The ClusterRole of the tests' operators: not the name that a user's installation has.
const NAME: &str = "rss-operator-e2e";

/// The same of the rights for StatefulClusters.
const IDENTITIES: &str = "rss-operator-stateful-cluster-e2e";

/// Which of the two ways of `deploy/` an installation goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rights {
    /// `cluster-role.yaml` and its binding.
    Cluster,
    /// `role.yaml` and its binding, in the installation's own namespace.
    Namespace,
}

/// Gives the rights that all installations share.
pub(crate) async fn grant(client: &Client) -> Result<()> {
    let mut role: ClusterRole = manifest::deployed("cluster-role")?;
    role.metadata.name = Some(NAME.to_owned());
    manifest::apply(&Api::all(client.clone()), &role).await.map(drop)
}

/// Gives the operator's account in this namespace what StatefulClusters there need.
pub(crate) async fn grant_identities(client: &Client, namespace: &str) -> Result<()> {
    let mut role: ClusterRole = manifest::deployed("stateful-cluster-role")?;
    role.metadata.name = Some(IDENTITIES.to_owned());
    manifest::apply(&Api::all(client.clone()), &role).await?;
    let all: ClusterRoleBinding = manifest::deployed("stateful-cluster-role-binding")?;
    let mut binding = RoleBinding {
        metadata: all.metadata,
        role_ref: RoleRef { name: IDENTITIES.to_owned(), ..all.role_ref },
        subjects: all.subjects,
    };
    for subject in binding.subjects.iter_mut().flatten() {
        subject.namespace = Some(namespace.to_owned());
    }
    manifest::apply(&Api::namespaced(client.clone(), namespace), &binding).await.map(drop)
}

/// Takes away what an installation in this namespace has outside of it.
pub(crate) async fn forget(client: &Client, namespace: &str) -> Result<()> {
    let bindings = Api::<ClusterRoleBinding>::all(client.clone());
    match bindings.delete(&binding(namespace), &DeleteParams::default()).await {
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(()),
        done => done.map(drop).context("failed to delete the binding of rights"),
    }
}

fn binding(namespace: &str) -> String {
    format!("{NAME}-{namespace}")
}

// === impl Rights ===

impl Rights {
    /// Gives them to the operator's account in this namespace.
    pub(super) async fn give(self, client: &Client, namespace: &str) -> Result<()> {
        let account: ServiceAccount = manifest::deployed("service-account")?;
        manifest::apply(&Api::namespaced(client.clone(), namespace), &account).await?;
        let role: Role = manifest::deployed("policies-role")?;
        manifest::apply(&Api::namespaced(client.clone(), namespace), &role).await?;
        let binding: RoleBinding = manifest::deployed("policies-role-binding")?;
        manifest::apply(&Api::namespaced(client.clone(), namespace), &binding).await?;
        match self {
            Self::Cluster => bind(client, namespace).await,
            Self::Namespace => {
                let role: Role = manifest::deployed("role")?;
                manifest::apply(&Api::namespaced(client.clone(), namespace), &role).await?;
                let binding: RoleBinding = manifest::deployed("role-binding")?;
                manifest::apply(&Api::namespaced(client.clone(), namespace), &binding).await.map(drop)
            }
        }
    }
}

async fn bind(client: &Client, namespace: &str) -> Result<()> {
    let mut bound: ClusterRoleBinding = manifest::deployed("cluster-role-binding")?;
    bound.metadata.name = Some(binding(namespace));
    bound.role_ref.name = NAME.to_owned();
    for subject in bound.subjects.iter_mut().flatten() {
        subject.namespace = Some(namespace.to_owned());
    }
    manifest::apply(&Api::all(client.clone()), &bound).await.map(drop)
}
