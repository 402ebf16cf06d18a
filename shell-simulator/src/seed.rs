//! A story that a seed draws: what kind of set, what befalls it, and what goes wrong with the operator's requests.

use std::time::Duration;

use simulator::{Chance, Options};

use crate::life::{Trouble, Watches};
use crate::story::Story;

/// What a story came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Processes of the operator that died.
    pub crashes: u64,
    /// What befell the cluster, and requests that went wrong.
    pub faults: u64,
    /// It ended in a wait for a person.
    pub held: bool,
}

/// Tells the story of a seed, on a clock that jumps.
///
/// # Errors
/// With all that happened, if a law was broken, it never came to rest, or it is not well and waits for nobody.
///
/// # Panics
/// If there is no runtime to be had.
pub fn tell(seed: u64) -> Result<Tally, String> {
    on_a_clock_that_jumps(told(seed))
}

/// Tells a story on a clock of its own.
pub(crate) fn on_a_clock_that_jumps<T>(story: impl Future<Output = T>) -> T {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_time().start_paused(true).build().expect("a runtime");
    runtime.block_on(Box::pin(story))
}

async fn told(seed: u64) -> Result<Tally, String> {
    let mut chance = Chance::new(seed ^ 0x7368_656c_6c73);
    let mut story = Story::watching(seed, options(&mut chance), watches(&mut chance));
    if chance.one_in(3) {
        story.operators.stand_by();
    }
    let mut faults = 0;
    if chance.one_in(3) {
        strike(&story, &mut chance);
        faults += 1;
    }
    if !chance.one_in(4) {
        story.rests().await?;
    }
    for _ in 0..chance.between(1, 4) {
        if chance.one_in(2) {
            strike(&story, &mut chance);
        } else {
            befall(&story, &mut chance);
        }
        faults += 1;
        story.operators.passes(Duration::from_millis(chance.between(0, 40_000))).await;
    }
    let held = story.rests().await?;
    Ok(Tally { crashes: story.operators.deaths() as u64, faults, held })
}

fn options(chance: &mut Chance) -> Options {
    let replicas = [1, 2, 3, 3, 3, 3, 4, 5][chance.index(8)];
    let has_secondary = chance.one_in(3);
    let primaries = if has_secondary { 1 } else { replicas };
    Options { replicas, primaries, has_secondary, calm: false, traced: true, ..Options::calm() }
}

fn watches(chance: &mut Chance) -> Watches {
    let kinds = ["pods", "nodes", "persistentvolumeclaims", "statefulsets", "replicatedstatefulsets"];
    let lags = kinds.map(|kind| (kind, if chance.one_in(4) { chance.between(0, 8000) } else { 0 }));
    Watches { lags: lags.to_vec(), stutters: chance.one_in(3) }
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

fn befall(story: &Story, chance: &mut Chance) {
    let (kind, at) = (chance.below(5), chance.index(5));
    let dark = chance.between(2000, 120_000);
    story.server.befall(|cluster| {
        let pods: Vec<_> = cluster.pods().into_values().map(|pod| pod.uid).collect();
        let pod = pods.get(at % pods.len().max(1));
        match (kind, pod) {
            (0, _) => (0..cluster.machines()).for_each(|machine| cluster.cut_power(machine, dark)),
            (1, _) => cluster.cut_power(at % cluster.machines(), dark),
            (2, Some(pod)) => cluster.kill_database(pod),
            (3, Some(pod)) => cluster.crash_container(pod),
            (_, Some(pod)) => cluster.delete_pod(pod, None),
            (_, None) => {}
        }
    });
}
