//! `exhaust --from INDEX --count N`: explores small worlds, one beginning after the other, in passes: in the first
//! nothing goes wrong but that looks are stale, in the next an operator dies or freezes at any effect, in the third one
//! other thing goes wrong at any moment, and clients write; then the first again. `--most STATES` ends each early. It
//! ends with 1 and the shortest way to the first thing that must not be.
//!
//! With `--misled` a policy may answer anything in each look, until nothing goes wrong any more.
//!
//! `exhaust --walk SEED --count N`: walks by chance through worlds of five members.

use simulator::{Budget, Explorer, Found, Setting, Start, Tally, Walk};
use std::io::Write;
use std::process::ExitCode;
use std::time::Instant;

/// What may go wrong in each pass.
const PASSES: [Budget; 3] = [
    Budget { crashes: 0, faults: 0, writes: 0 },
    Budget { crashes: 1, faults: 0, writes: 0 },
    Budget { crashes: 0, faults: 1, writes: 1 },
];

/// And in a walk, of so many moves.
const WALK: Budget = Budget { crashes: 2, faults: 3, writes: 2 };
const MOVES: u64 = 150;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |flag: &str| {
        let at = words.iter().position(|word| word == flag)?;
        words.get(at + 1)?.parse::<usize>().ok()
    };
    let has = |flag: &str| words.iter().any(|word| word == flag);
    let count = number("--count").unwrap_or(1);
    let most = number("--most").map_or(u64::MAX, |most| most as u64);
    let began = Instant::now();
    let explored = match number("--walk") {
        Some(seed) => walk(seed as u64, count as u64),
        None => explore(number("--from").unwrap_or(0), count, most, has("--misled")),
    };
    let mut out = std::io::stdout().lock();
    let took = began.elapsed().as_secs_f64();
    match explored {
        Ok(sum) => {
            simulator::count("states", sum.states);
            let _ = writeln!(out, "{sum}, {took:.1} s");
            ExitCode::SUCCESS
        }
        Err(found) => {
            let _ = writeln!(out, "{found}");
            ExitCode::FAILURE
        }
    }
}

fn explore(from: usize, count: usize, most: u64, misled: bool) -> Result<Tally, Box<Found>> {
    let settings = [Setting::Equal, Setting::Followed];
    let explorers = settings.map(|setting| Explorer::of(setting, 3));
    let explorers = explorers.map(|explorer| if misled { explorer.misled() } else { explorer });
    let starts = settings.map(Start::all);
    let all: Vec<(&Explorer, &Start)> = explorers
        .iter()
        .zip(&starts)
        .flat_map(|(explorer, starts)| starts.iter().map(move |s| (explorer, s)))
        .collect();
    let mut sum = Tally::default();
    for index in from..from + count {
        let ((explorer, start), pass) = (all[index % all.len()], index / all.len() % PASSES.len());
        let tally = explorer.explore(start, PASSES[pass], most).map_err(|mut found| {
            found.path.insert(0, format!("beginning {index}: {start}; {:?}", PASSES[pass]));
            found
        })?;
        let _ = writeln!(std::io::stdout(), "{index}, pass {}, {start}: {tally}", pass + 1);
        sum += tally;
    }
    Ok(sum)
}

fn walk(seed: u64, count: u64) -> Result<Tally, Box<Found>> {
    let mut sum = Tally::default();
    for setting in [Setting::Equal, Setting::Followed] {
        let walk = Walk { seed, count, moves: MOVES, left: WALK };
        sum += Explorer::of(setting, 5).walk(walk)?;
    }
    Ok(sum)
}
