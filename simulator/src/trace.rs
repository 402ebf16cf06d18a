//! What happened, line by line, for a person who asks why.

/// The lines of a story. Nothing is written down, nor even worded, unless somebody wants to read it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    kept: bool,
    lines: Vec<String>,
}

impl Trace {
    /// One that keeps its lines, or none.
    #[must_use]
    pub(crate) fn new(kept: bool) -> Self {
        Self { kept, lines: Vec::new() }
    }

    /// Adds a line, at this moment in milliseconds.
    pub(crate) fn say(&mut self, now: u64, words: impl FnOnce() -> String) {
        if self.kept {
            self.lines.push(format!("{:>9.3}  {}", now as f64 / 1000.0, words()));
        }
    }

    /// All lines so far.
    #[must_use]
    pub(crate) fn lines(&self) -> &[String] {
        &self.lines
    }
}
