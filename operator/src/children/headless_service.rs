//! The internal service: a name for each member, POD.NAME-svc.

use k8s_openapi::api::core::v1::{Service, ServiceSpec};

use super::names::{headless_service_name, metadata, pod_labels};
use crate::target::Target;

/// Members have to find each other before any of them is ready.
#[must_use]
pub fn build(target: &Target) -> Service {
    Service {
        metadata: metadata(target, headless_service_name(target)),
        spec: Some(ServiceSpec {
            cluster_ip: Some("None".into()),
            publish_not_ready_addresses: Some(true),
            selector: Some(pod_labels(target)),
            ports: (!target.ports.is_empty()).then(|| target.ports.clone()),
            ..ServiceSpec::default()
        }),
        status: None,
    }
}
