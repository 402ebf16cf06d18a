//! Scheduler, kubelets and the controllers of nodes, pods and claims: what becomes of each pod, and when.

mod deeds;

use std::collections::BTreeMap;

use api_server::Store;
use serde_json::{Value, json};
use simulator::Chance;

use super::law::Law;
use super::object::{
    self, claim_path, has_failed, image, is_leaving, is_ready, mounts, node_of, node_path, ready, uid,
};
use deeds::is_bad;
pub(super) use deeds::show;

/// For so long after it is heard of again a node may still be silent to those who look.
const STALE: u64 = 30_000;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Power {
    On,
    Off,
}

/// What happens to a pod or a node next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Deed {
    /// The pod gets a node.
    Bind,
    /// Its container starts, or starts anew.
    Start,
    /// It is healthy again.
    Heal,
    /// It was told to end, and has.
    End,
    /// Its node is silent for so long that it is told to end, where its template allows that.
    Evict,
    /// Its node is none any more.
    Collect,
    /// Nothing is heard of the node.
    Silence,
    /// The node is heard of again.
    Hear,
}

/// All kubelets.
pub(crate) struct Kubelets {
    chance: Chance,
    nodes: BTreeMap<String, Power>,
    /// When nodes were heard of again.
    heard: BTreeMap<String, u64>,
    /// Pods whose container fails, by their UIDs, and whether it may be well again.
    sick: BTreeMap<String, bool>,
    /// By the UID of a pod, or the name of a node.
    due: BTreeMap<(String, Deed), u64>,
    containers: u64,
    /// The version of what is watched for which it is known what is due, and that of all at which the law was shown it.
    planned: Option<u64>,
    shown: Option<u64>,
}

impl Default for Kubelets {
    fn default() -> Self {
        let (heard, due) = (BTreeMap::new(), BTreeMap::new());
        let (nodes, sick) = (BTreeMap::new(), BTreeMap::new());
        Self { chance: Chance::new(0), nodes, heard, sick, due, containers: 0, planned: None, shown: None }
    }
}

impl Kubelets {
    pub(super) fn new(seed: u64) -> Self {
        Self { chance: Chance::new(seed), ..Self::default() }
    }

    /// A node that is there from now on.
    pub(super) fn add_node(&mut self, store: &mut Store) -> String {
        let name = (0..).map(|number| format!("k{number}")).find(|name| !self.heard.contains_key(name));
        let name = name.unwrap_or_default();
        self.turn(&name, Some(Power::On));
        self.heard.insert(name.clone(), 0);
        let node = json!({"metadata": {"name": name, "uid": name}, "spec": {},
            "status": {"conditions": ready("True")}});
        store.put(&node_path(&name), node);
        name
    }

    /// The power of a node; none: it is none any more.
    pub(super) fn turn(&mut self, node: &str, power: Option<Power>) {
        match power {
            Some(power) => drop(self.nodes.insert(node.to_owned(), power)),
            None => drop(self.nodes.remove(node)),
        }
        self.planned = None;
    }

    /// The container of a pod fails from now on, and may be well again or not.
    pub(super) fn sicken(&mut self, uid: &str, heals: bool) {
        self.sick.insert(uid.to_owned(), heals);
        self.planned = None;
    }

    /// The objects are others than they were.
    pub(super) fn look_anew(&mut self) {
        (self.planned, self.shown) = (None, None);
    }

    /// The nodes with this power.
    pub(super) fn with(&self, power: Power) -> Vec<String> {
        self.nodes.iter().filter(|(_, is)| **is == power).map(|(name, _)| name.clone()).collect()
    }

    /// Nothing is heard of it, as far as everybody may know: it has no power, does not report yet, or has for a moment only.
    pub(super) fn is_unheard(&self, node: &str, now: u64, store: &Store) -> bool {
        let reports = store.get(&node_path(node)).is_some_and(is_ready);
        let heard = self.heard.get(node).copied().unwrap_or(u64::MAX);
        self.nodes.get(node) != Some(&Power::On) || !reports || (heard > 0 && now < heard + STALE)
    }

