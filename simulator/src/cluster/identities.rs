//! Members whose names are given once, and who makes their pods and claims is not this cluster.

use super::Cluster;
use crate::oracle;
use planner::names::{ClaimUid, NodeName, PodUid, ReplicaName};

impl Cluster {
    /// The name of a member, if it was given one.
    #[must_use]
    pub fn name(&self, number: u32) -> Option<&ReplicaName> {
        self.world.identities.names.get(number as usize)
    }

    /// A claim of its own is made for a member.
    pub fn host_claim(&mut self, of: &ReplicaName, uid: ClaimUid) {
        self.world.host_claim(of, uid);
    }

    /// A pod of a member is put on a node: on that of its volume, if it was mounted before. None: it fits nowhere.
    pub fn host_pod(&mut self, of: &ReplicaName, uid: PodUid) -> Option<NodeName> {
        self.world.host_pod(of, uid)
    }

    /// A member is given up: nobody will mount what it holds.
    pub fn release(&mut self, name: &ReplicaName) {
        let number = self.world.admit(name);
        if self.world.identities.released.contains(&number) {
            return;
        }
        self.world.say(|| format!("x-{number} is given up"));
        if let Err(what) = oracle::may_give_up(&self.world, number) {
            self.world.breach(format!("release: {what}"));
        }
        self.world.identities.released.insert(number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::Options;
    use crate::world::Write;

    /// Two members, of which the first alone holds a write that was acknowledged.
    fn two() -> Cluster {
        let mut cluster = Cluster::new(1, Options::calm());
        for name in ["a", "b"] {
            cluster.host_claim(&name.into(), format!("{name}-claim").as_str().into());
            cluster.host_pod(&name.into(), format!("{name}-pod").as_str().into());
        }
        cluster.world.writes.push(Write { lineage: 1, number: 1, acknowledged: true, given_up: false });
        cluster.world.volumes[0].writes.insert(0);
        cluster
    }

    #[test]
    fn whose_data_nobody_else_holds_is_not_given_up() {
        let given_up = |name: &str, change: &dyn Fn(&mut Cluster)| {
            let mut cluster = two();
            change(&mut cluster);
            cluster.release(&name.into());
            cluster.breaches().join("; ")
        };
        assert_eq!(given_up("a", &|_| {}), "release: write 0 goes with 0: nobody else holds it");
        assert_eq!(given_up("b", &|_| {}), "", "what it holds the other one holds");
        assert_eq!(given_up("a", &|cluster| cluster.world.writes[0].given_up = true), "");
        let copied = |cluster: &mut Cluster| cluster.world.volumes[1].writes.extend([0]);
        assert_eq!(given_up("a", &copied), "");
        let both = |cluster: &mut Cluster| {
            copied(cluster);
            cluster.release(&"b".into());
        };
        assert!(!given_up("a", &both).is_empty(), "the other one was given up before");
    }

    #[test]
    fn whoever_serves_without_what_was_acknowledged_is_found() {
        let mut cluster = two();
        let serves = |cluster: &mut Cluster, name: &str| {
            let number = cluster.world.number(&name.into());
            cluster.run_until(cluster.world.now + 10_000);
            cluster.world.start_by_hand(number);
            cluster.run_until(cluster.world.now + 10_000);
            oracle::has_lost_nothing(&cluster.world).is_ok()
        };
        assert!(serves(&mut cluster, "a"));
        assert!(!serves(&mut cluster, "b"));
    }
}
