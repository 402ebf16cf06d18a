//! The explanation for people. It is no interface for programs: `-o json` is.

use std::fmt::{self, Display, Formatter};

use super::{Explained, Standing};

/// Seconds. What most likely ends by itself in a moment is not the time to vouch for anything.
const PATIENCE: i64 = 60;

impl Display for Explained {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.headline(f)?;
        for note in &self.notes {
            writeln!(f, "  note     {note}")?;
        }
        writeln!(f, "  policy   {}", self.policy)?;
        self.table(f)?;
        for wait in &self.waits {
            let since = wait.seconds.map(|seconds| format!(" for {}", Span(seconds))).unwrap_or_default();
            writeln!(f, "  waits    {}{since}: {}", wait.reason, wait.message)?;
            let is_new = wait.seconds.is_some_and(|seconds| seconds < PATIENCE);
            if self.standing != Standing::Blocked && is_new {
                continue;
            }
            for choice in &wait.choices {
                writeln!(f, "  allow    to {}:", choice.means)?;
                writeln!(f, "           {}", choice.command)?;
            }
        }
        Ok(())
    }
}

impl Explained {
    fn headline(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { namespace, name, standing, ready, phase, reason, .. } = self;
        let ready = ready.as_deref().unwrap_or("?");
        write!(f, "{namespace}/{name}: {ready} members serve")?;
        if let Some(seconds) = self.unready_seconds {
            write!(f, ", not ready for {}", Span(seconds))?;
        }
        let word = match standing {
            Standing::Ready => "ready",
            Standing::Working => "at work, or waiting",
            Standing::Blocked => "BLOCKED: needs a person",
        };
        let [phase, reason] = [phase, reason].map(|told| told.as_deref().unwrap_or("-"));
        writeln!(f, " · {word} · {phase}, {reason}")
    }

    fn table(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let wide = self.members.iter().map(|member| member.name.chars().count()).max().unwrap_or(0).max(7);
        writeln!(f, "  {:wide$}  {:9}  {:>8}  POSITION", "REPLICA", "STATE", "FOR")?;
        for member in &self.members {
            let span = member.seconds.map(|seconds| Span(seconds).to_string()).unwrap_or_default();
            let position = member.position.as_deref().unwrap_or("-");
            writeln!(f, "  {:wide$}  {:9}  {span:>8}  {position}", member.name, member.state)?;
        }
        Ok(())
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
