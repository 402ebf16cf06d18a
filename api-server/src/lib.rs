//! The rules of a Kubernetes API server, in memory: what each request does to the objects, and what a watch tells of it.
//!
//! It knows no clock, no connection and no controller: who uses it brings those. It knows the kinds that the operator
//! touches and of their fields only what its rules are about: nothing is defaulted, and no schema is checked. What it does
//! not know it refuses, and says so in [`Store::unsupported`].

mod answer;
mod apply;
mod birth;
mod change;
mod decide;
pub mod exec;
mod fields;
mod kept;
mod kind;
mod merge;
mod place;
mod removal;
mod request;
mod restore;
mod store;
mod told;
mod way;

pub use answer::{Answer, failure, not_found};
pub use decide::Effect;
pub use kept::Kept;
pub use kind::Kind;
pub use place::Place;
pub use request::{Request, Verb};
pub use store::Store;
