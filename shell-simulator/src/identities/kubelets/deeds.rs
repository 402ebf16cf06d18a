//! What scheduler, kubelets and controllers do, once it is due.

use api_server::Store;
use serde_json::{Value, json};

use super::{Deed, Kubelets, Power};
use crate::identities::law::Law;
use crate::identities::object::{
    self, LONG_AGO, Objects, claim_path, image, is_leaving, mounts, name, node_of, node_path, ready, uid,
};

impl Kubelets {
    pub(super) fn take(&mut self, now: u64, whom: &str, deed: Deed, store: &mut Store, law: &mut Law) {
        match deed {
            Deed::Silence => self.silence(whom, store),
            Deed::Hear => {
                self.heard.insert(whom.to_owned(), now);
                show(store, &node_path(whom), |node| node["status"]["conditions"] = ready("True"));
            }
            _ => {
                let pods = object::pods(store);
                let Some((path, pod)) = pods.iter().find(|(_, pod)| uid(pod) == whom) else { return };
                self.take_pod(path, pod, deed, store, law);
            }
        }
    }

    fn take_pod(&mut self, path: &str, pod: &Value, deed: Deed, store: &mut Store, law: &mut Law) {
        match deed {
            Deed::Bind => {
                let on = self.with(Power::On);
                let node = &on[self.chance.index(on.len())];
                show(store, path, |pod| pod["spec"]["nodeName"] = json!(node));
            }
            Deed::Start => {
                for claim in mounts(pod).iter().filter_map(|name| store.get(&claim_path(name))) {
                    law.mounts(pod, claim, store);
                }
                self.containers += 1;
                let status = started(pod, self.containers);
                show(store, path, |pod| pod["status"] = status.clone());
            }
            Deed::Heal => drop(self.sick.remove(uid(pod))),
            Deed::End | Deed::Collect => store.remove(path),
            Deed::Evict => show(store, path, |pod| {
                pod["metadata"]["deletionTimestamp"] = json!(LONG_AGO);
                pod["metadata"]["deletionGracePeriodSeconds"] = json!(30);
            }),
            Deed::Silence | Deed::Hear => {}
        }
    }

    fn silence(&mut self, node: &str, store: &mut Store) {
        show(store, &node_path(node), |node| node["status"]["conditions"] = ready("Unknown"));
        for (path, pod) in object::pods(store) {
            if node_of(&pod) == Some(node) {
                show(store, &path, |pod| pod["status"]["conditions"] = ready("False"));
            }
        }
    }

    /// Claims that are to go, and that no pod mounts.
    pub(super) fn release(&self, pods: &Objects, store: &mut Store) {
        for (path, claim) in object::claims(store) {
            if is_leaving(&claim) && !pods.iter().any(|(_, pod)| mounts(pod).contains(&name(&claim))) {
                store.let_go(&path);
            }
        }
    }
}

/// There is no such image.
pub(super) fn is_bad(image: &str) -> bool {
    image.ends_with(":bad")
}

fn started(pod: &Value, number: u64) -> Value {
    let image = image(pod);
    let (state, status) = match is_bad(image) {
        true => (json!({"waiting": {"reason": "ErrImagePull"}}), "False"),
        false => (json!({"running": {}}), "True"),
    };
    json!({"phase": "Running", "conditions": ready(status), "containerStatuses": [{"name": "db", "image": image,
        "imageID": "", "containerID": format!("c://{number}"), "ready": status == "True", "restartCount": 0,
        "state": state}]})
}

/// Somebody in the cluster writes an object, if it is there.
pub(in crate::identities) fn show(store: &mut Store, path: &str, change: impl FnOnce(&mut Value)) {
    if let Some(mut object) = store.get(path).cloned() {
        change(&mut object);
        store.put(path, object);
    }
}
