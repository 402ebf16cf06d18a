//! Status and claims that tell different things: a promise of which only a part was written, a status that was erased, a
//! watch of claims that is late. What is planned on them is right, and the audit finds it so.

use super::{Chance, World, any_world, disturb, worlds};
use crate::names::ClaimUid;
use crate::observation::Claim;
use crate::plan::Plan;
use crate::record::{HolderId, Record};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Two claims for each replica in every other world.
fn claimed(seed: u64, chance: &mut Chance) -> World {
    let mut world = any_world(chance);
    while !world.seen.target.has_claims() {
        world = any_world(chance);
    }
    for replica in world.seen.replicas.values_mut().filter(|_| seed.is_multiple_of(2)) {
        let mut other = replica.claims[0].clone();
        other.uid = ClaimUid(format!("b-{}", other.uid));
        replica.claims.push(other);
    }
    world
}

/// What claims say, and said.
#[derive(Default)]
struct Written(BTreeMap<ClaimUid, Vec<Record>>);

impl Written {
    /// What a look finds of each: the last that was written, or where the watch is late one before it.
    fn shown(&self, world: &mut World, mut late: impl FnMut() -> usize) {
        for claim in world.seen.replicas.values_mut().flat_map(|replica| &mut replica.claims) {
            let all = self.0.get(&claim.uid).map_or(&[][..], Vec::as_slice);
            claim.record = all.iter().rev().nth(late()).or(all.first()).cloned();
        }
    }

    fn is_last(&self, uid: &ClaimUid, record: Option<&Record>) -> bool {
        self.0.get(uid).and_then(|all| all.last()) == record
    }

    /// Writes a promise, of which so many writes come to be, those first that prove a new epoch. False: not all of it, or a
    /// claim was another than was seen.
    fn promise(&mut self, world: &World, plan: &Plan, most: usize) -> bool {
        let mut writes: Vec<(&Claim, &Record)> = Vec::new();
        for replica in world.seen.replicas.values() {
            let holder = HolderId::Claims(replica.claims.iter().map(|claim| claim.uid.clone()).collect());
            let record = plan.memory.holders.get(&holder);
            writes.extend(replica.claims.iter().filter_map(|claim| Some((claim, record?))));
        }
        writes.retain(|(claim, record)| claim.record.as_ref() != Some(record));
        writes.sort_by_key(|(_, record)| Reverse(record.confirmed));
        let all = writes.len();
        let is_written = |(claim, record): (&Claim, &Record)| {
            let is_current = self.is_last(&claim.uid, claim.record.as_ref());
            self.0.entry(claim.uid.clone()).or_default().extend(is_current.then(|| record.clone()));
            is_current
        };
        writes.into_iter().take(most).map(is_written).take_while(|done| *done).count() == all && most > all
    }
}

#[test]
fn whatever_was_written_in_part_or_is_seen_late() {
    for seed in 0..worlds() {
        let mut chance = Chance::of(seed);
        let mut world = claimed(seed, &mut chance);
        let (mut written, mut is_late) = (Written::default(), false);
        for _ in 0..120 {
            written.shown(&mut world, || if is_late { chance.below(3) as usize } else { 0 });
            let (plan, found) = world.try_round();
            if std::mem::take(&mut is_late) && found.is_err() {
                // Nothing is done on a picture that is late and does not fit, until it is late no more.
                continue;
            }
            let first = found.err().unwrap_or_default().first().map(ToString::to_string);
            assert_eq!(first, None, "in world {seed}: {:#?}", plan.steps);
            let most = if chance.below(8) == 0 { chance.below(4) as usize } else { usize::MAX };
            if written.promise(&world, &plan, most) {
                world.apply(&plan);
            } else if chance.below(2) == 0 {
                world.new_leader();
            }
            // Who led before knows what it wrote.
            is_late = chance.below(12) == 0;
            if is_late {
                world.new_leader();
            } else if chance.below(5) == 0 {
                disturb(&mut world, &mut chance);
            }
        }
    }
}
