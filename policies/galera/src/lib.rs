//! The policy for Galera clusters.
//!
//! The command `sequence` prints any of these, and ends with 0:
//!
//! - a position, `UUID:SEQNO`;
//! - `grastate.dat`, as Galera wrote it;
//! - the log of `mariadbd --wsrep-recover`, on either stream; its last position counts;
//! - `grastate.dat` and that log: the log is needed where `grastate.dat` says -1, that is after a crash;
//! - SEQNO alone, with `UUID:SEQNO` as a line of the error output: a script that serves `largest-integer`, too;
//! - nothing at all, on neither stream: there is no data. A script that prints `grastate.dat` must fail where the file
//!   is there and empty: Galera leaves it so after a copy that was cut short.
//!
//! A position is a history: of its UUID everything up to SEQNO. Two clusters that began on their own have two UUIDs,
//! and neither includes the other.

mod output;

use policy_sdk::{Candidate, NoSettings, Policy, Seed, Sequence, seed, sequence};

/// `1` where the member was the last to stop; told by `grastate.dat`.
const SAFE_TO_BOOTSTRAP: &str = "safe_to_bootstrap";

/// The policy; it has no settings.
#[derive(Clone, Copy, Debug)]
pub struct Galera;

impl Policy for Galera {
    type Settings = NoSettings;
    const NAME: &'static str = "galera";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &'static str =
        "Galera clusters, by UUID:SEQNO, grastate.dat or the output of mariadbd --wsrep-recover.";

    fn new(_: NoSettings) -> Self {
        Self
    }
}

impl Sequence for Galera {
    fn read(&self, output: &sequence::Output) -> sequence::Answer {
        output::read(output).unwrap_or_else(sequence::Answer::unreadable)
    }
}

impl Seed for Galera {
    /// All candidates hold the same. Galera's mark for the one that stopped last breaks the tie and does no more: it
    /// is lost in a crash, and a person can set it by hand.
    fn choose(&self, candidates: &[Candidate]) -> seed::Answer {
        let is_marked = |member: &Candidate| member.fact(SAFE_TO_BOOTSTRAP) == Some("1");
        let order =
            |a: &&Candidate, b: &&Candidate| is_marked(b).cmp(&is_marked(a)).then_with(|| a.by_rank(b));
        let Some(first) = candidates.iter().min_by(order) else {
            return seed::Answer::refuse("there is no candidate");
        };
        let why = if is_marked(first) {
            "of those that hold all, it stopped last (safe_to_bootstrap: 1)"
        } else {
            "of those that hold all, it is the first by number, or by name where there are no numbers; none is marked \
             safe_to_bootstrap"
        };
        seed::Answer::replica(&first.name, why)
    }
}

policy_sdk::export!(Galera: Sequence, Seed, Metadata);
