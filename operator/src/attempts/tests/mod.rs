//! A container whose answers the test gives, one call at a time.

mod guarded;
mod status;

use super::{Attempts, Patience, Spec};
use crate::exec::{Call, ContainerRef, Exec, LostReason, Outcome, Purpose};
use futures::FutureExt;
use futures::future::BoxFuture;
use planner::names::{AttemptId, ContainerId, PodUid};
use planner::observation::{AttemptState, Command, Output};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

/// A call that was made, and the way to answer it.
struct Made {
    call: Call,
    answer: oneshot::Sender<Outcome>,
}

struct Simulated(mpsc::UnboundedSender<Made>);

impl Exec for Simulated {
    fn run(&self, call: Call) -> BoxFuture<'_, Outcome> {
        let (answer, answered) = oneshot::channel();
        let deadline = call.deadline;
        self.0.send(Made { call, answer }).expect("the test listens");
        async move {
            match timeout(deadline, answered).await {
                Ok(Ok(outcome)) => outcome,
                Ok(Err(_)) => Outcome::Lost(LostReason::Stream),
                Err(_) => Outcome::Lost(LostReason::Deadline),
            }
        }
        .boxed()
    }
}

/// One set under test.
struct Scene {
    attempts: Attempts,
    calls: mpsc::UnboundedReceiver<Made>,
    wakes: mpsc::UnboundedReceiver<()>,
}

/// Long where the test answers, so that no test depends on how fast it is.
const LONG: Duration = Duration::from_secs(60);

/// What has not come after this never will.
const FOREVER: Duration = Duration::from_secs(20);

impl Scene {
    fn new() -> Self {
        Self::with(Patience {
            answer: LONG,
            longest_answer: LONG,
            shell: LONG,
            fresh: LONG,
            kept: LONG,
            fate: LONG,
        })
    }

    fn with(patience: Patience) -> Self {
        let (made, calls) = mpsc::unbounded_channel();
        let (woken, wakes) = mpsc::unbounded_channel();
        let wake = Arc::new(move || woken.send(()).unwrap_or_default());
        Self { attempts: Attempts::patient(Arc::new(Simulated(made)), wake, patience), calls, wakes }
    }

    /// The next call, which must be for this.
    async fn call(&mut self, purpose: Purpose) -> Made {
        let made = timeout(FOREVER, self.calls.recv()).await.expect("a call is made").unwrap();
        assert_eq!(made.call.purpose, purpose);
        made
    }

    fn asks_nothing_more(&mut self) -> bool {
        self.calls.is_empty()
    }

    async fn woken(&mut self) {
        timeout(FOREVER, self.wakes.recv()).await.expect("the set is woken").unwrap();
    }

    /// How an attempt stands once the set was woken by it.
    async fn ended(&mut self, id: &str) -> AttemptState {
        self.woken().await;
        self.attempts.snapshot()[&AttemptId::from(id)].state.clone()
    }
}

fn place() -> ContainerRef {
    ContainerRef { namespace: "n".into(), pod: "rss-a-0".into(), name: "main".into() }
}

fn spec(id: &str, command: Command) -> Spec {
    Spec {
        place: place(),
        pod: PodUid::from("uid"),
        container: ContainerId::from("c1"),
        attempt: AttemptId::from(id),
        command,
        argv: vec!["/script".into(), "rss-a-1.a-svc".into()],
        lock: None,
        starts: 2,
        at_rest: true,
        epoch: 5,
        timeout: LONG,
    }
}

fn ended(code: i32, stdout: &str) -> Outcome {
    Outcome::Ended(said(code, stdout))
}

fn said(code: i32, stdout: &str) -> Output {
    Output { code, stdout: stdout.to_owned(), stderr: String::new(), truncated: false }
}
