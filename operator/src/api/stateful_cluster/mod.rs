//! `StatefulCluster`: replicas whose identity is given once.

mod spec;
mod status;

pub use spec::{ClusterSpec, MARKED, NAME_LABEL, PodManagement, Replacement, StatefulCluster};
pub use status::ClusterStatus;

/// The longest name: the label of a pod's name holds 63, and a pod is NAME-<12 random characters>.
pub(crate) const LONGEST_CLUSTER_NAME: usize = 50;
