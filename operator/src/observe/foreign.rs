//! Whether another installation of the operator looks after a resource, and is alive.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use kube::{Api, Client};
use tokio::time::Instant;

use crate::api::Installation;

/// How long a lease is good that does not say.
const DEFAULT_DURATION: Duration = Duration::from_secs(15);

/// What was seen of another installation's lease. Its times are another clock's, so only that they
/// change is looked at.
#[derive(Debug, Default)]
pub struct Foreign {
    seen: Option<(Option<MicroTime>, Instant)>,
}

impl Foreign {
    /// The name of another installation that has claimed the resource and is, or may be, alive. A lease
    /// that cannot be read is no proof that nobody holds it.
    pub async fn look(
        &mut self,
        client: &Client,
        ours: &Installation,
        claimed: Option<&Installation>,
    ) -> Option<String> {
        let other = claimed.filter(|claimed| claimed.name != ours.name && !claimed.name.is_empty())?;
        let (namespace, name) = other.lease.split_once('/').unwrap_or_default();
        let lease = match Api::<Lease>::namespaced(client.clone(), namespace).get_opt(name).await {
            Ok(lease) => lease?,
            Err(_) => return Some(other.name.clone()),
        };
        self.is_alive(&lease, Instant::now()).then(|| other.name.clone())
    }

    /// Held, and renewed within its duration as far as we have watched: at first sight it counts as alive.
    fn is_alive(&mut self, lease: &Lease, now: Instant) -> bool {
        let Some(spec) = &lease.spec else { return false };
        if spec.holder_identity.as_deref().unwrap_or_default().is_empty() {
            return false;
        }
        let duration = spec.lease_duration_seconds.and_then(|seconds| u64::try_from(seconds).ok());
        let duration = duration.map_or(DEFAULT_DURATION, Duration::from_secs);
        match &self.seen {
            Some((renewed, since)) if *renewed == spec.renew_time => now.duration_since(*since) < duration,
            _ => {
                self.seen = Some((spec.renew_time.clone(), now));
                true
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn lease(holder: &str, renewed: &str) -> Lease {
        serde_json::from_value(json!({"spec": {"holderIdentity": holder, "renewTime": renewed,
            "leaseDurationSeconds": 15}}))
        .unwrap()
    }

    #[test]
    fn an_installation_is_alive_while_its_lease_changes_by_our_clock() {
        let (mut foreign, start) = (Foreign::default(), Instant::now());
        let old = lease("a", "2020-01-01T00:00:00.000000Z");
        assert!(foreign.is_alive(&old, start), "an old time may be another clock's");
        assert!(foreign.is_alive(&old, start + Duration::from_secs(14)));
        assert!(!foreign.is_alive(&old, start + Duration::from_secs(15)));
        let renewed = lease("a", "2020-01-01T00:00:10.000000Z");
        assert!(foreign.is_alive(&renewed, start + Duration::from_secs(16)));
    }

    #[test]
    fn a_lease_that_nobody_holds_is_nobodys() {
        let free = lease("", "2020-01-01T00:00:00.000000Z");
        assert!(!Foreign::default().is_alive(&free, Instant::now()));
    }
}
