//! Where a world ends once nothing fails any more.

use stateful_cluster::names::Identity;
use stateful_cluster::observation::{Life, Pod};
use stateful_cluster::timers;

use super::World;

impl World {
    /// Nothing fails any more, and time passes: where does it end?
    pub(crate) fn settled(&self) -> Result<(), String> {
        if !self.to_send.is_empty() || !self.on_the_way.is_empty() {
            // Where it goes on from is a state of its own.
            return Ok(());
        }
        let mut world = self.clone();
        for _ in 0..40 {
            if world.is_right() {
                return Ok(());
            }
            world.give_up_who_is_lost();
            world.look(8, true);
            while !world.to_send.is_empty() {
                world.send();
            }
            world.on_the_way.clone().iter().for_each(|step| world.land(step));
            let names: Vec<_> = world.now.pods.keys().cloned().collect();
            names.iter().for_each(|identity| world.go_on(identity));
            timers(&world.seen(0), &world.memory).keys().for_each(|timer| world.ripen(timer));
        }
        Err(format!("it does not settle: {world:#?}"))
    }

    /// An owner does that in the end, once it knows that others hold all their data: until their nodes are back nothing
    /// else ends them, and nobody else removes who is too many. Who is gone comes back by itself.
    fn give_up_who_is_lost(&mut self) {
        let given_up =
            |identity: &Identity| self.released.iter().flatten().any(|released| released == identity);
        let kept = self.now.pods.keys().filter(|identity| !given_up(identity)).count();
        let is_surplus =
            |identity: &Identity| kept > self.replicas as usize && !self.filled.contains(identity);
        let is_lost = |(identity, pod): &(&Identity, &Pod)| pod.is_unheard() || is_surplus(identity);
        let lost: Vec<_> =
            self.now.pods.iter().filter(is_lost).map(|(identity, _)| identity.clone()).collect();
        lost.iter().for_each(|identity| self.release(identity));
    }

    /// As many as asked for are available, and nobody else stands or is awaited.
    fn is_right(&self) -> bool {
        let standing: Vec<_> = self.now.pods.values().filter(|pod| !pod.leaving).collect();
        let well = |pod: &&&Pod| pod.life == Life::Available && !pod.is_unheard();
        let ends = self.now.pods.values().any(|pod| pod.leaving && !pod.is_unheard());
        standing.len() == self.replicas as usize
            && standing.iter().filter(well).count() == standing.len()
            && !ends
            && self.memory.given.is_empty()
    }
}
