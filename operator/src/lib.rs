//! The shell.

/// The custom resources.
pub mod api;
/// The definition of the custom resources, as it is installed.
pub mod crdgen;
/// The guard around the commands that are run in containers.
pub mod guard;
/// What is wanted of a set, parsed.
pub mod target;
