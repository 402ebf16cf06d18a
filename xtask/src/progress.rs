//! Steps with their number and their time, on standard error. No step is silent for more than five seconds.

use std::io::{IsTerminal, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Result;

/// A list of steps.
pub struct Progress {
    of: usize,
    done: usize,
    begun: Instant,
}

/// The step that runs. A long step notes how far it is.
pub struct Step {
    shared: Arc<Shared>,
    ticker: Option<JoinHandle<()>>,
}

/// The state that a step and its ticker share.
struct Shared {
    title: String,
    begun: Instant,
    is_terminal: bool,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    note: String,
    /// The title is above other lines, and not on the last one.
    has_lines: bool,
    has_ended: bool,
}

/// Between two lines about a step that goes on.
const BETWEEN_LINES: Duration = Duration::from_secs(5);
/// A terminal shows one line that changes.
const BETWEEN_REDRAWS: Duration = Duration::from_secs(1);

// === impl Progress ===

impl Progress {
    /// A list of `of` steps.
    #[must_use]
    pub fn new(of: usize) -> Self {
        Self { of, done: 0, begun: Instant::now() }
    }

    /// Do one step, and print what it is and how long it took.
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

    /// Print how long all steps took.
    pub fn finish(self, what: &str) {
        eprintln!("{what}: {:.1} s", self.begun.elapsed().as_secs_f32());
    }
}

// === impl Step ===

impl Step {
    fn begin(title: String) -> Self {
        let is_terminal = std::io::stderr().is_terminal();
        show(&format!("{title} ... "));
        let shared = Arc::new(Shared::new(title, is_terminal));
        let ticks = Arc::clone(&shared);
        Self { shared, ticker: Some(std::thread::spawn(move || ticks.tick())) }
    }

    /// A step that prints nothing.
    #[must_use]
    pub fn silent() -> Self {
        Self { shared: Arc::new(Shared::new(String::new(), false)), ticker: None }
    }

    /// Note how far the step is. The next line about it shows the last note.
    pub fn note(&mut self, how_far: impl FnOnce() -> String) {
        if self.ticker.is_some() {
            self.shared.state().note = how_far();
        }
    }

    fn end(mut self, prefix: &str) {
        self.stop_ticker();
        let seconds = self.shared.begun.elapsed().as_secs_f32();
        let (title, state) = (&self.shared.title, self.shared.state());
        let again = if self.shared.is_terminal {
            format!("{REDRAW}{title} ... ")
        } else if state.has_lines {
            format!("{title} ... ")
        } else {
            String::new()
        };
        show(&format!("{again}{prefix}{seconds:.1} s\n"));
    }

    fn stop_ticker(&mut self) {
        self.shared.state().has_ended = true;
        self.shared.ended.notify_all();
        if let Some(ticker) = self.ticker.take() {
            ticker.join().ok();
        }
    }
}

impl Drop for Step {
    fn drop(&mut self) {
        self.stop_ticker();
    }
}

// === impl Shared ===

impl Shared {
    fn new(title: String, is_terminal: bool) -> Self {
        let begun = Instant::now();
        Self { title, begun, is_terminal, state: Mutex::default(), ended: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Print a line now and then until the step ends.
    fn tick(&self) {
        let pause = if self.is_terminal { BETWEEN_REDRAWS } else { BETWEEN_LINES };
        let mut state = self.state();
        loop {
            let waited = self.ended.wait_timeout_while(state, pause, |state| !state.has_ended);
            let (now, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
            if !timeout.timed_out() {
                return;
            }
            state = now;
            show(&self.line(&state));
            state.has_lines = true;
        }
    }

    fn line(&self, state: &State) -> String {
        let seconds = self.begun.elapsed().as_secs();
        let note = if state.note.is_empty() { String::new() } else { format!("{}, ", state.note) };
        match (self.is_terminal, state.has_lines) {
            (true, _) => format!("{REDRAW}{} ... {note}{seconds} s", self.title),
            (false, false) => format!("\n      {note}{seconds} s so far\n"),
            (false, true) => format!("      {note}{seconds} s so far\n"),
        }
    }
}

/// Goes back to the begin of a terminal's line, and empties it.
const REDRAW: &str = "\r\x1b[K";

/// Standard error may be a closed pipe. Progress is not worth a failure.
fn show(text: &str) {
    let mut out = std::io::stderr();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).ok();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_the_last_note_and_the_title_stays_above_the_lines_of_a_log() {
        let shared = Shared::new("[1/2] compile".to_owned(), false);
        let mut state = State { note: "3 of 9 crates".to_owned(), ..State::default() };
        assert_eq!(shared.line(&state), "\n      3 of 9 crates, 0 s so far\n");
        state.has_lines = true;
        assert_eq!(shared.line(&state), "      3 of 9 crates, 0 s so far\n");
    }

    #[test]
    fn a_terminal_shows_one_line() {
        let shared = Shared::new("[1/2] compile".to_owned(), true);
        let state = State { note: "3 of 9 crates".to_owned(), ..State::default() };
        assert_eq!(shared.line(&state), format!("{REDRAW}[1/2] compile ... 3 of 9 crates, 0 s"));
    }

    #[test]
    fn a_step_that_ends_ends_its_ticker() {
        let mut progress = Progress::new(1);
        let noted = progress.step("a test", |step| {
            step.note(|| "begun".to_owned());
            Ok(step.shared.clone())
        });
        let shared = noted.expect("it does not fail");
        assert!(shared.state().has_ended && shared.state().note == "begun");
    }
}
