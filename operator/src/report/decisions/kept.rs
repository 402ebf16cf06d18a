//! How many records of a set are kept, and in how many bytes: a resource is copied with every change, and etcd takes
//! 1.5 MiB.
//!
//! Each interface has bounds of its own, so none drives out another. What is written must be the same again in the next
//! look, so a record is never dropped for one that would be dropped for it: where there is one for each member, a new
//! one that finds no room is not kept.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use crate::api::Decision;
use crate::policy::Interface;
use crate::policy::record::compact;

/// Records of an interface that is asked about one member at a time: one for each member, and for members that left as
/// long as all are no more than these.
const FEW: usize = 8;

/// What is kept of the decisions of a set.
pub(super) struct Kept {
    all: Vec<Decision>,
    members: BTreeSet<String>,
}

/// The bounds of an interface: records, and bytes of their JSON.
struct Bounds {
    records: usize,
    bytes: usize,
}

impl Kept {
    /// What was kept before, of a set with these members.
    pub(super) fn new(all: Vec<Decision>, members: BTreeSet<String>) -> Self {
        Self { all, members }
    }

    /// All, the newest last.
    pub(super) fn into_all(self) -> Vec<Decision> {
        self.all
    }

    /// The newest of the same interface about the same subject.
    pub(super) fn last_like(&self, new: &Value) -> Option<&Value> {
        self.all.iter().rev().map(|old| &*old.0).find(|old| is_like(old, new))
    }

    /// Adds a record, and keeps within the bounds of its interface.
    pub(super) fn add(&mut self, interface: Interface, mut new: Value) {
        compact::share(&mut new);
        if subject(&new).is_some() {
            self.all.retain(|old| !is_like(&old.0, &new));
        }
        self.all.push(Decision(new.into()));
        let Bounds { records, bytes } = self.bounds(interface);
        while self.of(interface).len() > records && self.drop_one(interface) {}
        while self.bytes(interface) > bytes && (self.cut_one(interface) || self.drop_one(interface)) {}
    }

    fn bounds(&self, interface: Interface) -> Bounds {
        let one_each = self.members.len().max(FEW);
        let (records, kibibytes) = match interface {
            // The choice of a seed is what people ask about years later.
            Interface::Seed => (8, 32),
            Interface::Primaries => (4, 16),
            Interface::Replicas => (one_each, 48),
            Interface::Sequence => (one_each, 32),
            Interface::Metadata => (0, 0),
        };
        Bounds { records, bytes: kibibytes << 10 }
    }

    /// Where those of an interface are, oldest first.
    fn of(&self, interface: Interface) -> Vec<usize> {
        let is_of = |one: &Decision| one.0["interface"] == interface.versioned();
        (0..self.all.len()).filter(|at| is_of(&self.all[*at])).collect()
    }

    /// The bytes of an interface's records; of seeds those of all but the newest, which stays whatever its size.
    fn bytes(&self, interface: Interface) -> usize {
        let mut counted = self.of(interface);
        if interface == Interface::Seed {
            counted.pop();
        }
        counted.into_iter().map(|at| self.all[at].0.to_string().len()).sum()
    }

    /// Cuts the oldest that is whole. False: there is none, or none may be cut.
    fn cut_one(&mut self, interface: Interface) -> bool {
        let is_whole = |at: &usize| !compact::is_cut(&self.all[*at].0);
        let whole = self.of(interface).into_iter().find(is_whole).filter(|_| interface != Interface::Seed);
        whole.inspect(|at| compact::cut(Arc::make_mut(&mut self.all[*at].0))).is_some()
    }

    /// Drops one: about a member that left, else the newest where each member has one, else the oldest. False: none may be.
    fn drop_one(&mut self, interface: Interface) -> bool {
        let of = self.of(interface);
        let has_left = |at: &usize| subject(&self.all[*at].0).is_some_and(|who| !self.members.contains(who));
        let dropped = match interface {
            Interface::Replicas | Interface::Sequence => {
                of.iter().copied().find(has_left).or(of.last().copied())
            }
            Interface::Seed | Interface::Primaries | Interface::Metadata => {
                of.first().copied().filter(|_| of.len() > 1)
            }
        };
        dropped.inspect(|at| drop(self.all.remove(*at))).is_some()
    }
}

/// The member that a record is about, if it is about one.
fn subject(record: &Value) -> Option<&str> {
    let input = &record["input"];
    input["member"]["name"].as_str().or(input["output"]["replica"].as_str())
}

fn is_like(old: &Value, new: &Value) -> bool {
    old["interface"] == new["interface"] && subject(old) == subject(new)
}