    /// Lets everything happen that is due; when the next is.
    pub(super) fn go_on(&mut self, now: u64, store: &mut Store, law: &mut Law) -> Option<u64> {
        if self.nodes.is_empty() {
            return None;
        }
        loop {
            if self.shown.replace(store.version()) != Some(store.version()) {
                law.sees_templates(now, store);
            }
            // What nobody watches is nothing to a kubelet.
            if self.planned != Some(store.told()) {
                self.plan(now, store);
                self.planned = Some(store.told());
            }
            let ripe: Vec<_> =
                self.due.iter().filter(|(_, at)| **at <= now).map(|(whom, _)| whom.clone()).collect();
            if ripe.is_empty() {
                return self.due.values().min().copied();
            }
            for (whom, deed) in ripe {
                self.due.remove(&(whom.clone(), deed));
                self.planned = None;
                self.take(now, &whom, deed, store, law);
            }
        }
    }

    /// What is not to come any more is forgotten, and what is new gets its time.
    fn plan(&mut self, now: u64, store: &mut Store) {
        let nodes = self.nodes.iter().filter_map(|(name, power)| {
            let (deed, span) = of_node(*power, is_ready(store.get(&node_path(name))?))?;
            Some(((name.clone(), deed), span))
        });
        let pods = object::pods(store);
        let next = pods.iter().filter_map(|(_, pod)| {
            let (deed, span) = self.of_pod(pod, store)?;
            Some(((uid(pod).to_owned(), deed), span))
        });
        let next: BTreeMap<_, _> = nodes.chain(next).collect();
        self.due.retain(|whom, _| next.contains_key(whom));
        for (whom, (soonest, latest)) in next {
            let at = now + self.chance.between(soonest, latest);
            self.due.entry(whom).or_insert(at);
        }
        self.release(&pods, store);
    }

    fn of_pod(&self, pod: &Value, store: &Store) -> Option<(Deed, (u64, u64))> {
        let Some(node) = node_of(pod) else {
            let is_there = |name: &&str| store.get(&claim_path(name)).is_some_and(|claim| !is_leaving(claim));
            let is_bound = mounts(pod).iter().all(is_there);
            let is_room = self.nodes.values().any(|power| *power == Power::On);
            return (is_bound && is_room).then_some((Deed::Bind, (50, 1000)));
        };
        match self.nodes.get(node) {
            None => Some((Deed::Collect, (40_000, 60_000))),
            Some(Power::Off) => {
                (!is_leaving(pod) && !stays(pod)).then_some((Deed::Evict, (340_000, 345_000)))
            }
            Some(Power::On) if is_leaving(pod) => Some((Deed::End, (100, 5000))),
            Some(Power::On) if has_failed(pod) => None,
            Some(Power::On) => match self.sick.get(uid(pod)) {
                Some(heals) => heals.then_some((Deed::Heal, (20_000, 400_000))),
                None => (!is_as_wanted(pod)).then_some((Deed::Start, (200, 5000))),
            },
        }
    }
}

fn of_node(power: Power, is_heard: bool) -> Option<(Deed, (u64, u64))> {
    match (power, is_heard) {
        (Power::Off, true) => Some((Deed::Silence, (40_000, 45_000))),
        (Power::On, false) => Some((Deed::Hear, (100, 5000))),
        _ => None,
    }
}

/// It is not evicted for the taint of a silent node.
fn stays(pod: &Value) -> bool {
    let mut said = pod["spec"]["tolerations"].as_array().into_iter().flatten();
    let first = said.find(|said| said["key"] == "node.kubernetes.io/unreachable");
    first.is_some_and(|said| said["effect"] == "NoExecute" && said["tolerationSeconds"].is_null())
}

/// Its container runs what it is to run; or is reported not to be able to.
fn is_as_wanted(pod: &Value) -> bool {
    let container = &pod["status"]["containerStatuses"][0];
    container["image"] == image(pod) && (is_ready(pod) || is_bad(image(pod)))
}
