//! The shell.

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
/// The definition of the custom resources, as it is installed.
pub mod crdgen;
/// Commands in containers.
pub mod exec;
/// The guard around the commands that are run in containers.
pub mod guard;
/// Brings the definition of the resource into the cluster.
pub mod install;
/// Which of several operators acts.
pub mod lease;
/// When this process is told to end.
pub mod shutdown;
/// What is wanted of a set, parsed.
pub mod target;
/// What the operator says of itself.
pub mod telemetry;
