//! A person who gives a key stands by what it says.

use super::State;
use crate::world::api::ordinal;
use planner::key::{Key, KeyKind};
use planner::names::ReplicaName;

impl State {
    /// What is said to be fenced is switched off first, and what is said to be lost is given up.
    pub(crate) fn give(&mut self, key: &Key) {
        self.keys = vec![key.clone()];
        let at = ordinal(&ReplicaName(key.subject.clone())) as usize;
        match key.kind {
            KeyKind::AssertFenced => self.fence(&key.subject),
            KeyKind::AcceptSeed => self.give_up(at, false),
            KeyKind::AcceptLoss | KeyKind::AcceptErrant => self.give_up(at, true),
            KeyKind::AcceptSize | KeyKind::Recreate | KeyKind::Approve => {}
        }
    }

    fn fence(&mut self, pod: &str) {
        for member in &mut self.members {
            member.process.take_if(|process| process.pod.0 == pod);
            member.orphan.take_if(|process| process.pod.0 == pod);
        }
    }

    /// Gives up the writes that this member's data holds, or does not.
    fn give_up(&mut self, at: usize, held: bool) {
        let Some(data) = self.members.get(at).map(|member| member.data) else { return };
        for (index, write) in self.writes.iter_mut().enumerate() {
            write.given_up |= (data & (1 << index) != 0) == held;
        }
    }
}
