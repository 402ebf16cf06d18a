//! Planted bugs: each is caught by the audit alone, under the guarantee that it breaks and no other.
//! They are planted into plans that `decide` made and that the audit accepts.

mod alone;
mod away;
mod beside;
mod consents;
mod data;
mod debts;
mod epochs;
mod fences;
mod joins;
mod kept;
mod leads;
mod led;
mod limits;
mod lines;
mod losses;
mod meanwhile;
mod offers;
mod pauses;
mod places;
mod promises;
mod proofs;
mod rehearsals;
mod releases;
mod remembered;
mod repairs;
mod starts;
mod steps;
mod takeovers;
mod told;

use super::world::World;
use super::{Rule, audit};
use crate::fixture::{holder, measure, name};
use crate::key::{Key, KeyKind};
use crate::memory::{Base, Memory};
use crate::names::{AttemptId, ReplicaName};
use crate::observation::{Attempt, AttemptState, Command, Observation, Output, Status};
use crate::plan::{News, Plan, Run, Step};
use crate::position::Position;
use crate::record::Record;
use std::collections::BTreeSet;

/// A plan, with all that the audit reads.
#[derive(Clone)]
struct Case {
    seen: Observation,
    memory: Memory,
    plan: Plan,
}

/// What is wrong, the guarantees that it breaks, and how it is planted.
type Planted = (&'static str, &'static [Rule], fn(&mut Case));

/// Each bug is caught, as what it is.
fn each_is_caught(sound: &Case, bugs: &[Planted]) {
    assert_eq!(sound.breaches(), BTreeSet::new(), "the plan without a bug");
    for (sentence, rules, plant) in bugs {
        let mut case = sound.clone();
        plant(&mut case);
        assert_eq!(case.breaches(), rules.iter().copied().collect(), "{sentence}");
    }
}

