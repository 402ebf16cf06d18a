//! Which step of how many is running, and how long each took.

use std::io::Write;
use std::time::{Duration, Instant};

use anyhow::Result;

/// A run of steps, counted and timed, told on standard error.
pub struct Progress {
    of: usize,
    done: usize,
    begun: Instant,
}

/// The step in hand; long ones say through it how far they are.
pub struct Step {
    title: String,
    begun: Instant,
    noted: Instant,
    line_open: bool,
}

/// A note more often than this would flood a log file.
const BETWEEN_NOTES: Duration = Duration::from_secs(20);

// === impl Progress ===

impl Progress {
    /// A run of `of` steps.
    #[must_use]
    pub fn new(of: usize) -> Self {
        Self { of, done: 0, begun: Instant::now() }
    }

    /// Do one step, and say what it is and how long it took.
    ///
    /// # Errors
    /// The step's own.
    pub fn step<T>(&mut self, title: &str, work: impl FnOnce(&mut Step) -> Result<T>) -> Result<T> {
        self.done += 1;
        let mut step = Step::begin(format!("[{}/{}] {title}", self.done, self.of));
        let result = work(&mut step);
        step.end(if result.is_ok() { "" } else { "failed after " });
        result
    }

    /// Say how long the whole run took.
    pub fn finish(self, what: &str) {
        eprintln!("{what}: {:.1} s", self.begun.elapsed().as_secs_f32());
    }
}

// === impl Step ===

impl Step {
    fn begin(title: String) -> Self {
        eprint!("{title} ... ");
        // Standard error may be a pipe that has gone; progress is not worth failing for.
        std::io::stderr().flush().ok();
        let now = Instant::now();
        Self { title, begun: now, noted: now, line_open: true }
    }

    /// A step that shows nothing of its own, for callers that count no steps.
    #[must_use]
    pub fn silent() -> Self {
        let now = Instant::now();
        Self { title: String::new(), begun: now, noted: now, line_open: true }
    }

    /// Say how far a long step is; most calls are swallowed, so call as often as you like.
    pub fn note(&mut self, how_far: impl FnOnce() -> String) {
        if self.title.is_empty() || self.noted.elapsed() < BETWEEN_NOTES {
            return;
        }
        self.noted = Instant::now();
        if self.line_open {
            eprintln!();
        }
        self.line_open = false;
        eprintln!("      {} ({:.0} s so far)", how_far(), self.begun.elapsed().as_secs_f32());
    }

    fn end(self, prefix: &str) {
        let seconds = self.begun.elapsed().as_secs_f32();
        if self.line_open {
            eprintln!("{prefix}{seconds:.1} s");
        } else {
            eprintln!("{} ... {prefix}{seconds:.1} s", self.title);
        }
    }
}
