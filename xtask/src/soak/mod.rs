//! Long runs in parts: each takes under an hour and goes on where the last one stopped.

mod mutants;
mod part;
mod record;

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow};

use crate::evidence::{Keeper, counts};
use crate::own::Own;
pub use part::Part;
use record::Record;

/// Run rounds of a part until another one would not fit.
///
/// # Errors
/// If a round fails; the next call begins with that round.
pub fn soak(part: Part, minutes: u64, own: Option<Own>) -> Result<()> {
    let limit = Duration::from_secs(minutes * 60);
    let begun = Instant::now();
    let mut record = Record::read(part.name())?;
    let mut longest = Duration::ZERO;
    let mut rounds = 0;
    while rounds == 0 || begun.elapsed() + longest < limit {
        let (keeper, round) = (Keeper::begin(), Instant::now());
        let result = part.round(&record, own.clone());
        keeper.end(&part.part(), &part.numbered(&record), result.is_ok(), counts::MAIN)?;
        result.map_err(|error| anyhow!("{error:#}\n{}", part.failure(&record)))?;
        longest = longest.max(round.elapsed());
        record.next += part.size();
        record.seconds += round.elapsed().as_secs();
        record.write(part.name())?;
        rounds += 1;
        eprintln!("soak {}: {}", part.name(), part.summary(&record));
    }
    Ok(())
}
