//! Fields that are accepted so that older manifests apply, and that do nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Accepted and ignored, with the event FieldIgnored.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct Tls {
    /// Certificates that were made elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[serde(rename = "static")]
    pub static_: Option<StaticTls>,
}

/// Secrets that hold certificates.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct StaticTls {
    /// The members' secrets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<TlsMember>,
    /// The name of the secret with which the operator reaches the members.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operator_secret: Option<String>,
}

/// Secrets of the members.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
pub struct TlsMember {
    /// The name of the secret for connections between members.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub peer_secret: Option<String>,
    /// The name of the secret for connections of clients.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_secret: Option<String>,
}
