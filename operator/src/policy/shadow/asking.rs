//! The task that asks the candidate.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use k8s_openapi::jiff::Timestamp;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::queue::Asked;
use super::{State, locked};
use crate::attempts::Wake;
use crate::policy::Decider;
use crate::policy::record::{Record, Set};

/// How often as long as it was asked the candidate of a set is left alone: it has a tenth of one processor at most.
const REST: u32 = 9;

/// Asks until nothing waits any more, one question of all sets at a time.
pub(super) async fn ask(state: Arc<Mutex<State>>, turn: Arc<Semaphore>, set: Set, wake: Wake) {
    loop {
        let Ok(turn) = Arc::clone(&turn).acquire_owned().await else { return };
        let Some((candidate, asked, round)) = locked(&state).next() else { return };
        let began = Instant::now();
        let asking = move || {
            // It goes on when nobody waits for it any more: the turn ends with it and not before.
            let _turn = turn;
            answer(&candidate, asked)
        };
        let answered = spawn_blocking(asking).await;
        let took = began.elapsed();
        if heard(&state, round, answered.ok(), &set) {
            wake();
        }
        tokio::time::sleep(took.saturating_mul(REST).min(Duration::from_secs(60))).await;
    }
}

fn answer(candidate: &Decider, asked: Asked) -> (Asked, Option<Record>) {
    let record = candidate.put(&asked.decided.question);
    (asked, record)
}

/// Counts what came of a question. Whether that is news to be told now.
fn heard(state: &Mutex<State>, round: u64, answered: Option<(Asked, Option<Record>)>, set: &Set) -> bool {
    let mut state = locked(state);
    if round != state.round {
        return false;
    }
    match answered {
        Some((asked, Some(record))) => {
            let (at, set) = (Some(Timestamp::now().to_string()), Some(set.clone()));
            state.tally.count(&asked, Record { at, set, ..record });
        }
        // The operator itself failed.
        Some((_, None)) | None => state.tally.fail(),
    }
    state.tally.is_news(Instant::now())
}
