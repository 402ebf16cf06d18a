//! What takes long says so.

use std::pin::pin;
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

/// Waits for an answer, and tells on standard error every two seconds that it is being waited for.
pub(crate) async fn awaited<T>(what: &str, answer: impl Future<Output = T>) -> T {
    let (mut answer, begun) = (pin!(answer), Instant::now());
    loop {
        match tokio::time::timeout(PATIENCE, &mut answer).await {
            Ok(answer) => return answer,
            Err(_) => output::say(&format!("{what} ({} s)", begun.elapsed().as_secs())),
        }
    }
}
