//! What kind of set a story is about, and how much goes wrong in it.

use crate::adversary::Lies;
use crate::chance::Chance;
use planner::Target;
use planner::target::{
    DetachedVolume, Failover, ForcedDeletion, Identities, Mode, Rollout, Storage, Timeouts,
};

/// What kind of set, and how much goes wrong.
#[derive(Clone, Debug)]
pub struct Options {
    /// Members wanted at first.
    pub replicas: u32,
    /// How many run as primary.
    pub primaries: u32,
    /// There is a `secondary` command; writes reach the others later.
    pub has_secondary: bool,
    /// Where the data lives.
    pub storage: Storage,
    /// What becomes of the volume lock.
    pub flock: Flock,
    /// Commands that only read take the lock shared. Where they exclude each other, one of another
    /// operator is taken for the database.
    pub readers_share: bool,
    /// The guard can tell containers of a pod apart: where it cannot, what began in one of before may run in this one.
    pub tells_containers: bool,
    /// What `sequence` prints.
    pub positions: Positions,
    /// Now and then the resource names another policy, by which the same output is another position.
    pub policies: bool,
    /// The set's first policy answers anything, until another one takes its place.
    pub lies: Option<Lies>,
    /// `recovery.mode`.
    pub mode: Mode,
    /// Seconds after which members are asked again while they run.
    pub rehearsal: Option<u64>,
    /// Each of them has a name of its own as who reads. Where all have one, what two have read is compared.
    pub names_readers: bool,
    /// `recovery.failover`.
    pub failover: Failover,
    /// `recovery.forcedDeletion`.
    pub forced_deletion: ForcedDeletion,
    /// `status` names the group that a member is in.
    pub names_group: bool,
    /// Faults before the world heals.
    pub faults: u32,
    /// The operator dies just after these effects, counted from 1.
    pub crashes: Vec<u64>,
    /// A second operator acts at the same time, while faults go on.
    pub rivals: bool,
    /// Every delay is the shortest, and no command fails by chance.
    pub calm: bool,
    /// Every plan is audited, as an operator does; without it the laws of the world stand alone.
    pub audited: bool,
    /// The trace is kept; a run without it is several times faster.
    pub traced: bool,
}

/// What becomes of the volume lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flock {
    /// The database keeps the descriptor.
    Inherited,
    /// A daemon that closes all descriptors: free again when its command ends.
    Dropped,
    /// There is no `flock` in the container.
    Missing,
    /// The file system takes no locks: to the guard that looks as if somebody held it.
    Unsupported,
}

/// What `sequence` prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Positions {
    /// How many writes there are: a bare number.
    Counter,
    /// The same, declared to grow only: a history of one source.
    Monotonic,
    /// The writes of each lineage.
    Lineages,
    /// How many writes there are, under the name of the newest lineage: a database that makes a new
    /// one at each seed.
    Renamed,
}

impl Options {
    /// Three primaries on claims with a lock, nothing goes wrong.
    #[must_use]
    pub fn calm() -> Self {
        Self {
            replicas: 3,
            primaries: 3,
            has_secondary: false,
            storage: Storage::Claims { lock: true },
            flock: Flock::Inherited,
            readers_share: true,
            tells_containers: true,
            positions: Positions::Counter,
            policies: false,
            lies: None,
            mode: Mode::Auto,
            rehearsal: None,
            names_readers: true,
            failover: Failover::NoKnownLoss,
            forced_deletion: ForcedDeletion::WaitGracePeriod,
            names_group: false,
            faults: 0,
            crashes: Vec::new(),
            rivals: false,
            calm: true,
            audited: true,
            traced: false,
        }
    }

    /// One primary that the others follow.
    #[must_use]
    pub fn followed() -> Self {
        Self { primaries: 1, has_secondary: true, positions: Positions::Lineages, ..Self::calm() }
    }

    /// A set of any kind, and some faults.
    #[must_use]
    pub fn draw(chance: &mut Chance) -> Self {
        let has_secondary = chance.one_in(2);
        let replicas = [1, 2, 3, 3, 3, 3, 4, 5][chance.index(8)];
        let claims = [Storage::Claims { lock: true }, Storage::Claims { lock: false }];
        let storage = match chance.below(8) {
            0 => Storage::Pod,
            1 => Storage::Container,
            2 => claims[1],
            _ => claims[0],
        };
        let positions = [Positions::Counter, Positions::Monotonic, Positions::Lineages, Positions::Lineages];
        Self {
            replicas,
            primaries: if has_secondary { u32::from(replicas > 3 && chance.one_in(3)) + 1 } else { replicas },
            has_secondary,
            storage,
            flock: [Flock::Inherited, Flock::Inherited, Flock::Dropped, Flock::Missing][chance.index(4)],
            readers_share: true,
            // Beside the other draws, which stay what they are for each seed.
            tells_containers: !chance.clone().one_in(4),
            positions: positions[chance.index(4)],
            policies: false,
            lies: None,
            mode: Mode::Auto,
            rehearsal: None,
            names_readers: true,
            failover: [Failover::NoKnownLoss, Failover::NoKnownLoss, Failover::Never, Failover::AllowLoss]
                [chance.index(4)],
            forced_deletion: [ForcedDeletion::WaitGracePeriod, ForcedDeletion::Hold][chance.index(2)],
            names_group: !has_secondary && chance.one_in(2),
            faults: u32::try_from(chance.between(1, 10)).unwrap_or(1),
            crashes: Vec::new(),
            rivals: chance.one_in(6),
            calm: false,
            audited: true,
            traced: false,
        }
    }

    /// Whether the data outlives its pod.
    #[must_use]
    pub fn has_claims(&self) -> bool {
        matches!(self.storage, Storage::Claims { .. })
    }

    /// What the resource asks for at first.
    #[must_use]
    pub fn target(&self) -> Target {
        Target {
            generation: 1,
            replicas: self.replicas,
            primaries: self.primaries,
            paused: false,
            has_secondary: self.has_secondary,
            storage: self.storage,
            identities: Identities::Numbered,
            mode: self.mode,
            failover: self.failover,
            forced_deletion: self.forced_deletion,
            detached_volume: DetachedVolume::Hold,
            replace_after: None,
            rehearsal_interval: self.rehearsal,
            parallel_joins: 1,
            rollout: Rollout::RollingUpdate,
            timeouts: Timeouts { sequence: 10, seed: 30, primary: 60, secondary: 60, status: 10, stop: 20 },
            grace_seconds: GRACE_SECONDS,
            keys: Vec::new(),
        }
    }
}

/// `terminationGracePeriodSeconds` of the pods.
pub(crate) const GRACE_SECONDS: u64 = 30;
