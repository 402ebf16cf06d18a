//! What Galera and its scripts print.

use crate::SAFE_TO_BOOTSTRAP;
use policy_sdk::position::{self, History};
use policy_sdk::quoted;
use policy_sdk::sequence::{Answer, Output};

/// The text before a position in the output of a recovery: `mariadbd --wsrep-recover`, MySQL 8.0 with Galera, `mysqld_safe`, and
/// `galera_recovery`.
const RECOVERED: [&str; 4] = [
    "WSREP: Recovered position:",
    "[WSREP] Recovered position:",
    "WSREP: Recovered position ",
    "--wsrep_start_position=",
];

/// The first line of each start in a log has these words and its process.
const START: &str = " as process ";

/// A recovery with these words leaves the redo log out. Its position is older than the data.
const WITHOUT_REDO_LOG: [&str; 2] = ["innodb_force_recovery is set to 6", "skips redo log apply"];

/// The answer, or why there is no position.
pub(crate) fn read(output: &Output) -> Result<Answer, String> {
    let text = output.text()?;
    let recovered = match recovered(text)? {
        Some(position) => Some(position),
        None => recovered(&output.stderr)?,
    };
    match (Saved::find(text), recovered) {
        (Some(saved), recovered) => saved.read(recovered),
        (None, Some(recovered)) => Ok(Answer::at(position::uuid_seqno(recovered)?).because(BY_RECOVERY)),
        (None, None) if text.is_empty() && output.stderr.trim().is_empty() => Ok(Answer::empty()),
        (None, None) => bare(text, &output.stderr),
    }
}

const BY_RECOVERY: &str = "mariadbd --wsrep-recover found it in the data";

/// The position that the last start in a log recovered. A position before another start, or before the end of a start that
/// failed, is not the position of the data.
fn recovered(log: &str) -> Result<Option<&str>, String> {
    let mut lines = log.lines().rev();
    while let Some(line) = lines.next() {
        if let Some(position) = RECOVERED.iter().find_map(|words| after(line, words)) {
            let mut of_start = lines.take_while(|line| after(line, START).is_none());
            if of_start.any(|line| WITHOUT_REDO_LOG.iter().any(|words| after(line, words).is_some())) {
                return Err(
                    "innodb_force_recovery left the redo log out, so the position is too old".to_owned()
                );
            }
            // The position of MariaDB itself may follow, after a comma.
            return Ok(position.trim_start_matches(' ').split([',', ' ', '\t']).next());
        }
        let is_failure = after(line, "[ERROR]").is_some() && line.trim_end().ends_with("Aborting");
        if is_failure || after(line, START).is_some() {
            // Without a position at all, the note of Galera is read alone.
            let is_stale = lines.any(|line| RECOVERED.iter().any(|words| after(line, words).is_some()));
            return if is_stale {
                Err(format!("a later start has no position: {}", quoted(line)))
            } else {
                Ok(None)
            };
        }
    }
    Ok(None)
}

/// The text after the first of these words. The search of the standard library would add two kilobytes to the component.
fn after<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    let at = text.as_bytes().windows(words.len()).position(|bytes| bytes == words.as_bytes())?;
    text.get(at + words.len()..)
}

/// `UUID:SEQNO`, or SEQNO with that as a line of the error output.
fn bare(text: &str, stderr: &str) -> Result<Answer, String> {
    if let Ok(seqno) = position::integer(text) {
        let same = |line: &str| {
            let history = position::uuid_seqno(line.trim()).ok()?;
            (line.trim().rsplit(':').next()?.parse() == Ok(seqno)).then_some(history)
        };
        let history = stderr.lines().rev().find_map(same);
        return history
            .map(Answer::at)
            .ok_or_else(|| format!("{seqno} names no UUID, nor does the error output"));
    }
    if text.is_empty() {
        return Err(format!("no position, but an error output: {}", quoted(stderr)));
    }
    Ok(Answer::at(position::uuid_seqno(text)?))
}

/// Galera's own note, `grastate.dat`.
struct Saved<'a> {
    uuid: &'a str,
    seqno: &'a str,
    safe_to_bootstrap: Option<&'a str>,
}

impl<'a> Saved<'a> {
    /// The note, if the text has one: whole, since half a note may lack what matters.
    fn find(text: &'a str) -> Option<Self> {
        let value = |key: &str| {
            let value = |line: &'a str| Some(line.strip_prefix(key)?.strip_prefix(':')?.trim());
            text.lines().find_map(value)
        };
        let (uuid, seqno, safe_to_bootstrap) = (value("uuid"), value("seqno"), value(SAFE_TO_BOOTSTRAP));
        let is_there = uuid.is_some() || seqno.is_some() || safe_to_bootstrap.is_some();
        is_there.then(|| Self {
            uuid: uuid.unwrap_or_default(),
            seqno: seqno.unwrap_or_default(),
            safe_to_bootstrap,
        })
    }

    /// What the note and a recovery say together.
    fn read(&self, recovered: Option<&str>) -> Result<Answer, String> {
        let told = |why: String| format!("grastate.dat: {why}");
        // Read with 0 in the place of -1: the zero UUID says that Galera found the data inconsistent, or that a copy
        // was cut short, and no recovery makes that good.
        let own = position::uuid_seqno(&format!(
            "{}:{}",
            self.uuid,
            if self.is_crashed() { "0" } else { self.seqno }
        ))
        .map_err(|why| told(why.to_string()))?;
        let (history, why) = match recovered.map(position::uuid_seqno).transpose()? {
            None if self.is_crashed() => {
                return Err(told("seqno is -1, so the database did not stop cleanly; mariadbd --wsrep-recover finds the position".to_owned()));
            }
            None => (own, "grastate.dat has it from a clean stop"),
            Some(found) if lineage(&found) != lineage(&own) => {
                return Err(told(format!("it is of {}, but the data is at {found}", self.uuid)));
            }
            Some(found) if !self.is_crashed() && found != own => {
                return Err(told(format!("it says {own}, but the data is at {found}")));
            }
            Some(found) => (found, BY_RECOVERY),
        };
        let answer = Answer::at(history).because(why);
        Ok(match self.safe_to_bootstrap {
            Some(mark @ ("0" | "1")) => answer.with_fact(SAFE_TO_BOOTSTRAP, mark),
            _ => answer,
        })
    }

    fn is_crashed(&self) -> bool {
        self.seqno == "-1"
    }
}

fn lineage(history: &History) -> Option<&str> {
    history.sources().next().map(|(source, _)| source)
}
