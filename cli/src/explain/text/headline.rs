//! The set in a line.

use super::Span;
use crate::explain::{Explained, Outage, Standing};

impl Explained {
    /// Its name, how many serve, whether it needs somebody, and its phase.
    pub(crate) fn headline(&self) -> String {
        let Self { namespace, name, ready, .. } = self;
        let ready = ready.as_deref().unwrap_or("?");
        let since = match (&self.outage, self.unready_seconds) {
            (Some(Outage { seconds: Some(seconds) }), _) => format!(", total outage for {}", Span(*seconds)),
            (Some(Outage { seconds: None }), _) => ", total outage".to_owned(),
            (None, Some(seconds)) => format!(", not ready for {}", Span(seconds)),
            (None, None) => String::new(),
        };
        let (word, phase) = (self.word(), self.phase_and_reason());
        format!("{namespace}/{name}: {ready} members serve{since} · {word} · {phase}")
    }

    fn word(&self) -> &'static str {
        match (self.standing, self.paused) {
            (Standing::Ready, false) => "ready",
            (Standing::Ready, true) => "ready, paused",
            (Standing::Working, false) => "at work, or waiting",
            (Standing::Working, true) => "paused",
            (Standing::Blocked, _) => "BLOCKED: needs a person",
        }
    }

    /// One word where both are the same.
    fn phase_and_reason(&self) -> String {
        let [phase, reason] = [&self.phase, &self.reason].map(|told| told.as_deref().unwrap_or("-"));
        if phase == reason { phase.to_owned() } else { format!("{phase}, {reason}") }
    }
}
