//! What is asked for, and what a pod is when it is made.

use stateful_cluster::memory::Why;
use stateful_cluster::names::Identity;
use stateful_cluster::observation::{Life, Node, Pod, Trust};
use stateful_cluster::plan::Step;
use stateful_cluster::target::{Order, Patience, Retention, Revision, Target, Update};

pub(super) fn again((identity, why): (&Identity, &Why)) -> Step {
    Step::CreatePod { identity: identity.clone(), revision: revision(), why: *why }
}

pub(super) fn pod(identity: &Identity, times: u32) -> Pod {
    Pod {
        uid: format!("{identity}/{times}").as_str().into(),
        created: 0,
        revision: revision(),
        life: Life::Starting,
        trust: Trust::Sound,
        node: Node::Heard,
        leaving: false,
        labelled: true,
        marked: false,
        cached: true,
    }
}

fn revision() -> Revision {
    Revision { lasting: "a".into(), in_place: "1".into() }
}

pub(super) fn target(replicas: u32) -> Target {
    Target {
        replicas,
        order: Order::Parallel,
        claims: vec!["data".into()],
        revision: revision(),
        update: Update::Rolling,
        when_removed: Retention::Delete,
        budget: 9,
        released: None,
        patience: Patience { unhealthy: 1, unheard: 1, window: 1, progress: 1 },
        paused: false,
    }
}
