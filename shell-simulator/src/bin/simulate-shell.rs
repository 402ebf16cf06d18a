//! Stories of the whole operator: `simulate-shell --from SEED --count N`; with `--identities`, of a StatefulCluster.

use std::process::ExitCode;

use shell_simulator::{Tally, identities, tell};

/// The number after a word, or this.
fn number(word: &str, otherwise: u64) -> u64 {
    let mut words = std::env::args().skip_while(|said| said != word).skip(1);
    words.next().and_then(|number| number.parse().ok()).unwrap_or(otherwise)
}

#[allow(clippy::print_stdout, reason = "what it found is for whoever called it")]
fn main() -> ExitCode {
    let (from, count) = (number("--from", 1), number("--count", 1));
    let of_identities = std::env::args().any(|said| said == "--identities");
    let told = |seed: u64| -> Result<(Tally, u64), String> {
        if of_identities { identities::tell(seed) } else { tell(seed).map(|tally| (tally, 0)) }
    };
    let (mut crashes, mut faults, mut held, mut replaced) = (0, 0, 0, 0);
    for seed in from..from.saturating_add(count) {
        match told(seed) {
            Ok((tally, replacements)) => {
                replaced += replacements;
                (crashes, faults) = (crashes + tally.crashes, faults + tally.faults);
                held += u64::from(tally.held);
            }
            Err(told) => {
                println!("{told}\nseed {seed} went wrong");
                return ExitCode::FAILURE;
            }
        }
    }
    simulator::count("seeds", count);
    simulator::count("crashes", crashes);
    simulator::count("faults", faults);
    println!(
        "{count} stories of the whole operator are as they should be: {crashes} crashes, {faults} faults, {held} wait for a person, {replaced} identities took the place of others"
    );
    ExitCode::SUCCESS
}
