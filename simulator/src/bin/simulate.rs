//! `simulate --from SEED --count N`: tells the stories of these seeds, and the first that goes
//! wrong in full. `--trace` tells one seed in full, `--survey` names every seed that goes
//! wrong; both may be `--unaudited`, to hear the laws of the world alone, `--policies`, of sets whose
//! policy is changed now and then, and `--adversary`, of sets whose policy answers anything. As many at once as there are
//! processors, or as `--threads` says.

use std::io::Write;
use std::process::ExitCode;
use std::thread::available_parallelism;
use std::time::Instant;

/// Most of the time goes into copies of the world.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number = |flag: &str| {
        let at = words.iter().position(|word| word == flag)?;
        words.get(at + 1)?.parse::<u64>().ok()
    };
    let (from, count) = (number("--from").unwrap_or(1), number("--count").unwrap_or(1000));
    let has = |flag: &str| words.iter().any(|word| word == flag);
    let audited = !has("--unaudited");
    let tell = match () {
        () if has("--policies") => simulator::tell_with_policies,
        () if has("--adversary") => simulator::tell_with_adversary,
        () => simulator::tell,
    };
    let mut out = std::io::stdout().lock();
    if has("--trace") {
        let _ = writeln!(out, "{}", tell(from, audited, true));
        return ExitCode::SUCCESS;
    }
    let began = Instant::now();
    if has("--survey") {
        for outcome in (from..from + count).map(|seed| tell(seed, audited, false)) {
            if !outcome.breaches.is_empty() {
                let _ = writeln!(out, "{outcome}");
            }
        }
        let _ = writeln!(out, "{:.1} s", began.elapsed().as_secs_f64());
        return ExitCode::SUCCESS;
    }
    let all = available_parallelism().map_or(1, |all| all.get() as u64);
    let report = simulator::simulate_by(tell, from, count, number("--threads").unwrap_or(all));
    report.count();
    let (took, effects) = (began.elapsed().as_secs_f64(), report.effects);
    let rate = report.stories as f64 / took.max(f64::EPSILON);
    let failed = report.failure.is_some();
    if let Some(failure) = &report.failure {
        let _ = writeln!(out, "{failure}");
    }
    let stories = report.stories;
    let _ = writeln!(out, "{stories} stories, {effects} effects, {took:.1} s, {rate:.0} stories a second");
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
