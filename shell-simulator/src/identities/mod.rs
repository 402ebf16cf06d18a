//! A StatefulCluster's side of the cluster: kubelets, scheduler and controllers, as far as its pods see them, and the laws
//! that no operator may break.

mod blow;
mod kubelets;
mod law;
mod object;
mod seed;
mod story;
mod well;

pub use blow::Blow;
pub use seed::tell;
pub use story::{Ending, Story, Wish};

pub(crate) use object::is_identity;

use api_server::{Effect, Request, Store, Verb};

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

    /// An operator's write is about to land: whether it is one of a pod or a claim of a StatefulCluster.
    pub(crate) fn witness(&mut self, now: u64, request: &Request, effect: &Effect, store: &Store) -> bool {
        let (Effect::Put { object, .. } | Effect::Remove { told: object, .. }) = effect;
        if !is_identity(object) {
            return false;
        }
        match (request.place.plural.as_str(), request.verb) {
            ("pods", Verb::Create) => self.law.born(now, object, store, &self.kubelets),
            ("pods", Verb::Delete) => self.law.ended(object, &request.sent),
            ("persistentvolumeclaims", Verb::Delete) => self.law.emptied(object, &request.sent, store),
            _ => {}
        }
        true
    }
}
