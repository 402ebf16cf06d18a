//! A plot that a seed draws, told without trouble and then with some: it ends the same way, after the same commands.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use simulator::{Chance, Options};

use crate::end::{End, PODS};
use crate::life::Trouble;
use crate::seed::{WATCHED, on_a_clock_that_jumps, trouble};
use crate::story::Story;
use crate::tally::Tally;
use crate::watches::Watches;

/// What befalls a set that stands, or what is wanted of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Plot {
    /// Nothing but its birth.
    Birth,
    /// All nodes lose their power.
    LightsOut,
    /// The same, and the status was lost before.
    StatusLost,
    /// One node does.
    NodeLost,
    /// The database of the first member ends, its container does not.
    DatabaseEnds,
    /// The first member's container ends.
    ContainerEnds,
    /// The last member's pod is deleted.
    PodDeleted,
    /// One member more, and then one less.
    ThereAndBack,
}

use Plot::{Birth, ContainerEnds, DatabaseEnds, LightsOut, NodeLost, PodDeleted, StatusLost, ThereAndBack};

const PLOTS: [Plot; 8] =
    [Birth, LightsOut, StatusLost, NodeLost, DatabaseEnds, ContainerEnds, PodDeleted, ThereAndBack];

/// What kind of set, and what befalls it: members, whether the others follow one, the plot.
type Kind = (u32, bool, Plot);

/// How a plot ends without trouble, and after how many effects.
#[derive(Clone)]
struct Reference {
    end: End,
    effects: usize,
}

/// No trouble is longer, in seconds: what a person set as time for a command is longer.
const LONGEST: u64 = 25;

/// Tells the plot of a seed with trouble, and says what is other than without.
pub(crate) fn tell(seed: u64) -> Result<Tally, String> {
    let mut chance = Chance::new(seed ^ 0x6469_6666_6572);
    let kind = ([1, 2, 3, 3, 3, 4, 5][chance.index(7)], chance.one_in(3), PLOTS[chance.index(PLOTS.len())]);
    let reference = reference(kind)?;
    on_a_clock_that_jumps(told(kind, &mut chance, &reference)).map_err(|told| format!("{kind:?}\n{told}"))
}

/// Learned once for all seeds.
fn reference(kind: Kind) -> Result<Reference, String> {
    static KNOWN: Mutex<BTreeMap<Kind, Reference>> = Mutex::new(BTreeMap::new());
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&kind).cloned();
    if let Some(known) = known {
        return Ok(known);
    }
    let learned = on_a_clock_that_jumps(async {
        let mut story = Story::begin(1, options(kind));
        plot(&mut story, kind).await?;
        Ok::<_, String>(Reference { end: story.end(), effects: story.operators.effects().len() })
    })?;
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(kind, learned.clone());
    Ok(learned)
}

async fn told(kind: Kind, chance: &mut Chance, reference: &Reference) -> Result<Tally, String> {
    let mut story = Story::watching(1, options(kind), Watches::draw(chance, WATCHED));
    if chance.one_in(3) {
        story.operators.stand_by();
    }
    let troubles = troubles(chance, reference.effects);
    let faults = troubles.len();
    story.operators.strike_each(&troubles);
    plot(&mut story, kind).await?;
    // Who hears late asks again, and so does whoever did not hear an answer.
    let differs = ended(&story, kind, &reference.end).differs(&reference.end, kind.0 as usize, faults + 2);
    if !differs.is_empty() {
        let effects = story.operators.effects().join("\n");
        let trace = story.server.look(|cluster| cluster.trace().join("\n"));
        return Err(format!("{effects}\n{trace}\n{troubles:?}\n{}", differs.join("\n")));
    }
    Ok(Tally { crashes: story.operators.deaths() as u64, faults: faults as u64, keys: 0, replaced: 0 })
}

/// How it ended, without what may be other. Whoever leaves has its pod deleted first: where the size is told late, it is
/// made once more meanwhile, and nothing is started in it. And of followers that hold as much any may be promoted.
fn ended(story: &Story, (_, has_secondary, plot): Kind, reference: &End) -> End {
    let mut end = story.end();
    let (made, gone) = reference.pods();
    if plot == ThereAndBack && end.pods() == (made + 1, gone + 1) {
        end.counts.insert(PODS, (made, gone));
    }
    if has_secondary && plot == DatabaseEnds {
        end.promoted_as_in(reference);
    }
    end
}

/// One to three of them, each so many effects after the one before.
fn troubles(chance: &mut Chance, effects: usize) -> Vec<(usize, Trouble)> {
    (0..chance.between(1, 3)).map(|_| (chance.index(effects) + 1, trouble(chance, LONGEST))).collect()
}

fn options((replicas, has_secondary, _): Kind) -> Options {
    let primaries = if has_secondary { 1 } else { replicas };
    Options { replicas, primaries, has_secondary, traced: true, ..Options::calm() }
}

async fn plot(story: &mut Story, (replicas, has_secondary, plot): Kind) -> Result<(), String> {
    story.settles().await?;
    let primaries = |replicas: u32| if has_secondary { 1 } else { replicas };
    match plot {
        Birth => return Ok(()),
        LightsOut => lights_out(story).await,
        StatusLost => {
            story.erase_status();
            lights_out(story).await;
        }
        ThereAndBack => {
            story.want(replicas + 1, primaries(replicas + 1));
            story.settles().await?;
            story.want(replicas, primaries(replicas));
        }
        NodeLost | DatabaseEnds | ContainerEnds | PodDeleted => befall_one(story, plot),
    }
    story.settles().await
}

/// Long enough for the power to be back.
async fn lights_out(story: &mut Story) {
    story.server.befall(|cluster| cluster.cut_all_power(10_000));
    story.operators.passes(Duration::from_secs(12)).await;
}

fn befall_one(story: &Story, plot: Plot) {
    story.server.befall(|cluster| {
        let pods = cluster.pods();
        match (plot, pods.values().next(), pods.values().next_back()) {
            (NodeLost, ..) => cluster.cut_power(0, 10_000),
            (DatabaseEnds, Some(first), _) => cluster.kill_database(&first.uid),
            (ContainerEnds, Some(first), _) => cluster.crash_container(&first.uid),
            (_, _, Some(last)) => cluster.delete_pod(&last.uid, None),
            _ => {}
        }
    });
}
