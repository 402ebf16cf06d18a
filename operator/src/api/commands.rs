//! The commands by which the operator talks to an application.

use std::collections::BTreeMap;

use kube::KubeSchema;
use kube::core::Rule;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Span;

/// A required command, for the rule that asks for it.
fn required(name: &str, purpose: &str) -> Rule {
    Rule::new(format!("has(self.{name})"))
        .message(format!("spec.pod.commands.{name} is required: the command that {purpose}").as_str())
        .reason(kube::core::Reason::FieldValueRequired)
        .field_path(format!(".{name}"))
}

/// The scripts inside the first container that start, stop and question the application. Every running
/// primary is appended to each as an argument, as POD.NAME-svc. Names other than these six are kept and
/// reported by the event UnknownCommand.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, Default, PartialEq)]
#[serde(rename_all = "camelCase")]
#[x_kube(
    validation = required("sequence", "prints how new this replica's data is"),
    validation = required("primary", "starts a member as primary"),
    validation = required("status", "answers whether the application runs, by its exit code"),
    validation = required("stop", "stops the application")
)]
pub struct Commands {
    /// Prints how new this replica's data is. It answers while the application is stopped and, where it can, while it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sequence: Option<Command>,
    /// Starts the first member, from the newest data. Default: `primary`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<Command>,
    /// Starts a member as primary, or makes a running secondary one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub primary: Option<Command>,
    /// Starts a member as secondary, or makes a running primary one. Without it every running member is a primary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub secondary: Option<Command>,
    /// Says by its exit code how the application is: 0 running, 7 stopped, 8 running as primary, 126 and above not known, anything else failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Command>,
    /// Stops the application and leaves the container.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop: Option<Command>,
    /// Every other name, as it was written: a misspelt one shows in an event instead of vanishing.
    #[serde(flatten)]
    pub unknown: BTreeMap<String, Value>,
}

/// One command, run in the first container.
#[derive(KubeSchema, Serialize, Deserialize, Clone, Debug, PartialEq)]
#[serde(rename_all = "camelCase")]
#[x_kube(validation = Rule::new("self.command.size() > 0 && self.command[0] != ''")
    .message("command names no program: write it as a list, for example [\"/start.sh\"]")
    .field_path(".command"))]
pub struct Command {
    /// The program and its arguments. No shell reads it.
    pub command: Vec<String>,
    /// How long it may take ("20s", "2m", "1h30m", "1DT2h", or a number of seconds). Default: 10 minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Span>,
}
