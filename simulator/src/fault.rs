//! What goes wrong, drawn by the seed.

use crate::simulation::Simulation;
use crate::world::{BROKEN, Event};
use planner::names::{PodUid, Revision};
use planner::target::ForcedDeletion;

impl Simulation {
    /// One fault; the next one comes later.
    pub(crate) fn strike(&mut self) {
        if !self.world.rough {
            return;
        }
        self.faults += 1;
        if self.world.options.policies && self.world.chance.one_in(4) {
            return self.change_policy();
        }
        match self.world.chance.below(22) {
            0 | 1 => self.lights_out(),
            2 => self.cut_one(),
            3 | 4 => self.kill_some(),
            5 | 6 => self.delete_by_force(),
            7 => self.delete_a_pod(),
            8 | 9 => self.cut_off_one(),
            10 | 11 => self.end_an_operator(),
            12 => self.crash_a_container(),
            13 => self.freeze_or_break(|process| process.frozen = true),
            14 => self.freeze_or_break(|process| process.broken = true),
            15 => self.lose_a_claim(),
            16 => self.forget_memory(),
            17 | 18 => self.change_size(),
            19 => self.pause_or_go_on(),
            20 => self.change_template(),
            _ => self.change_primaries(),
        }
    }

    fn machine(&mut self) -> usize {
        self.world.chance.index(self.world.machines.len())
    }

    fn lights_out(&mut self) {
        if self.world.chance.one_in(2) {
            self.world.write_in_part();
        }
        for machine in 0..self.world.machines.len() {
            let millis = self.world.chance.between(5000, 120_000);
            self.world.cut_power(machine, millis);
        }
        if self.world.options.policies {
            // Between what is read of those that come back first and of those that come last.
            let millis = self.world.chance.between(5000, 120_000);
            self.world.after(millis, Event::Policy);
        }
    }

    fn cut_one(&mut self) {
        let (machine, millis) = (self.machine(), self.world.chance.between(5000, 300_000));
        self.world.cut_power(machine, millis);
    }

    fn kill_some(&mut self) {
        let all = self.world.chance.one_in(2);
        let ids: Vec<u64> = self.world.processes.iter().map(|process| process.id).collect();
        for id in ids {
            if all || self.world.chance.one_in(2) {
                self.world.end_process(id);
            }
        }
    }

    fn pod(&mut self) -> Option<(PodUid, usize)> {
        let pods: Vec<(PodUid, usize)> =
            self.world.pods.values().map(|pod| (pod.shown.uid.clone(), pod.machine)).collect();
        (!pods.is_empty()).then(|| pods[self.world.chance.index(pods.len())].clone())
    }

    /// On a node that cannot be reached the process outlives any grace period: only a resource that
    /// asks for proof is safe from that.
    fn delete_by_force(&mut self) {
        let Some((pod, machine)) = self.pod() else { return };
        let proof = self.world.options.forced_deletion == ForcedDeletion::Hold;
        if proof || self.world.machines[machine].is_reachable() {
            self.world.force_delete(&pod);
        }
    }

    fn delete_a_pod(&mut self) {
        if let Some((pod, _)) = self.pod() {
            self.world.delete_pod(&pod, None);
        }
    }

    fn cut_off_one(&mut self) {
        let (machine, millis) = (self.machine(), self.world.chance.between(3000, 400_000));
        self.world.disconnect(machine);
        self.world.after(millis, Event::Reconnect(machine));
    }

    fn end_an_operator(&mut self) {
        let number = self.world.chance.index(self.operators.len());
        self.end_operator(number, 0);
    }

    /// It dies, and the next one comes this much later than it would.
    pub(crate) fn end_operator(&mut self, number: usize, millis: u64) {
        let operator = &mut self.operators[number];
        operator.die(&mut self.world);
        operator.stay_away(operator.due + millis);
        let away = operator.due - self.world.now;
        self.world.after(away, Event::Operator(number));
    }

    fn crash_a_container(&mut self) {
        if let Some((pod, _)) = self.pod() {
            self.world.crash_container(&pod);
        }
    }

    fn freeze_or_break(&mut self, change: impl Fn(&mut crate::world::Process)) {
        let running = self.world.processes.iter().map(|process| process.id).collect::<Vec<_>>();
        let Some(id) = self.world.chance.pick(&running) else { return };
        self.world.say(|| format!("process {id} is frozen, or fails"));
        self.world.process_mut(id).into_iter().for_each(change);
    }

    fn lose_a_claim(&mut self) {
        let ordinals: Vec<u32> = self.world.claims.keys().copied().collect();
        if let Some(ordinal) = self.world.chance.pick(&ordinals) {
            self.world.lose_claim(ordinal);
        }
    }

    /// Without claims there is no second copy of what was promised.
    fn forget_memory(&mut self) {
        if self.world.options.has_claims() {
            self.world.erase_memory();
        }
    }

    fn change_size(&mut self) {
        let size = u32::try_from(self.world.chance.below(6)).unwrap_or(0);
        let has_secondary = self.world.options.has_secondary;
        self.world.spec(|target| {
            target.replicas = size;
            target.primaries = if has_secondary { target.primaries.clamp(1, size.max(1)) } else { size };
        });
    }

    fn pause_or_go_on(&mut self) {
        self.world.spec(|target| target.paused = !target.paused);
    }

    fn change_template(&mut self) {
        let number = self.world.fresh();
        let broken = self.world.chance.one_in(3);
        self.world.resource.template =
            if broken { Revision::from(BROKEN) } else { Revision(format!("r{number}")) };
        self.world.spec(|_| {});
    }

    fn change_primaries(&mut self) {
        if self.world.options.has_secondary {
            let more = self.world.chance.between(1, 2);
            self.world.spec(|target| {
                target.primaries = u32::try_from(more).unwrap_or(1).min(target.replicas.max(1))
            });
        }
    }

    /// Now and then the status is lost in the same moment.
    pub(crate) fn change_policy(&mut self) {
        self.change_policy_to(self.world.resource.policy + 1);
        if self.world.chance.one_in(4) {
            self.forget_memory();
        }
    }

    pub(crate) fn change_policy_to(&mut self, number: u64) {
        self.world.resource.policy = number;
        self.world.say(|| format!("policy {number} is wanted"));
        self.world.spec(|_| {});
    }

    /// Everything works again, and what is wanted stands still.
    pub(crate) fn heal(&mut self) {
        let world = &mut self.world;
        world.rough = false;
        world.say(|| "all faults are over".to_owned());
        for machine in 0..world.machines.len() {
            world.reconnect(machine);
            world.power_up(machine);
        }
        let frozen: Vec<u64> =
            world.processes.iter().filter(|p| p.frozen).map(|process| process.id).collect();
        frozen.into_iter().for_each(|id| world.end_process(id));
        if world.resource.template.0 == BROKEN {
            world.resource.template = Revision::from("r-mended");
        }
        world.spec(|target| target.paused = false);
        self.operators.iter_mut().skip(1).for_each(|rival| rival.retired = true);
    }
}
