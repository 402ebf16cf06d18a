//! Long runs in parts: each takes under an hour and goes on where the last one on the same commit stopped.

mod mutants;
mod part;
mod round;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use crate::evidence::{Keeper, Kept, counts};
use crate::own::Own;
pub use part::Part;
use round::Round;

/// Run rounds of a part until another one would not fit, or there is none.
///
/// # Errors
/// If a round fails; the next call begins with that round.
pub fn soak(part: Part, minutes: u64, own: Option<Own>) -> Result<()> {
    let limit = Duration::from_secs(minutes * 60);
    let begun = Instant::now();
    let mut longest = Duration::ZERO;
    // What nobody will know after this call.
    let mut untold = BTreeSet::new();
    while longest.is_zero() || begun.elapsed() + longest < limit {
        let keeper = Keeper::begin(own.as_ref());
        if longest.is_zero() {
            keeper.warn();
        }
        let mut done = keeper.done(&part.part())?;
        done.extend(untold.iter().cloned());
        let Some(round) = Round::next(part, &done) else {
            eprintln!("soak {}: every round of it was run", part.name());
            return Ok(());
        };
        let name = round.name();
        eprintln!("soak {}: {name} begins; {}", part.name(), round.place());
        let clock = Instant::now();
        let result = round.run(own.clone());
        let kept = keeper.end(&part.part(), &name, result.is_ok(), counts::MAIN)?;
        longest = longest.max(clock.elapsed());
        result.map_err(|error| {
            anyhow!("{error:#}\nsoak {} failed in {name}; this alone: {}", part.name(), round.alone())
        })?;
        if kept == Kept::Never {
            untold.insert(name.clone());
        }
        let (number, asked) = (done.len() + 1, part.asked());
        let took = clock.elapsed().as_secs();
        eprintln!(
            "soak {}: {name} in {took} s; {number} rounds of the {asked} that are asked for",
            part.name()
        );
    }
    Ok(())
}
