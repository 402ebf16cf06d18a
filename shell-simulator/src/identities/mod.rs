//! A StatefulCluster's side of the cluster: kubelets, scheduler and controllers, as far as its pods see them, and the laws
//! that no operator may break.

mod blow;
mod kubelets;
mod law;
pub(crate) mod object;
mod restore;
mod seed;
mod story;
mod well;

pub use blow::Blow;
pub use seed::tell;
pub use story::{Ending, Story, Wish};

pub(crate) use object::is_identity;

use api_server::{Request, Store, Verb};
use serde_json::Value;

use kubelets::Kubelets;
use law::Law;

/// What is behind the API server.
#[derive(Default)]
pub(crate) struct Identities {
    pub(crate) kubelets: Kubelets,
    pub(crate) law: Law,
}

impl Identities {
    /// Lets everything happen that is due; when the next is.
    pub(crate) fn go_on(&mut self, now: u64, store: &mut Store) -> Option<u64> {
        self.kubelets.go_on(now, store, &mut self.law)
    }

    /// An operator's write is about to land.
    pub(crate) fn witness(&mut self, now: u64, request: &Request, object: &Value, store: &Store) {
        if !is_identity(object) {
            return;
        }
        match (request.place.plural.as_str(), request.verb) {
            ("pods", Verb::Create) => self.law.born(now, object, store, &self.kubelets),
            ("pods", Verb::Delete) => self.law.ended(object, &request.sent, store),
            ("persistentvolumeclaims", Verb::Delete) => self.law.emptied(object, &request.sent, store),
            _ => {}
        }
    }
}
