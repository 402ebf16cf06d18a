//! The shell.

/// How long conditions have held.
pub mod ages;
/// The custom resources.
pub mod api;
/// The command line.
pub mod arguments;
/// Commands under way.
pub mod attempts;
/// The objects that are made for a set.
pub mod children;
/// Ways to the API server.
pub mod clients;
/// The shell of a StatefulCluster.
pub mod cluster;
/// What every set's task shares.
pub mod context;
/// Watches, and one task for each set.
pub mod controller;
/// The definition of the custom resources, as it is installed.
pub mod crdgen;
/// Steps taken.
pub mod enact;
/// What changed, told once.
pub mod events;
/// Commands in containers.
pub mod exec;
#[cfg(test)]
mod fuzz;
/// The guard around the commands that are run in containers.
pub mod guard;
/// Brings the definition of the resource into the cluster.
pub mod install;
mod labels;
/// Which of several operators acts.
pub mod lease;
/// One look at a set.
pub mod observe;
/// Policies.
pub mod policy;
/// What is about to be done, written down first.
pub mod promise;
/// One look at a set, and what follows from it.
pub mod reconcile;
/// What people are told.
pub mod report;
pub mod rollout;
mod serving;
/// When this process is told to end.
pub mod shutdown;
/// What is wanted of a set, parsed.
pub mod target;
/// What the operator says of itself.
pub mod telemetry;
mod writes;
