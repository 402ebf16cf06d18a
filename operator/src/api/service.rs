//! The service that clients use.

use kube::KubeSchema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The client service. It is made where `servicePorts` are given.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Service {
    /// Its name. Default: the name of the resource, also where this is the name of the internal service, NAME-svc.
    #[x_kube(validation = Rule::new("self.size() <= 63 && self.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')")
        .message("service.name is no name of a Service: at most 63 of a-z, 0-9 and '-', a letter first, no '-' last"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 253))]
    pub name: Option<String>,
    /// Whether a client stays with one member. Default: None.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_affinity: Option<SessionAffinity>,
}

/// Whether a client stays with one member.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[schemars(transform = super::undescribed)]
pub enum SessionAffinity {
    /// Each connection goes to any member.
    #[default]
    None,
    /// Connections from one address go to one member.
    ClientIP,
}

impl SessionAffinity {
    /// The word of the Service's own field.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "None",
            Self::ClientIP => "ClientIP",
        }
    }
}
