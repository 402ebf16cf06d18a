//! A world with its operators: time goes on from event to event.

use crate::operator::{Decide, Operator, Turn};
use crate::options::Options;
use crate::world::{Event, World};

/// A world, and who looks after the set in it.
#[derive(Debug)]
pub(crate) struct Simulation {
    pub(crate) world: World,
    pub(crate) operators: Vec<Operator>,
    pub(crate) effects: u64,
    /// How often an operator died just after an effect.
    pub(crate) crashes: u64,
    /// What struck: power cuts, kills, cut-off nodes and their like, not the mishaps of single commands.
    pub(crate) faults: u64,
    decide: Decide,
}

impl Simulation {
    pub(crate) fn new(seed: u64, options: Options) -> Self {
        Self::deciding(seed, options, planner::decide)
    }

    /// With another planner in place of ours.
    pub(crate) fn deciding(seed: u64, options: Options, decide: Decide) -> Self {
        let rivals = options.rivals;
        let mut new = Self {
            world: World::new(seed, options),
            operators: Vec::new(),
            effects: 0,
            crashes: 0,
            faults: 0,
            decide,
        };
        new.employ();
        if rivals {
            new.employ();
        }
        new
    }

    pub(crate) fn employ(&mut self) {
        let number = self.operators.len();
        self.operators.push(Operator::new(number, &self.world, self.decide));
        self.world.after(0, Event::Operator(number));
    }

    /// Lets everything happen up to this moment, or until something is found wrong.
    pub(crate) fn run_until(&mut self, until: u64) {
        while self.world.breaches.is_empty() {
            let Some(event) = self.world.next(until) else {
                self.world.now = self.world.now.max(until);
                return;
            };
            self.happen(event);
            self.wake();
        }
    }

    pub(crate) fn run_for(&mut self, seconds: u64) {
        self.run_until(self.world.now + seconds * 1000);
    }

    /// Lets time go on until it is so; false if it is not after so many seconds.
    pub(crate) fn wait(&mut self, seconds: u64, is_so: impl Fn(&Self) -> bool) -> bool {
        let until = self.world.now + seconds * 1000;
        while !is_so(self) && self.world.now < until && self.world.breaches.is_empty() {
            match self.world.next(until) {
                Some(event) => self.happen(event),
                None => self.world.now = until,
            }
            self.wake();
        }
        is_so(self)
    }

    /// The newest epoch that the status names.
    pub(crate) fn epoch(&self) -> u64 {
        self.world.resource.memory.as_ref().map_or(0, |memory| memory.epoch.number)
    }

    fn happen(&mut self, event: Event) {
        match self.world.happen(event) {
            Some(Event::Operator(number)) => self.turn(number),
            Some(Event::Fault) => self.strike(),
            Some(Event::Policy) if self.world.rough => self.change_policy(),
            _ => {}
        }
    }

    fn turn(&mut self, number: usize) {
        let operator = &mut self.operators[number];
        if operator.due != self.world.now || operator.retired {
            return;
        }
        if operator.act(&mut self.world) == Turn::Effect {
            self.effects += 1;
            let planned = self.world.options.crashes.contains(&self.effects);
            if planned || self.world.mishap(150) {
                self.crashes += 1;
                operator.die(&mut self.world);
            }
        }
        let millis = operator.due - self.world.now;
        self.world.after(millis, Event::Operator(number));
    }

    fn wake(&mut self) {
        for operator in &mut self.operators {
            if operator.wake(&mut self.world) {
                let millis = operator.due - self.world.now;
                self.world.after(millis, Event::Operator(operator.number));
            }
        }
    }
}
