//! `exhaust --from INDEX --count N`: explores small worlds to the end, from one beginning after the other, on two
//! threads: looks are stale, and at any moment one thing befalls the operator. A state that comes of several of these
//! beginnings is explored once. It ends with 1 and a way to something that must not be.
//!
//! With `--struck` clients write, and one thing befalls the world in place of the operator; with `--misled` a policy may
//! answer anything in each look, until nothing goes wrong any more. `--most STATES` ends each beginning early.
//!
//! `exhaust --walk SEED --count N`: walks by chance through worlds of five members.
//!
//! It ends with 2 where a word is not known, or there is nothing to explore.

use simulator::{Budget, Explorer, Found, Setting, Start, Takes, Tally, Walk, Words, refused};
use std::io::Write;
use std::ops::Range;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

const TROUBLED: Budget = Budget { troubles: 1, faults: 0, writes: 0 };
const STRUCK: Budget = Budget { troubles: 0, faults: 1, writes: 1 };

/// What may go wrong in a walk, of so many moves.
const WALK: Budget = Budget { troubles: 2, faults: 3, writes: 2 };
const MOVES: u64 = 150;

const KNOWN: &[(&str, Takes)] = &[
    ("--from", Takes::Number),
    ("--count", Takes::Amount),
    ("--struck", Takes::Nothing),
    ("--misled", Takes::Nothing),
    ("--most", Takes::Amount),
    ("--threads", Takes::Amount),
    ("--walk", Takes::Number),
];
/// What walks know nothing of.
const OF_BEGINNINGS: [&str; 4] = ["--from", "--struck", "--misled", "--most"];

const SETTINGS: [Setting; 2] = [Setting::Equal, Setting::Followed];

/// What is to be explored, of all beginnings.
struct Wanted {
    beginnings: Range<usize>,
    most: Option<u64>,
    left: Budget,
    misled: bool,
    threads: u64,
}

/// Most of the time goes into copies of the world.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    run().unwrap_or_else(|why| refused(&why))
}

/// An error is one of the command line.
fn run() -> Result<ExitCode, String> {
    let said = Words::read(std::env::args().skip(1), KNOWN)?;
    OF_BEGINNINGS.into_iter().try_for_each(|word| said.at_most_one(&["--walk", word]))?;
    let began = Instant::now();
    let explored = if said.has("--walk") {
        walk(&said.range("--walk", (0, 1), u64::MAX)?)
    } else {
        let starts = SETTINGS.map(Start::all);
        let all: usize = starts.iter().map(Vec::len).sum();
        let wanted = said.range("--from", (0, 1), all as u64)?;
        explore(&starts, &Wanted::of(&said, wanted.start as usize..wanted.end as usize))
    };
    let mut out = std::io::stdout().lock();
    let took = began.elapsed().as_secs_f64();
    Ok(match explored {
        Ok(sum) => {
            simulator::count("states", sum.states);
            let _ = writeln!(out, "{sum}, {took:.1} s");
            ExitCode::SUCCESS
        }
        Err(found) => {
            let _ = writeln!(out, "{found}");
            ExitCode::FAILURE
        }
    })
}

impl Wanted {
    fn of(said: &Words, beginnings: Range<usize>) -> Self {
        Self {
            beginnings,
            most: said.number("--most"),
            left: if said.has("--struck") { STRUCK } else { TROUBLED },
            misled: said.has("--misled"),
            threads: said.number("--threads").unwrap_or(2),
        }
    }
}

fn explore(starts: &[Vec<Start>; 2], wanted: &Wanted) -> Result<Tally, Box<Found>> {
    let explorers = SETTINGS.map(|setting| Explorer::of(setting, 3));
    let explorers = explorers.map(|explorer| if wanted.misled { explorer.misled() } else { explorer });
    let all: Vec<(&Explorer, &Start)> = explorers
        .iter()
        .zip(starts)
        .flat_map(|(explorer, starts)| starts.iter().map(move |start| (explorer, start)))
        .collect();
    let mut order: Vec<usize> = wanted.beginnings.clone().collect();
    // What is known where nobody may wait for a person is known of all that comes later.
    order.sort_by_key(|index| !all[*index].1.keeps_its_data());
    let next = AtomicUsize::new(0);
    let one_after_the_other = || -> Result<Tally, Box<Found>> {
        let mut sum = Tally::default();
        loop {
            let Some(index) = order.get(next.fetch_add(1, Ordering::Relaxed)) else { return Ok(sum) };
            let (explorer, start) = all[*index];
            // What is wrong ends the others too.
            sum += one(*index, explorer, start, wanted)
                .inspect_err(|_| next.store(order.len(), Ordering::Relaxed))?;
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..wanted.threads).map(|_| scope.spawn(one_after_the_other)).collect();
        threads.into_iter().try_fold(Tally::default(), |mut sum, thread| {
            sum += thread.join().expect("no beginning makes it panic")?;
            Ok(sum)
        })
    })
}

fn one(index: usize, explorer: &Explorer, start: &Start, wanted: &Wanted) -> Result<Tally, Box<Found>> {
    let explored = match wanted.most {
        Some(most) => explorer.explore(start, wanted.left, most),
        None => explorer.exhaust(start, wanted.left),
    };
    let tally = explored.map_err(|mut found| {
        found.path.insert(0, format!("beginning {index}: {start}; {:?}", wanted.left));
        found
    })?;
    if wanted.most.is_none() && wanted.left == TROUBLED && !wanted.misled {
        simulator::count("beginnings", 1);
    }
    let _ = writeln!(std::io::stdout(), "{index}, {start}: {tally}");
    Ok(tally)
}

fn walk(seeds: &Range<u64>) -> Result<Tally, Box<Found>> {
    let mut sum = Tally::default();
    for setting in SETTINGS {
        let walk = Walk { seed: seeds.start, count: seeds.end - seeds.start, moves: MOVES, left: WALK };
        sum += Explorer::of(setting, 5).walk(walk)?;
    }
    Ok(sum)
}
