//! What takes long says so.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use crate::output;

/// After how long a person begins to wonder.
const PATIENCE: Duration = Duration::from_secs(2);

/// Does the work, and tells on standard error every two seconds that it is being done.
pub(crate) fn told<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let (working, is_done) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let begun = Instant::now();
            while is_done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                output::say(&format!("{what} ({} s)", begun.elapsed().as_secs()));
            }
        });
        // Dropped when the work ends, by a panic too.
        let _working = working;
        work()
    })
}
