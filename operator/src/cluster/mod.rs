//! The shell of a `StatefulCluster`: identities that are given once. The heart is the crate `stateful_cluster`; this
//! room looks for it, writes its promises down, does what it plans, and tells of it.

mod answers;
mod bytes;
mod change;
mod children;
mod confirm;
mod controller;
mod departures;
mod draw;
mod enact;
mod events;
mod eviction;
mod images;
mod names;
mod next;
mod objects;
mod observe;
mod pods;
mod promise;
mod reconcile;
mod report;
mod revisions;
mod session;
mod stores;
mod target;
mod template;
mod words;
mod worker;

pub use controller::Clusters;
pub(crate) use eviction::ends_on_silent_nodes;
pub(crate) use names::{CLAIM_TEMPLATE, CLUSTER_UID, IDENTITY, kept_as, label_of_revision};
pub use target::{Invalid, Wanted};
pub(crate) use words::waits_for_its_owner;
