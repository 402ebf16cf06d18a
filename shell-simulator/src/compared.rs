//! A plot that a seed draws, told without trouble and then with some: it ends the same way, after the same commands.

mod plot;

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use planner::target::Failover;
use simulator::{Chance, Options};

use self::plot::{PLOTS, Plot};
use crate::end::{End, PODS};
use crate::fault::Fault;
use crate::seed::{WATCHED, on_a_clock_that_jumps, trouble};
use crate::story::Story;
use crate::strikes::Trouble;
use crate::tally::Tally;
use crate::watches::Watches;

/// What kind of set, and what befalls it: members, whether the others follow one, the plot.
type Kind = (u32, bool, Plot);

/// How a plot ends without trouble, and after how many effects.
#[derive(Clone)]
struct Reference {
    end: End,
    effects: usize,
    /// Where another could be promoted, how it ends if nobody is: who led begins anew.
    seeded: Option<End>,
}

/// No trouble is longer, in seconds: what a person set as time for a command is longer.
const LONGEST: u64 = 25;

/// Tells the plot of a seed with trouble, and says what is other than without.
pub(crate) fn tell(seed: u64, fault: Option<Fault>) -> Result<Tally, String> {
    let mut chance = Chance::new(seed ^ 0x6469_6666_6572);
    let kind = ([1, 2, 3, 3, 3, 4, 5][chance.index(7)], chance.one_in(3), PLOTS[chance.index(PLOTS.len())]);
    let reference = reference(kind)?;
    on_a_clock_that_jumps(told(kind, &mut chance, &reference, fault))
        .map_err(|told| format!("{kind:?}\n{told}"))
}

/// Learned once for all seeds.
fn reference(kind: Kind) -> Result<Reference, String> {
    static KNOWN: Mutex<BTreeMap<Kind, Reference>> = Mutex::new(BTreeMap::new());
    let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner).get(&kind).cloned();
    if let Some(known) = known {
        return Ok(known);
    }
    let (end, effects) = learn(kind, Failover::NoKnownLoss)?;
    let seeded = fails_over(kind).then(|| learn(kind, Failover::Never)).transpose()?;
    let learned = Reference { end, effects, seeded: seeded.map(|(end, _)| end) };
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner).insert(kind, learned.clone());
    Ok(learned)
}

/// How the plot ends without trouble, and after how many effects.
fn learn(kind: Kind, failover: Failover) -> Result<(End, usize), String> {
    on_a_clock_that_jumps(async {
        let mut story = Story::begin(1, Options { failover, ..options(kind) });
        plot::tell(&mut story, kind).await?;
        Ok((story.end(), story.operators.effects().len()))
    })
}

async fn told(
    kind: Kind,
    chance: &mut Chance,
    reference: &Reference,
    fault: Option<Fault>,
) -> Result<Tally, String> {
    let mut story = Story::watching(1, options(kind), Watches::draw(chance, WATCHED));
    story.server.plant(fault);
    if chance.one_in(3) {
        story.operators.stand_by();
    }
    story.operators.strike_each(&troubles(chance, reference.effects));
    plot::tell(&mut story, kind).await?;
    let troubles = story.operators.struck();
    // Who hears late asks again, and so does whoever did not hear an answer.
    let as_good = reference.seeded.as_ref().filter(|_| may_be_unread(&troubles));
    let differs = [Some(&reference.end), as_good].into_iter().flatten();
    let differs = differs
        .map(|from| ended(&story, kind, from, &troubles).differs(from, kind.0 as usize, again(&story)));
    let differs = differs.min_by_key(Vec::len).unwrap_or_default();
    if !differs.is_empty() {
        let effects = story.operators.effects().join("\n");
        let trace = story.server.look(|cluster| cluster.trace().join("\n"));
        return Err(format!("{effects}\n{trace}\n{troubles:?}\n{}", differs.join("\n")));
    }
    Ok(story.tally(u64::from(kind.2.is_fault()), 0))
}

/// How often each member may have been asked once more: after each trouble that struck, and by who hears late, does not hear
/// or has no lease for a while.
fn again(story: &Story) -> usize {
    story.operators.struck().len() + story.operators.hears_badly()
}

/// A follower whose answer never comes gave no position: whoever led may hold more, and begins anew.
fn may_be_unread(troubles: &[Trouble]) -> bool {
    troubles.contains(&Trouble::Unanswered)
}

/// One leads, and while it does not the others go on.
fn fails_over((_, has_secondary, plot): Kind) -> bool {
    has_secondary && plot.takes_the_first()
}

/// How it ended, without what may be other. Whoever leaves has its pod deleted first: where the size is told late, it is
/// made once more meanwhile, and nothing is started in it. Of followers that hold as much any may be promoted, and who was not
/// heard then is joined once more. An operator that comes after the time of a start does not learn that its command ended,
/// and asks for no lock of it.
fn ended(story: &Story, kind: Kind, reference: &End, troubles: &[Trouble]) -> End {
    let mut end = story.end();
    end.asked_as_in(reference, begun_anew(story, troubles));
    let (made, gone) = reference.pods();
    if kind.2 == Plot::ThereAndBack && end.pods() == (made + 1, gone + 1) {
        end.counts.insert(PODS, (made, gone));
    }
    if fails_over(kind) {
        end.promoted_as_in(reference);
        end.joined_as_in(reference, troubles.len());
    }
    end
}

/// How often an operator may have gone on that knows from claims and status alone what was done before: after a death, and
/// after a term that ended while its process lived, which stood still or could not write its lease.
fn begun_anew(story: &Story, troubles: &[Trouble]) -> usize {
    let freezes = troubles.iter().filter(|trouble| matches!(trouble, Trouble::Freeze(_))).count();
    story.operators.deaths() + freezes + usize::from(story.operators.loses_its_term())
}

/// One to three of them, each so many effects after the one before.
fn troubles(chance: &mut Chance, effects: usize) -> Vec<(usize, Trouble)> {
    (0..chance.between(1, 3)).map(|_| (chance.index(effects) + 1, trouble(chance, LONGEST))).collect()
}

fn options((replicas, has_secondary, _): Kind) -> Options {
    let primaries = if has_secondary { 1 } else { replicas };
    Options { replicas, primaries, has_secondary, traced: true, ..Options::calm() }
}
