//! The operator in a real cluster: the harness; the tests are in `tests/`, a file for each group.
//!
//! Every test has a namespace of its own, and in it an operator of its own, installed from `deploy/`
//! and limited to that namespace. One operator for all tests would be cheaper (each takes 20 MB and
//! a second to start), but a test that kills its operator, or wants two, would have to keep the
//! shared one away from its sets: two installations never share a set. So every test is the same,
//! no test sees another's faults, and what an operator logged is about one test.
//!
//! A test waits for what it can see: an object by a watch, a member by asking it. It asserts what
//! happened, never how long it took; the one deadline ([`wait::DEADLINE`]) is only there so that a
//! failing test ends, and then the state of its namespace is printed.
//!
//! The cluster is that of `RSS_KUBECONFIG`, else the local one (`cargo xtask cluster up --nodes 5`,
//! `cargo xtask image coder dummy galera mysql operator registry`); with `RSS_CONTEXT` a context of your own kubeconfig, whose
//! images begin with `RSS_IMAGE_PREFIX`. `RSS_E2E_KEEP=1` leaves the namespace of a test that failed.

mod aftermath;
mod cluster;
pub mod dark;
mod exec;
pub mod galera;
pub mod http;
mod identities;
mod installation;
pub mod manifest;
mod member;
pub mod mysql;
pub mod power;
pub mod registry;
mod runtime;
mod set;
pub mod small;
mod space;
pub mod tail;
pub mod tool;
mod trial;
pub mod wait;
pub mod writers;

pub use cluster::nodes;
pub use exec::Answer;
pub use identities::Identities;
pub use installation::Installation;
pub use member::{Member, container, is_active, is_running};
pub use runtime::HungRuntime;
pub use set::{Set, cut_power_of, told};
pub use space::Space;
pub use trial::{with_bare_namespace, with_identities, with_namespace};
