//! Policies: WebAssembly components that decide what differs between applications.
//!
//! [`fetch`] has them from registries, with their [`signature`]s, and [`keep`] in the cluster; [`Policies`] brings what a resource names to the
//! point where it decides, and [`Loading`] does so for one set beside its looks. The rest runs them, and knows neither
//! Kubernetes nor the network: bytes are inspected, compiled, tried ([`conform`]) and asked, and answers checked ([`belief`]).
//! A call is synchronous and takes some ten microseconds; one that misbehaves takes up to its deadline. So calls belong
//! onto a thread that may block, with a stack of at least [`limits::THREAD_STACK`].
//!
//! [`Shadow`] asks a second policy the same questions, and nobody follows it.
//!
//! A policy that fails is a missing verdict with its reason, and nothing else.

mod active;
pub mod answer;
mod ask;
pub mod belief;
mod bindings;
mod call;
mod component;
pub mod conform;
mod contract;
mod decisions;
mod digest;
mod engine;
mod failure;
pub mod fetch;
#[cfg(test)]
mod guest;
mod inspect;
mod interface;
pub mod isolated;
pub mod keep;
pub mod limits;
mod load;
mod loading;
mod metadata;
pub mod question;
pub mod record;
mod refusal;
mod schema;
mod settings;
mod shadow;
pub mod signature;
#[cfg(test)]
mod tests;
mod translate;
mod why;

pub use active::Active;
pub use call::Ran;
pub use component::Component;
pub use decisions::Policy;
pub use digest::{Digest, NotADigest};
pub use engine::{Host, Unavailable};
pub use failure::Failure;
pub use inspect::inspect;
pub use interface::Interface;
pub use isolated::{Isolated, NoVerdict};
pub use load::{Full, LoadError, Policies};
pub use loading::{Decider, Judge, Loading, Obstacle};
pub use metadata::{Description, Undescribed};
pub use refusal::Refusal;
pub use schema::{Schema, SchemaRefusal};
pub use settings::{Settings, Unfit};
pub use shadow::{Heard, Shadow};
