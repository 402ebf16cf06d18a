//! What Galera and its scripts print.

use crate::SAFE_TO_BOOTSTRAP;
use policy_sdk::position::{self, History};
use policy_sdk::quoted;
use policy_sdk::sequence::{Answer, Output};

/// What `mariadbd --wsrep-recover` writes before the position.
const RECOVERED: &str = "WSREP: Recovered position:";

/// The answer, or why there is no position.
pub(crate) fn read(output: &Output) -> Result<Answer, String> {
    let text = output.text()?;
    let recovered = recovered(text).or_else(|| recovered(&output.stderr));
    match (Saved::find(text), recovered) {
        (Some(saved), recovered) => saved.read(recovered),
        (None, Some(recovered)) => Ok(Answer::at(position::uuid_seqno(recovered)?).because(BY_RECOVERY)),
        (None, None) if text.is_empty() && output.stderr.trim().is_empty() => Ok(Answer::empty()),
        (None, None) => bare(text, &output.stderr),
    }
}

const BY_RECOVERY: &str = "mariadbd --wsrep-recover found it in the data";

/// The last position that a recovery found. MariaDB's own GTID may follow it, after a comma.
fn recovered(log: &str) -> Option<&str> {
    // A search for text is two kilobytes of code more, in a policy of some forty.
    let at = log.as_bytes().windows(RECOVERED.len()).rposition(|bytes| bytes == RECOVERED.as_bytes())?;
    let after = log.get(at + RECOVERED.len()..)?;
    after.trim_start_matches(' ').split(|c: char| c == ',' || c.is_ascii_whitespace()).next()
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
