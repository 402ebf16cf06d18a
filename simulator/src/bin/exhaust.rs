//! `exhaust --from INDEX --count N`: explores small worlds to the end, from one beginning after the other, on two
//! threads: looks are stale, and at any moment one thing befalls the operator. A state that comes of several of these
//! beginnings is explored once. It ends with 1 and a way to something that must not be.
//!
//! With `--struck` clients write, and one thing befalls the world in place of the operator; with `--misled` a policy may
//! answer anything in each look, until nothing goes wrong any more. `--most STATES` ends each beginning early.
//!
//! `exhaust --walk SEED --count N`: walks by chance through worlds of five members.

use simulator::{Budget, Explorer, Found, Setting, Start, Tally, Walk};
use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

const TROUBLED: Budget = Budget { troubles: 1, faults: 0, writes: 0 };
const STRUCK: Budget = Budget { troubles: 0, faults: 1, writes: 1 };

/// What may go wrong in a walk, of so many moves.
const WALK: Budget = Budget { troubles: 2, faults: 3, writes: 2 };
const MOVES: u64 = 150;

/// What is to be explored, of all beginnings.
struct Wanted {
    from: usize,
    count: usize,
    most: Option<u64>,
    left: Budget,
    misled: bool,
    threads: usize,
}

/// Most of the time goes into copies of the world.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |flag: &str| {
        let at = words.iter().position(|word| word == flag)?;
        words.get(at + 1)?.parse::<usize>().ok()
    };
    let has = |flag: &str| words.iter().any(|word| word == flag);
    let count = number("--count").unwrap_or(1);
    let began = Instant::now();
    let explored = match number("--walk") {
        Some(seed) => walk(seed as u64, count as u64),
        None => explore(&Wanted {
            from: number("--from").unwrap_or(0),
            count,
            most: number("--most").map(|most| most as u64),
            left: if has("--struck") { STRUCK } else { TROUBLED },
            misled: has("--misled"),
            threads: number("--threads").unwrap_or(2),
        }),
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

fn explore(wanted: &Wanted) -> Result<Tally, Box<Found>> {
    let settings = [Setting::Equal, Setting::Followed];
    let explorers = settings.map(|setting| Explorer::of(setting, 3));
    let explorers = explorers.map(|explorer| if wanted.misled { explorer.misled() } else { explorer });
    let starts = settings.map(Start::all);
    let all: Vec<(&Explorer, &Start)> = explorers
        .iter()
        .zip(&starts)
        .flat_map(|(explorer, starts)| starts.iter().map(move |start| (explorer, start)))
        .collect();
    let end = all.len().min(wanted.from + wanted.count);
    let next = AtomicUsize::new(wanted.from);
    let one_after_the_other = || -> Result<Tally, Box<Found>> {
        let mut sum = Tally::default();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((explorer, start)) = all[..end].get(index) else { return Ok(sum) };
            // What is wrong ends the others too.
            sum += one(index, explorer, start, wanted).inspect_err(|_| next.store(end, Ordering::Relaxed))?;
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

fn walk(seed: u64, count: u64) -> Result<Tally, Box<Found>> {
    let mut sum = Tally::default();
    for setting in [Setting::Equal, Setting::Followed] {
        let walk = Walk { seed, count, moves: MOVES, left: WALK };
        sum += Explorer::of(setting, 5).walk(walk)?;
    }
    Ok(sum)
}
