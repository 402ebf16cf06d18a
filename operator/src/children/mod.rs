//! The objects that are made for a set: pure builders, and the one way in which they reach the API server.
//!
//! A builder gives the whole object as it is wanted. [`apply`] compares, and writes by server-side apply under one
//! field manager, so that a field that is no longer wanted goes away and fields of others stay.

mod apply;
mod client_service;
mod disruption_budget;
mod fingerprint;
mod headless_service;
mod names;
mod outcome;
mod ownership;
mod pod_template;
mod quantity;
mod readiness;
mod stateful_cluster;
mod stateful_set;
#[cfg(test)]
mod tests;
mod unchanged;
mod workload;

pub use apply::{Live, Settled, apply};
pub use names::{
    ACTIVE_MEMBER, APP, FIELD_MANAGER, MANAGED, ROLE, RUN_FOLDER, client_service_name, headless_service_name,
    peer, pod_labels, pod_name, selector, workload_name,
};
pub use outcome::{Child, ChildKind, Error, Outcome};
pub use ownership::{Foreign, foreign_stateful_set};
pub use readiness::SERVING;

pub(crate) use fingerprint::hash as stable_hash;
pub(crate) use ownership::is_foreign;

pub use stateful_cluster::give_back;
pub use stateful_set::ImmutableField;
pub use workload::{release, take_back};

pub use client_service::build as build_client_service;
pub use disruption_budget::build as build_disruption_budget;
pub use headless_service::build as build_headless_service;
pub use stateful_cluster::build as build_stateful_cluster;
pub use stateful_set::build as build_stateful_set;