/// What may be so besides, and how it comes to be.
type Right = (&'static str, fn(&mut Case));

/// Each is accepted.
fn each_is_right(sound: &Case, changes: &[Right]) {
    for (sentence, change) in changes {
        let mut case = sound.clone();
        change(&mut case);
        assert_eq!(case.breaches(), BTreeSet::new(), "{sentence}");
    }
}

impl Case {
    /// The first plan of a world that is so, beside what was remembered before it.
    fn first(mut world: World, is_it: impl Fn(&Plan, &Memory) -> bool) -> Self {
        for _ in 0..60 {
            let (plan, _) = world.try_round();
            if is_it(&plan, &world.memory) {
                return Self { seen: world.seen, memory: world.memory, plan };
            }
            world.apply(&plan);
        }
        panic!("no such plan; {:?}", world.last.holds)
    }

    /// The first that takes such a step.
    fn that(world: World, wanted: impl Fn(&Step) -> bool) -> Self {
        Self::first(world, |plan, _| plan.steps.iter().any(&wanted))
    }

    fn that_sends(world: World, command: Command) -> Self {
        Self::that(world, |step| matches!(step, Step::Run(run) if run.command == command))
    }

    /// The first that seeds, with readings that were remembered before it.
    fn that_seeds(world: World) -> Self {
        let mut case = Self::that_sends(world, Command::Seed);
        for record in case.plan.memory.holders.values() {
            case.memory.holders.get_mut(&record.holder).unwrap().reading.clone_from(&record.reading);
            for claim in case.seen.replicas.get_mut(&record.replica).unwrap().claims.iter_mut() {
                claim.record.as_mut().unwrap().reading.clone_from(&record.reading);
            }
        }
        case
    }

    /// The first in which an epoch begins.
    fn that_opens(world: World) -> Self {
        Self::first(world, |plan, before| plan.memory.epoch.number > before.epoch.number)
    }

    /// A plan without steps, of a set that runs.
    fn settled(mut world: World) -> Self {
        world.settle();
        let (plan, _) = world.try_round();
        assert_eq!(plan.steps, []);
        Self { seen: world.seen, memory: world.memory, plan }
    }

    fn breaches(&self) -> BTreeSet<Rule> {
        let found = audit(&self.seen, &self.memory, &self.plan).err().unwrap_or_default();
        found.into_iter().map(|breach| breach.rule).collect()
    }

    /// Whether all is well, where nothing else than this can be found wrong.
    fn keeps(&self, rule: Rule) -> bool {
        let found = self.breaches();
        assert!(found.is_empty() || found == [rule].into(), "{found:?}");
        found.is_empty()
    }

    fn run(&mut self) -> &mut Run {
        let run = self.plan.steps.iter_mut().find_map(|step| match step {
            Step::Run(run) => Some(run),
            _ => None,
        });
        run.unwrap()
    }

    /// The record of a replica's data in the plan.
    fn after(&mut self, ordinal: u32) -> &mut Record {
        self.plan.memory.holders.get_mut(&holder(ordinal)).unwrap()
    }

    /// What was known of a replica's data before: in status, and on its claim.
    fn before(&mut self, ordinal: u32) -> impl Iterator<Item = &mut Record> {
        let claims = &mut self.seen.replicas.get_mut(&name(ordinal)).unwrap().claims;
        let claimed = claims.iter_mut().filter_map(|claim| claim.record.as_mut());
        self.memory.holders.get_mut(&holder(ordinal)).into_iter().chain(claimed)
    }

    /// Changes what is known of a replica's data everywhere: in status, on its claim, in the plan.
    fn always(&mut self, ordinal: u32, change: impl Fn(&mut Record)) {
        self.before(ordinal).for_each(&change);
        self.plan.memory.holders.get_mut(&holder(ordinal)).into_iter().for_each(&change);
    }

    /// The epoch of three began with this, read so many outages ago.
    fn begins_with(&mut self, position: Position, ago: u64) {
        let base = Some(Base { position, measure: measure(self.plan.memory.outages - ago) });
        (0..3).for_each(|ordinal| self.always(ordinal, |record| record.epoch.base.clone_from(&base)));
        (self.memory.epoch.base, self.plan.memory.epoch.base) = (base.clone(), base);
    }

    /// A member answers this, or nothing.
    fn answers(&mut self, ordinal: u32, code: Option<i32>) {
        let pod = self.seen.pod_mut(ordinal);
        match (code, &mut pod.status) {
            (Some(code), Status::Answer(answer)) => answer.code = code,
            _ => pod.status = Status::Silent("no route".into()),
        }
        pod.active = Some(code.is_none());
    }

    /// A command that was sent to the container of a replica before, as this look shows it.
    fn attempt(&mut self, ordinal: u32, command: Command, state: AttemptState) -> &mut Attempt {
        let pod = self.seen.pod_mut(ordinal);
        let (pod, container) = (pod.uid.clone(), pod.container.clone().unwrap().id.unwrap());
        let (replica, starts) = (name(ordinal), self.after(ordinal).starts);
        let attempt =
            Attempt { replica, pod, container, command, locked: true, starts, at_rest: true, state };
        self.seen.attempts.insert("another".into(), attempt);
        self.seen.attempts.get_mut(&AttemptId::from("another")).unwrap()
    }

    /// A person allows this, which is used up and told.
    fn allow(&mut self, kind: KeyKind, subject: &str) {
        let key = Key::bound(kind, subject.to_owned(), &self.seen, &self.plan.memory);
        self.plan.memory.used_keys.insert(key.text());
        self.plan.news.push(News::KeyUsed(key.text()));
        self.seen.target.keys.push(key);
    }

    fn label(&mut self, replica: ReplicaName, active: bool) {
        let if_pod = self.seen.replicas[&replica].pod.as_ref().unwrap().uid.clone();
        self.plan.steps.push(Step::Label { replica, if_pod, active, role: None });
    }
}

/// A command is over, and said nothing.
fn ended() -> AttemptState {
    AttemptState::Ended(Output { code: 0, stdout: String::new(), stderr: String::new(), truncated: false })
}

/// A set of three that runs, and is settled.
fn running(has_secondary: bool) -> World {
    let mut world = World::new(3);
    world.seen.target.has_secondary = has_secondary;
    world.want(3);
    world.settle();
    world
}

/// All three stopped at once, and hold different amounts.
fn power_cut() -> World {
    let mut world = running(false);
    for (ordinal, data) in [(0, 5), (1, 9), (2, 7)] {
        world.reboot(ordinal);
        world.apps.get_mut(&ordinal).unwrap().data = data;
    }
    world
}
