//! The explanation for people. It is no interface for programs: `-o json` is.

mod headline;
mod seed;
mod table;

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

use super::known::Extent;
use super::loss::Loss;
use super::unblock::{Gift, Way};
use super::wait::Wait;
use super::{Explained, Standing};

pub(super) use table::{short, table};

/// Seconds. What most likely ends by itself in a moment is not the time to vouch for anything.
const PATIENCE: i64 = 60;

/// Of lines that would each withdraw what another gave.
const REPLACES: &str =
    "each annotation takes the place of the one before: several keys stand in one line, with commas between";

impl Display for Explained {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.headline())?;
        self.notes.iter().try_for_each(|note| writeln!(f, "  note     {note}"))?;
        self.held.fmt(f)?;
        self.seed.iter().try_for_each(|seed| seed.fmt(f))?;
        let line = |wait: &Wait| {
            let since = wait.seconds.map(|seconds| format!(" for {}", Span(seconds))).unwrap_or_default();
            format!("  waits    {}{since}: {}", wait.reason, wait.message)
        };
        // Several rules may wait for one and the same thing.
        let mut lines: Vec<String> = self.waits.iter().map(line).collect();
        let mut told = BTreeSet::new();
        lines.retain(|line| told.insert(line.clone()));
        lines.iter().try_for_each(|line| writeln!(f, "{line}"))?;
        self.ways(f)?;
        self.rule(f)
    }
}

impl Explained {
    /// The first is what is recommended.
    fn ways(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let is_new = |way: &&Way| way.seconds.is_some_and(|seconds| seconds < PATIENCE);
        let is_early = |way: &&Way| way.key.is_some() && self.standing != Standing::Blocked && is_new(way);
        let ways: Vec<&Way> = self.unblock.iter().filter(|way| !is_early(way)).collect();
        for (letter, way) in ('a'..='z').zip(&ways) {
            let head = if letter == 'a' { "unblock" } else { "" };
            let by = if way.automatic { "automatic, " } else { "" };
            write!(f, "  {head:7}  ({letter}) {by}{}", way.means)?;
            way.loss.iter().try_for_each(|loss| write!(f, "; {loss}"))?;
            match &way.command {
                Some(command) => writeln!(f, ":\n               {command}")?,
                None => writeln!(f)?,
            }
        }
        match ways.iter().filter(|way| way.key == Some(Gift::Annotation)).count() {
            0 | 1 => Ok(()),
            _ => writeln!(f, "           {REPLACES}"),
        }
    }

    fn rule(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut reasons: Vec<&str> = self.waits.iter().map(|wait| wait.reason.as_str()).collect();
        reasons.sort_unstable();
        reasons.dedup();
        if !reasons.is_empty() {
            writeln!(f, "  rule     {}: docs/holds-and-keys.md", reasons.join(", "))?;
        }
        writeln!(f, "  policy   {}", self.policy)
    }
}

impl Display for Loss {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::NothingThatWasRead => f.write_str("nothing is lost that was ever read"),
            Self::NothingBeyondGivenUp => f.write_str("nothing is lost beyond what was given up before"),
            Self::AtLeast(extent) => write!(f, "loses {}", at_least(extent)),
            Self::Unknown => f.write_str("what is lost is not known"),
        }
    }
}

/// Of a loss; more may have been added than was ever read.
pub(super) fn at_least(extent: &Extent) -> String {
    match extent.transactions {
        Some(_) => format!("at least {extent}"),
        None => extent.to_string(),
    }
}

/// Seconds, as kubectl writes ages: the two largest units.
struct Span(i64);

impl Display for Span {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let seconds = self.0.max(0);
        match (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60) {
            (0, 0, 0, s) => write!(f, "{s}s"),
            (0, 0, m, s) => write!(f, "{m}m{s}s"),
            (0, h, m, _) => write!(f, "{h}h{m}m"),
            (d, h, ..) => write!(f, "{d}d{h}h"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Span;

    #[test]
    fn times_are_told_in_their_two_largest_units() {
        for (seconds, text) in [(-3, "0s"), (59, "59s"), (290, "4m50s"), (3720, "1h2m"), (183_600, "2d3h")] {
            assert_eq!(Span(seconds).to_string(), text);
        }
    }
}
