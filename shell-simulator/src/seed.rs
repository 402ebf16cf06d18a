//! A story that a seed draws: what kind of set, what befalls it, and what goes wrong with the operator's requests. Every
//! other one is a plot that is told without trouble too, to be compared.

mod blow;
mod on_identities;

use std::time::Duration;

use planner::target::{Failover, ForcedDeletion};
use simulator::{Chance, Flock, Options, Positions};

use crate::compared;
use crate::fault::Fault;
use crate::story::Story;
use crate::strikes::Trouble;
use crate::tally::Tally;
use crate::watches::Watches;
use blow::befall;
pub use on_identities::tell_on_identities;

/// What may be told late.
pub(crate) const WATCHED: [&str; 5] =
    ["pods", "nodes", "persistentvolumeclaims", "statefulsets", "replicatedstatefulsets"];

/// Tells the story of a seed, on a clock that jumps.
///
/// # Errors
/// With all that happened, if a law was broken, it never came to rest, it is not well whatever a person allows of what it
/// asks for, or it ended otherwise than without trouble.
///
/// # Panics
/// If there is no runtime to be had.
pub fn tell(seed: u64) -> Result<Tally, String> {
    tell_by(seed, None)
}

/// The same of operators with a fault.
///
/// # Errors
/// As there: the fault was found.
///
/// # Panics
/// As there.
pub fn tell_faulty(seed: u64, fault: Fault) -> Result<Tally, String> {
    tell_by(seed, Some(fault))
}

fn tell_by(seed: u64, fault: Option<Fault>) -> Result<Tally, String> {
    if seed.is_multiple_of(2) {
        compared::tell(seed, fault)
    } else {
        on_a_clock_that_jumps(told(seed, fault))
    }
}

/// Tells a story on a clock of its own.
pub(crate) fn on_a_clock_that_jumps<T>(story: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().expect("a runtime");
    runtime.block_on(Box::pin(story))
}

async fn told(seed: u64, fault: Option<Fault>) -> Result<Tally, String> {
    let mut chance = Chance::new(seed ^ 0x7368_656c_6c73);
    let mut story = Story::watching(seed, options(&mut chance), Watches::draw(&mut chance, WATCHED));
    story.server.plant(fault);
    let faults = goes_wrong(&mut story, &mut chance, befall).await?;
    let keys = story.settles_with_help(&mut chance).await?;
    Ok(story.tally(faults, keys))
}

/// Strikes the operator's requests and lets things befall the set, in turns: how many faults did befall it.
async fn goes_wrong(
    story: &mut Story,
    chance: &mut Chance,
    befall: impl AsyncFn(&Story, &mut Chance) -> bool,
) -> Result<u64, String> {
    if chance.one_in(3) {
        story.operators.stand_by();
    }
    let mut faults = 0;
    if chance.one_in(3) {
        strike(story, chance);
    }
    if !chance.one_in(4) {
        story.rests().await?;
    }
    for _ in 0..chance.between(1, 4) {
        if chance.one_in(2) {
            strike(story, chance);
        } else {
            faults += u64::from(befall(story, chance).await);
        }
        story.operators.passes(Duration::from_millis(chance.between(0, 40_000))).await;
    }
    Ok(faults)
}

fn options(chance: &mut Chance) -> Options {
    let replicas = [1, 2, 3, 3, 3, 3, 4, 5][chance.index(8)];
    let has_secondary = chance.one_in(3);
    let primaries = if has_secondary { u32::from(replicas > 3 && chance.one_in(2)) + 1 } else { replicas };
    Options {
        replicas,
        primaries,
        has_secondary,
        forced_deletion: [ForcedDeletion::WaitGracePeriod, ForcedDeletion::Hold][chance.index(2)],
        failover: [Failover::NoKnownLoss, Failover::NoKnownLoss, Failover::Never, Failover::AllowLoss]
            [chance.index(4)],
        flock: [Flock::Inherited, Flock::Inherited, Flock::Dropped, Flock::Missing][chance.index(4)],
        positions: [Positions::Counter, Positions::Monotonic][chance.index(2)],
        calm: false,
        traced: true,
        ..Options::calm()
    }
}

fn strike(story: &Story, chance: &mut Chance) {
    let trouble = trouble(chance, 90);
    story.operators.strike(chance.index(40) + 1, trouble);
}

/// What goes wrong with a request; what is late is so by so many seconds at most.
pub(crate) fn trouble(chance: &mut Chance, longest: u64) -> Trouble {
    let late = chance.between(1, longest);
    let troubles = [
        Trouble::Death,
        Trouble::Death,
        Trouble::Refused([409, 429, 500][chance.index(3)]),
        Trouble::AnswerLost,
        Trouble::Unanswered,
        Trouble::Late(late),
        Trouble::Freeze(late),
    ];
    troubles[chance.index(troubles.len())]
}
