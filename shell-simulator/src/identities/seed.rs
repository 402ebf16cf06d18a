//! A story that a seed draws: how many pods, what befalls them, and what goes wrong with the operator's requests.

use std::time::Duration;

use simulator::Chance;

use super::{Blow, Story, Wish};
use crate::seed::{on_a_clock_that_jumps, trouble};
use crate::tally::Tally;
use crate::watches::Watches;

/// What may be told late.
const WATCHED: [&str; 5] =
    ["pods", "nodes", "persistentvolumeclaims", "controllerrevisions", "statefulclusters"];

/// Tells the story of a seed, on a clock that jumps.
///
/// # Errors
/// With all that happened, if a law was broken, or it does not become well.
///
/// # Panics
/// If there is no runtime to be had.
pub fn tell(seed: u64) -> Result<Tally, String> {
    on_a_clock_that_jumps(told(seed))
}

async fn told(seed: u64) -> Result<Tally, String> {
    let mut chance = Chance::new(seed ^ 0x6964_656e_7473);
    let replicas = [1, 2, 3, 3, 3, 4, 5][chance.index(7)];
    let retention = if chance.one_in(2) { "Delete" } else { "Retain" };
    let mut story = Story::begin(seed, replicas, retention, Watches::draw(&mut chance, WATCHED));
    if chance.one_in(2) {
        story.want(Wish::Budget(chance.between(5, 8)));
        story.want(Wish::Window("10m"));
    }
    if chance.one_in(3) {
        story.operators.stand_by();
    }
    let mut faults = 0;
    if chance.one_in(2) {
        story.operators.strike(chance.index(12) + 1, trouble(&mut chance, 60));
    }
    // What was never well with any template has none to go back to from a bad one.
    story.settles().await?;
    for _ in 0..chance.between(6, 16) {
        if chance.one_in(2) {
            story.operators.strike(chance.index(12) + 1, trouble(&mut chance, 60));
        }
        faults += u64::from(befall(&story, &mut chance));
        story.passes(Duration::from_millis(chance.between(0, 60_000))).await?;
        if chance.one_in(3) {
            story.settles().await?;
        }
    }
    story.befall(Blow::PowerOn, 0);
    story.settles().await?;
    let replaced = (story.identities() as u64).saturating_sub(replicas);
    faults += story.operators.struck_besides();
    Ok(Tally { crashes: story.operators.deaths() as u64, faults, keys: 0, replaced })
}

/// Whether a fault befell it: another wish is none.
fn befall(story: &Story, chance: &mut Chance) -> bool {
    let at = chance.index(60);
    let wish = match chance.below(13) {
        0 => Wish::Size(chance.between(1, 5)),
        1 => Wish::Image(["db:1", "db:2", "db:3", "db:bad"][chance.index(4)]),
        2 => Wish::Arguments(["1", "2", "3"][chance.index(3)]),
        3 => Wish::Eviction,
        _ => return story.struck_by(Blow::ALL[chance.index(Blow::ALL.len())], at),
    };
    story.want(wish);
    false
}
