//! Looks for tables of cases.

use crate::memory::Memory;
use crate::names::{ClaimTemplate, ClaimUid, Identity, PodUid};
use crate::observation::{Claim, Life, Node, Observation, Pod, Trust};
use crate::plan::{Plan, Step};
use crate::target::{Order, Patience, Retention, Revision, Target, Update};
use crate::timer::{Age, Timer};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) fn identity(number: u32) -> Identity {
    Identity(format!("db-{number}"))
}

pub(crate) fn uid(number: u32) -> PodUid {
    PodUid(format!("uid-{number}"))
}

pub(crate) fn revision(lasting: &str, in_place: &str) -> Revision {
    Revision { lasting: lasting.into(), in_place: in_place.into() }
}

pub(crate) fn target(replicas: u32) -> Target {
    Target {
        replicas,
        order: Order::Parallel,
        claims: vec!["data".into()],
        revision: revision("a", "1"),
        update: Update::Rolling,
        when_removed: Retention::Retain,
        budget: 3,
        released: None,
        patience: Patience { unhealthy: 600, unheard: 300, window: 3600, progress: 600 },
        paused: false,
    }
}

/// As many available pods with their claims, the lower number the older, and names for more.
pub(crate) fn healthy(replicas: u32) -> Observation {
    let mut seen = Observation {
        target: target(replicas),
        pods: BTreeMap::new(),
        taken: BTreeMap::new(),
        claims: BTreeMap::new(),
        births: BTreeMap::new(),
        any_heard: true,
        refused: BTreeSet::new(),
        rejected: BTreeSet::new(),
        fresh: (100..110).map(identity).collect(),
        ages: BTreeMap::new(),
    };
    (0..replicas).for_each(|number| add(&mut seen, number));
    seen
}

/// What is remembered of it.
pub(crate) fn settled(replicas: u32) -> Memory {
    Memory { grown: replicas, proven: Some(revision("a", "1")), ..Memory::default() }
}

pub(crate) fn add(seen: &mut Observation, number: u32) {
    let pod = Pod {
        uid: uid(number),
        created: u64::from(number),
        revision: revision("a", "1"),
        life: Life::Available,
        trust: Trust::Sound,
        node: Node::Heard,
        leaving: false,
        labelled: true,
        marked: false,
        cached: true,
    };
    seen.pods.insert(identity(number), pod);
    let claim = Claim {
        uid: ClaimUid(format!("claim-{number}")),
        leaving: false,
        mounted_by: BTreeSet::from([identity(number)]),
    };
    seen.claims.insert((identity(number), ClaimTemplate::from("data")), claim);
}

impl Observation {
    pub(crate) fn pod(&mut self, number: u32) -> &mut Pod {
        self.pods.get_mut(&identity(number)).unwrap()
    }

    /// The pod is gone, its claim is not.
    pub(crate) fn gone(&mut self, number: u32) {
        self.pods.remove(&identity(number));
        for claim in self.claims.values_mut() {
            claim.mounted_by.remove(&identity(number));
        }
    }

    /// A pod that was made, and whose claim was refused.
    pub(crate) fn refuse(&mut self, number: u32) {
        add(self, number);
        self.pod(number).life = Life::Starting;
        let key = (identity(number), ClaimTemplate::from("data"));
        self.claims.remove(&key);
        self.refused.insert(key);
    }

    /// An owner decides who goes, and has given these up.
    pub(crate) fn release(&mut self, numbers: &[u32]) {
        self.target.released = Some(numbers.iter().copied().map(identity).collect());
    }

    pub(crate) fn ripen(&mut self, timer: Timer) {
        self.ages.insert(timer, Age::Ripe);
    }
}

/// Steps in few words.
pub(crate) fn words(steps: &[Step]) -> Vec<String> {
    let word = |step: &Step| match step {
        Step::CreatePod { why, revision, .. } => format!("create for {why:?} from {}", revision.lasting),
        Step::CreateClaim { identity, template, .. } => format!("claim {template} of {identity}"),
        Step::Update { identity, to, .. } => format!("update {identity} to {}{}", to.lasting, to.in_place),
        Step::SetAside { identity, .. } => format!("set {identity} aside"),
        Step::DeletePod { identity, cause, .. } => format!("delete {identity}: {cause:?}"),
        Step::DeleteClaim { identity, template, .. } => format!("delete {template} of {identity}"),
    };
    steps.iter().map(word).collect()
}

/// The plan, which the audit accepts.
pub(crate) fn decide(seen: &Observation, memory: &Memory) -> Plan {
    let plan = crate::decide(seen, memory);
    assert_eq!(crate::audit(seen, memory, &plan), Ok(()), "{plan:?}");
    plan
}
