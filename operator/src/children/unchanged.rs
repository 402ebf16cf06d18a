//! A round that finds what an earlier one found settled finds it settled too.

use std::sync::Arc;

use kube::ResourceExt;

use super::apply::Live;
use super::outcome::{Child, ChildKind, Outcome};
use crate::target::Target;

/// What a round looked at that found every child settled, and asked the API server for none.
#[derive(Clone, Debug)]
pub(super) struct Unchanged {
    target: Target,
    live: Live,
    children: Vec<(ChildKind, String)>,
}

impl Unchanged {
    /// What is remembered of a round. None: something was written, is missing from the caches, or is not as it is wanted.
    pub(super) fn after(target: &Target, live: &Live, children: &[Child]) -> Option<Self> {
        let is_settled = |child: &Child| {
            matches!(child.outcome, Ok(Outcome::Settled)) && live.holds(child.kind, &child.name)
        };
        children.iter().all(is_settled).then(|| Self {
            target: target.clone(),
            live: live.clone(),
            children: children.iter().map(|child| (child.kind, child.name.clone())).collect(),
        })
    }

    /// Whether the very same is wanted, and the very same objects are there.
    pub(super) fn is_of(&self, target: &Target, live: &Live) -> bool {
        self.live.is_same(live) && self.target == *target
    }

    /// The children, settled.
    pub(super) fn children(&self) -> Vec<Child> {
        let settled = |(kind, name): &(ChildKind, String)| Child {
            kind: *kind,
            name: name.clone(),
            outcome: Ok(Outcome::Settled),
        };
        self.children.iter().map(settled).collect()
    }
}

impl Live {
    fn holds(&self, kind: ChildKind, name: &str) -> bool {
        match kind {
            ChildKind::StatefulSet => self.stateful_set.is_some(),
            ChildKind::StatefulCluster => self.stateful_cluster.is_some(),
            ChildKind::Service => self.services.iter().any(|service| service.name_any() == name),
            ChildKind::PodDisruptionBudget => self.budgets.iter().any(|budget| budget.name_any() == name),
        }
    }

    /// A cache puts another object in the place of one that changed.
    fn is_same(&self, other: &Self) -> bool {
        are_same(self.stateful_set.as_slice(), other.stateful_set.as_slice())
            && are_same(self.stateful_cluster.as_slice(), other.stateful_cluster.as_slice())
            && are_same(&self.services, &other.services)
            && are_same(&self.budgets, &other.budgets)
    }
}

fn are_same<K>(some: &[Arc<K>], others: &[Arc<K>]) -> bool {
    some.len() == others.len() && some.iter().zip(others).all(|(one, other)| Arc::ptr_eq(one, other))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::children::Error;
    use crate::observe::fixture;

    fn target() -> Target {
        Target::parse(&fixture::objects().set).unwrap()
    }

    fn service(name: &str) -> Arc<k8s_openapi::api::core::v1::Service> {
        let mut service = k8s_openapi::api::core::v1::Service::default();
        service.metadata.name = Some(name.to_owned());
        Arc::new(service)
    }

    fn live() -> Live {
        Live { stateful_set: Some(Arc::default()), services: vec![service("x-svc")], ..Live::default() }
    }

    fn child(kind: ChildKind, name: &str, outcome: Result<Outcome, Error>) -> Child {
        Child { kind, name: name.to_owned(), outcome }
    }

    fn settled() -> Vec<Child> {
        let of = |kind, name| child(kind, name, Ok(Outcome::Settled));
        vec![of(ChildKind::Service, "x-svc"), of(ChildKind::StatefulSet, "rss-x")]
    }

    #[test]
    fn nothing_is_compared_again_while_the_same_is_wanted_and_the_same_objects_are_there() {
        let live = live();
        let seen = Unchanged::after(&target(), &live, &settled()).unwrap();
        let told: Vec<_> = seen.children().into_iter().map(|child| child.name).collect();
        assert_eq!(told, ["x-svc", "rss-x"]);
        let paused = Target { paused: true, ..target() };
        let replaced = |change: &dyn Fn(&mut Live)| {
            let mut other = live.clone();
            change(&mut other);
            other
        };
        for (what, target, live, expected) in [
            ("all is as it was", target(), live.clone(), true),
            ("something else is wanted", paused, live.clone(), false),
            (
                "an equal StatefulSet",
                target(),
                replaced(&|live| live.stateful_set = Some(Arc::default())),
                false,
            ),
            ("an equal service", target(), replaced(&|live| live.services[0] = service("x-svc")), false),
            ("a service is gone", target(), replaced(&|live| live.services.clear()), false),
            ("a budget is new", target(), replaced(&|live| live.budgets.push(Arc::default())), false),
        ] {
            assert_eq!(seen.is_of(&target, &live), expected, "{what}");
        }
    }

    #[test]
    fn a_round_is_remembered_only_if_all_was_settled_by_what_the_caches_hold() {
        let cases = [
            ("settled", Ok(Outcome::Settled), "x-svc", true),
            ("just applied", Ok(Outcome::Applied), "x-svc", false),
            ("not as it is wanted", Ok(Outcome::Immutable(Vec::new())), "x-svc", false),
            ("it failed", Err(Error::NoTemplate), "x-svc", false),
            ("settled by what the API server was asked for", Ok(Outcome::Settled), "x-clients", false),
        ];
        for (what, outcome, name, expected) in cases {
            let mut children = settled();
            children.push(child(ChildKind::Service, name, outcome));
            assert_eq!(Unchanged::after(&target(), &live(), &children).is_some(), expected, "{what}");
        }
        let without = Live { stateful_set: None, ..live() };
        assert!(Unchanged::after(&target(), &without, &settled()).is_none());
    }
}
