//! A deterministic cluster with an application on it, in which the planner, its Memory and its
//! promises run whole stories in virtual time.
//!
//! `World` is what is so: machines, kubelets, volumes, processes, clients, commands on their way.
//! `Operator` is the shell around the planner, and knows only what an operator can see. `oracle`
//! holds the laws of safety, `settle` those of coming to an end. A seed tells a story, always the
//! same one; `stories` are those that are told by name. `small` is another world, so small that every order of events
//! in it is explored.

mod adversary;
mod amount;
pub mod arguments;
mod audit;
mod beginning;
mod chance;
mod cluster;
mod counts;
mod each;
mod fault;
mod foretold;
mod operator;
mod options;
mod oracle;
mod policy;
mod run;
#[cfg(test)]
mod sabotage;
mod settle;
mod simulation;
mod small;
mod stories;
mod trace;
mod world;

pub use adversary::Lies;
pub use amount::sampled;
pub use beginning::{Beginning, Blow, settles};
pub use chance::Chance;
pub use cluster::{Began, Cluster, Mark, Reply, Request, Scale};
pub use counts::count;
pub use each::each;
pub use foretold::{foretell, tell_foretold};
pub use options::{Flock, Options, Positions};
pub use policy::{Lineages, policy};
pub use run::{Outcome, Report, run, simulate, simulate_by, tell, tell_with_adversary, tell_with_policies};
pub use small::{Budget, Explorer, Found, Setting, Start, Tally, Walk, stays};
pub use stories::{Story, stories, story};
