//! Where the databases' policy comes from: a registry in the local cluster, a ConfigMap in one of the user's own.

use anyhow::Result;
use serde_json::{Value, json};

use super::cut::Others;
use super::place::{Place, Where};
use crate::policies;
use crate::progress::Step;
use crate::registry::{self, Registry};

/// The policy, and the ConfigMap with it.
pub(crate) const POLICY: &str = "galera";
const KEY: &str = "policy.wasm";
/// What it is called in the registry.
const IMAGE: &str = "policies/galera:1";
/// The Secret with the login.
const LOGIN: &str = "registry-login";

/// Where the policy comes from.
pub(crate) enum Source {
    /// A registry of this run's own.
    Registry(Registry),
    /// There is none that this command could know.
    ConfigMap,
}

// === impl Source ===

impl Source {
    /// Start the registry where there is to be one; it goes with the operator's namespace.
    pub(crate) fn start(place: &Place, step: &mut Step) -> Result<Self> {
        match &place.cluster {
            Where::Local { cluster, .. } => {
                registry::start(cluster, &place.system(), step).map(Self::Registry)
            }
            Where::Own(_) => Ok(Self::ConfigMap),
        }
    }

    /// Put the policy there, by the commands that the documentation gives: what `spec.policy` has to be.
    pub(crate) fn fill(&self, place: &Place) -> Result<Value> {
        match self {
            Self::Registry(registry) => {
                let image = format!("{}/{IMAGE}", registry.host);
                registry.push(POLICY, &image)?;
                place.within(&[
                    "create",
                    "secret",
                    "docker-registry",
                    LOGIN,
                    &format!("--docker-server={}", registry.host),
                    &format!("--docker-username={}", registry.user),
                    &format!("--docker-password={}", registry.password),
                ])?;
                Ok(json!({"image": image, "pullSecrets": [{"name": LOGIN}]}))
            }
            Self::ConfigMap => {
                let file = format!("--from-file={KEY}={}", policies::component(POLICY).display());
                place.within(&["create", "configmap", POLICY, &file])?;
                Ok(json!({"configMap": {"name": POLICY, "key": KEY}}))
            }
        }
    }

    /// For the operator, who shall trust it.
    pub(crate) fn registry(&self) -> Option<&Registry> {
        match self {
            Self::Registry(registry) => Some(registry),
            Self::ConfigMap => None,
        }
    }

    /// Its pods, as they go in a power cut and stay away.
    pub(crate) fn pods(&self, place: &Place) -> Result<Option<Others>> {
        let Some(registry) = self.registry() else { return Ok(None) };
        let namespace = registry.namespace.clone();
        let pods = place.pods(&namespace, &format!("app={}", registry::NAME))?;
        let (deployment, program) = (registry::NAME, registry::NAME);
        Ok(Some(Others { namespace, deployment, program, stay_away: true, pods }))
    }

    /// For people.
    pub(crate) fn words(&self) -> &'static str {
        match self {
            Self::Registry(_) => "push the policy to a registry in the cluster",
            Self::ConfigMap => {
                "put the policy into a ConfigMap, for this command knows no registry of your cluster"
            }
        }
    }
}
