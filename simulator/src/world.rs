//! The world: a cluster, an application on it, and its clients, in virtual time.

pub(crate) mod api;
mod clients;
mod controller;
mod exec;
mod guard;
mod identities;
mod kubelet;
mod machine;
mod process;
mod scripts;
mod status;
mod volume;

use crate::chance::Chance;
use crate::operator::Envelope;
use crate::options::Options;
use crate::trace::Trace;
use api::{ClaimObject, PodObject, Resource, WorkloadObject};
pub(crate) use clients::Write;
use exec::Execution;
pub(crate) use exec::{Ask, Flight};
use identities::Identities;
pub use kubelet::Mark;
pub(crate) use kubelet::outlive;
pub(crate) use kubelet::{BROKEN, Sandbox, WITHOUT_SHELL};
pub(crate) use machine::Machine;
use planner::names::{ContainerId, PodUid};
pub(crate) use process::{Phase, Process};
use std::collections::BTreeMap;
pub(crate) use volume::Volume;

/// Something that is going to happen.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// The StatefulSet controller looks.
    Controller,
    /// A kubelet starts the container of a pod.
    Start(PodUid),
    /// A kubelet has ended a container: for good if its pod is to go.
    End(PodUid, ContainerId),
    /// A machine that was without power starts again.
    PowerUp(usize),
    /// A kubelet that was cut off is back.
    Reconnect(usize),
    /// The control plane notices that a kubelet is silent.
    NotReady(usize),
    /// A command reaches its node.
    Arrive(u64),
    /// The operator does not wait any longer.
    Deadline(u64),
    /// A command ends.
    Finish(u64),
    /// A process is what it was started as.
    Ready(u64),
    /// A process ends.
    Gone(u64),
    /// A client writes.
    Write,
    /// An operator acts.
    Operator(usize),
    /// Something goes wrong.
    Fault,
    /// The resource names another policy.
    Policy,
}

/// The world.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) now: u64,
    pub(crate) chance: Chance,
    pub(crate) options: Options,
    pub(crate) trace: Trace,
    queue: BTreeMap<(u64, u64), Event>,
    serial: u64,
    /// Grows with everything that an operator could see.
    pub(crate) changes: u64,
    pub(crate) machines: Vec<Machine>,
    pub(crate) resource: Resource,
    pub(crate) workload: Option<WorkloadObject>,
    pub(crate) pods: BTreeMap<u32, PodObject>,
    pub(crate) claims: BTreeMap<u32, ClaimObject>,
    pub(crate) identities: Identities,
    pub(crate) sandboxes: Vec<Sandbox>,
    pub(crate) volumes: Vec<Volume>,
    pub(crate) processes: Vec<Process>,
    /// When one of them ended last.
    pub(crate) ended: u64,
    pub(crate) writes: Vec<Write>,
    /// The newest lineage that began.
    pub(crate) lineages: u64,
    flights: BTreeMap<u64, Flight>,
    executions: BTreeMap<u64, Execution>,
    /// What kubelets reported as terminated, in this order.
    pub(crate) reports: Vec<ContainerId>,
    /// Replies on their way into the operators' hands.
    pub(crate) inbox: Vec<Envelope>,
    /// The next seed's command fails long before its database comes up.
    pub(crate) late_seed: bool,
    /// So many seeds fail before their database comes up.
    pub(crate) failing_seeds: u32,
    /// The next copy takes this long, in milliseconds, and tells how far it is.
    pub(crate) slow_copy: Option<u64>,
    /// The API server takes no change of the StatefulSet's template.
    pub(crate) refuses_templates: bool,
    /// Faults go on.
    pub(crate) rough: bool,
    /// What the oracle found.
    pub(crate) breaches: Vec<String>,
}

impl World {
    pub(crate) fn new(seed: u64, options: Options) -> Self {
        let machines = (0..options.replicas.max(3) + 1).map(Machine::new).collect();
        let trace = Trace::new(options.traced);
        let mut world = Self {
            now: 0,
            chance: Chance::new(seed),
            trace,
            queue: BTreeMap::new(),
            serial: 0,
            changes: 0,
            machines,
            resource: Resource::new(options.target(), options.lies),
            workload: None,
            pods: BTreeMap::new(),
            claims: BTreeMap::new(),
            identities: Identities::default(),
            sandboxes: Vec::new(),
            volumes: Vec::new(),
            processes: Vec::new(),
            ended: 0,
            writes: Vec::new(),
            lineages: 0,
            flights: BTreeMap::new(),
            executions: BTreeMap::new(),
            reports: Vec::new(),
            inbox: Vec::new(),
            late_seed: false,
            failing_seeds: 0,
            slow_copy: None,
            refuses_templates: false,
            rough: false,
            breaches: Vec::new(),
            options,
        };
        world.after(1000, Event::Write);
        world
    }

    pub(crate) fn say(&mut self, words: impl FnOnce() -> String) {
        self.trace.say(self.now, words);
    }

    /// A number that no other thing of this world has.
    pub(crate) fn fresh(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }

    pub(crate) fn after(&mut self, millis: u64, event: Event) {
        let key = (self.now + millis, self.fresh());
        self.queue.insert(key, event);
    }

    /// As long as it takes: a fixed while in a calm world.
    pub(crate) fn while_of(&mut self, low: u64, high: u64) -> u64 {
        if self.options.calm { low } else { self.chance.between(low, high) }
    }

    /// Whether something that goes wrong now and then does so now.
    pub(crate) fn mishap(&mut self, one_in: u64) -> bool {
        self.rough && self.chance.one_in(one_in)
    }

    /// The next event, not later than this; time goes on to it.
    pub(crate) fn next(&mut self, until: u64) -> Option<Event> {
        let (&key, _) = self.queue.first_key_value().filter(|((at, _), _)| *at <= until)?;
        self.now = key.0;
        self.queue.remove(&key)
    }

    /// When the next event is.
    pub(crate) fn next_at(&self) -> Option<u64> {
        self.queue.first_key_value().map(|((at, _), _)| *at)
    }

    /// Whether such an event will be.
    pub(crate) fn is_scheduled(&self, wanted: impl Fn(&Event) -> bool) -> bool {
        self.queue.values().any(wanted)
    }

    pub(crate) fn cancel(&mut self, unwanted: impl Fn(&Event) -> bool) {
        self.queue.retain(|_, event| !unwanted(event));
    }

    /// Something that the oracle will not have.
    pub(crate) fn breach(&mut self, what: String) {
        self.say(|| format!("BREACH {what}"));
        self.breaches.push(what);
    }

    /// What happens without an operator. Gives back what is not the world's own.
    pub(crate) fn happen(&mut self, event: Event) -> Option<Event> {
        match event {
            Event::Controller => self.control(),
            Event::Start(pod) => self.start_container(&pod),
            Event::End(pod, container) => self.end_container(&pod, &container),
            Event::PowerUp(machine) => self.power_up(machine),
            Event::Reconnect(machine) => self.reconnect(machine),
            Event::NotReady(machine) => self.notice_silence(machine),
            Event::Arrive(flight) => self.arrive(flight),
            Event::Deadline(flight) => self.give_up(flight),
            Event::Finish(execution) => self.finish(execution),
            Event::Ready(process) => self.get_ready(process),
            Event::Gone(process) => self.end_process(process),
            Event::Write => self.write(),
            other @ (Event::Operator(_) | Event::Fault | Event::Policy) => return Some(other),
        }
        None
    }
}
