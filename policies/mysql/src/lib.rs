//! The policy for replicating MySQL and MariaDB servers with GTIDs.
//!
//! The command `sequence` prints any of these, and ends with 0:
//!
//! - variables in batch mode, a line `NAME<TAB>VALUE` for each, such as `SELECT 'gtid_executed', @@GLOBAL.gtid_executed`
//!   prints. This form is best, because it names its values. Of MySQL `gtid_executed` counts, and `gtid_mode` must be on. Of
//!   MariaDB `gtid_binlog_state` and `gtid_slave_pos` count together. `SHOW VARIABLES` prints the same form, but cuts values
//!   at 1,024 (MySQL) or 4,096 (MariaDB) characters. The policy refuses a value of exactly this length;
//! - a GTID set of MySQL alone, or a list of GTIDs of MariaDB alone;
//! - nothing at all, not even a line end: there is no data.
//!
//! An empty set is a position only where `gtid_mode` is seen to be on: a server that writes no GTIDs shows one, too,
//! whatever it holds.
//!
//! A transaction that only one member made (errant) is of a source that the others do not have, or beyond theirs: the
//! member and they have parted, and neither includes the other. For MariaDB this needs `gtid_binlog_state`, on servers
//! with `log_bin` and `log_slave_updates`; `gtid_current_pos` and `gtid_binlog_pos` show the last server of each domain
//! only, so errant transactions can hide behind it, and after a change of primary a member that is only behind seems
//! to have parted. See `policy_sdk::position::mariadb`.

mod output;

use policy_sdk::{Candidate, NoSettings, Policy, Position, Primaries, Replicas, Seed, Sequence};
use policy_sdk::{primaries, replicas, seed, sequence};
use std::cmp::Ordering;

/// The policy; it has no settings.
#[derive(Clone, Copy, Debug)]
pub struct Mysql;

impl Policy for Mysql {
    type Settings = NoSettings;
    const NAME: &'static str = "mysql";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    const SUMMARY: &'static str =
        "MySQL and MariaDB replication with GTIDs, by gtid_executed or gtid_binlog_state.";

    fn new(_: NoSettings) -> Self {
        Self
    }
}

impl Sequence for Mysql {
    fn read(&self, output: &sequence::Output) -> sequence::Answer {
        output::read(output).unwrap_or_else(sequence::Answer::unreadable)
    }
}

impl Seed for Mysql {
    fn choose(&self, candidates: &[Candidate]) -> seed::Answer {
        match candidates.iter().min_by(|a, b| by_preference(a, b)) {
            Some(first) => seed::Answer::replica(&first.name, FIRST),
            None => seed::Answer::refuse("there is no candidate"),
        }
    }
}

impl Primaries for Mysql {
    fn order(&self, members: &[Candidate]) -> primaries::Answer {
        primaries::Answer::by(members, by_preference, FIRST)
    }
}

impl Replicas for Mysql {
    fn treat(&self, _member: &Candidate, primaries: &[String]) -> replicas::Answer {
        match primaries.first() {
            Some(first) => replicas::Answer::follow(first, "it replicates from the first primary"),
            None => replicas::Answer::hold("there is no primary to replicate from"),
        }
    }
}

const FIRST: &str =
    "who has more transactions comes first, equals by number, or by name where there are no numbers";

/// What includes another has more transactions, so it comes first.
fn by_preference(a: &Candidate, b: &Candidate) -> Ordering {
    count(b).cmp(&count(a)).then_with(|| a.by_rank(b))
}

/// How many transactions a member holds; new data has no position, and comes last.
fn count(member: &Candidate) -> Option<u128> {
    Some(match member.position.as_ref()? {
        Position::History(history) => history.count(),
        Position::Ordinal(number) => u128::from(*number),
    })
}

policy_sdk::export!(Mysql: Sequence, Seed, Primaries, Replicas, Metadata);
