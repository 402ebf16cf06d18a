//! The service that clients use: it leads to the members that run.

use k8s_openapi::api::core::v1::{Service, ServiceSpec};

use super::names::{ACTIVE_MEMBER, APP, metadata};
use crate::target::Target;

/// `None` where the resource names no ports.
#[must_use]
pub fn build(target: &Target) -> Option<Service> {
    let wanted = target.client_service.as_ref()?;
    let selector = [(APP, target.name.as_str()), (ACTIVE_MEMBER, "true")];
    Some(Service {
        metadata: metadata(target, wanted.name.clone()),
        spec: Some(ServiceSpec {
            type_: Some("ClusterIP".into()),
            selector: Some(selector.map(|(key, value)| (key.into(), value.into())).into()),
            session_affinity: Some(wanted.session_affinity.as_str().into()),
            ports: Some(target.ports.clone()),
            ..ServiceSpec::default()
        }),
        status: None,
    })
}
