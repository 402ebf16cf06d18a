//! Commands of the operator, in the containers of the simulated cluster. This stands where `PodExec` does: below it
//! would be the upgrade of a connection, which has tests of its own.

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use api_server::exec::{Refusal, refused};
use futures::FutureExt;
use futures::future::BoxFuture;
use operator::exec::{Call, ContainerRef, Exec, LostReason, Outcome, Purpose};
use planner::names::{AttemptId, PodUid, ReplicaName};
use planner::observation::{Command, Output};
use serde_json::Value;
use simulator::{Mark, Reply, Request};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use crate::api_server::{ApiServer, State};
use crate::fault::{Fault, misread};
use crate::life::Life;
use crate::strikes::Trouble;

/// How long a command is on its way, and its answer.
const WAY: Duration = Duration::from_millis(5);
/// How long an API server tries to reach a kubelet that is not there.
const DIAL: Duration = Duration::from_secs(3);
/// Words before those that a guard or a question is told: `sh -c SCRIPT rss`.
const SCRIPT: usize = 4;

pub(crate) struct Containers {
    pub(crate) server: ApiServer,
    pub(crate) life: Arc<Life>,
}

/// A stop that began, and whose end is not heard if this is dropped: by who has no lease any more, or waited until its
/// deadline.
struct Unheard<'a>(&'a ApiServer);

impl Drop for Unheard<'_> {
    fn drop(&mut self) {
        self.0.act(|state| state.unheard_stops += 1);
    }
}

impl Exec for Containers {
    fn run(&self, call: Call) -> BoxFuture<'_, Outcome> {
        async move {
            let outcome = timeout(call.deadline, self.once(&call)).await;
            let outcome = outcome.unwrap_or(Outcome::Lost(LostReason::Deadline));
            let is_silent = call.purpose == Purpose::Status && matches!(outcome, Outcome::Lost(_));
            let is_believed = self.server.planted() == Some(Fault::TakesSilenceForStopped);
            if is_silent && is_believed { ended(7, "") } else { outcome }
        }
        .boxed()
    }
}

impl Containers {
    async fn once(&self, call: &Call) -> Outcome {
        self.life.lives().await;
        sleep(WAY).await;
        let pod = &call.container.pod;
        if let Some(reason) = self.server.act(|state| lost(state, &call.container)) {
            return Outcome::Lost(reason);
        }
        if self.server.look(|cluster| !cluster.is_reachable(pod)) {
            sleep(DIAL).await;
            return Outcome::Lost(LostReason::without_words(500));
        }
        if matches!(call.purpose, Purpose::Status | Purpose::Fate) {
            match self.life.unanswered() {
                Some(Trouble::Unanswered) => std::future::pending().await,
                Some(_) => return Outcome::Lost(LostReason::Stream),
                None => {}
            }
        }
        let outcome = match call.purpose {
            Purpose::Status => self.status(pod).await,
            Purpose::Shell => ended(0, ""),
            Purpose::Fate => self.fate(call),
            Purpose::Guarded(command) => self.guarded(command, call).await,
        };
        self.life.lives().await;
        sleep(WAY).await;
        outcome
    }

    async fn status(&self, pod: &ReplicaName) -> Outcome {
        match self.server.act(|state| state.cluster.ask_status(pod)) {
            Some((code, said)) => ended(code, &said),
            None => std::future::pending().await,
        }
    }

    fn fate(&self, call: &Call) -> Outcome {
        let (pod, attempt) = addressed(&call.argv);
        let mark = self.server.act(|state| state.cluster.ask_fate(&call.container.pod, &pod, &attempt));
        let is_believed = self.server.planted() != Some(Fault::TakesAnyFateForTheEnd);
        let mark = mark.map(|mark| if is_believed { mark } else { Mark::Ended(0) });
        mark.map_or_else(|| ended(120, ""), |mark| ended(0, &mark.said()))
    }

    async fn guarded(&self, command: Command, call: &Call) -> Outcome {
        let (if_pod, attempt) = addressed(&call.argv);
        let request = Request {
            replica: call.container.pod.clone(),
            if_pod,
            attempt,
            command,
            lock: !call.argv[SCRIPT + 2].is_empty(),
            peers: call.argv[SCRIPT + 5..].iter().filter_map(|word| peer(word)).collect(),
        };
        let trouble = self.life.begins(format!("{command:?} {}", call.container.pod));
        let landing = self.lands(request, trouble);
        match trouble {
            Some(Trouble::Refused(code)) => {
                landing.abort();
                return Outcome::Lost(LostReason::without_words(code));
            }
            Some(Trouble::Late(_)) => return Outcome::Lost(LostReason::Stream),
            _ => {}
        }
        let Ok((ticket, is_counted)) = landing.await else { return Outcome::Lost(LostReason::Connect) };
        match trouble {
            Some(Trouble::Death) => self.life.die(),
            Some(Trouble::AnswerLost) => return Outcome::Lost(LostReason::Stream),
            Some(Trouble::Unanswered) => std::future::pending().await,
            _ => {}
        }
        let unheard = (command == Command::Stop && !is_counted).then(|| Unheard(&self.server));
        let answer = printed(command, self.answer(ticket).await);
        unheard.into_iter().for_each(mem::forget);
        if command == Command::Read { misread(self.server.planted(), answer) } else { answer }
    }

    /// The request goes on its way, and is nobody's there: that it is not waited for any more does not hold it up. Its ticket,
    /// and whether it is counted as a stop of which nobody heard.
    fn lands(&self, request: Request, trouble: Option<Trouble>) -> JoinHandle<(u64, bool)> {
        let is_unheard = !matches!(trouble, None | Some(Trouble::Refused(_)));
        let (server, life) = (self.server.clone(), Arc::clone(&self.life));
        tokio::spawn(async move {
            // Of who stands still meanwhile another may have taken over before it lands.
            let is_counted = request.command == Command::Stop && (is_unheard || life.stands_still());
            if is_counted {
                server.act(|state| state.unheard_stops += 1);
            }
            life.lives().await;
            if let Some(Trouble::Late(seconds)) = trouble {
                sleep(Duration::from_secs(seconds)).await;
            }
            (server.act(|state| state.cluster.begin(request)), is_counted)
        })
    }

    async fn answer(&self, ticket: u64) -> Outcome {
        loop {
            let fetched = self.server.act(|state| state.cluster.fetch(ticket));
            match fetched {
                Some(Reply::Ended(code, said)) => return ended(code, &said),
                Some(Reply::Lost) => return Outcome::Lost(LostReason::Stream),
                None => self.server.becomes(|state| state.cluster.has_reply(ticket)).await,
            }
        }
    }
}

/// Why the API server, or a kubelet, does not run a command there.
fn lost(state: &State, container: &ContainerRef) -> Option<LostReason> {
    let pod =
        state.store.get(&format!("/api/v1/namespaces/{}/pods/{}", container.namespace, container.pod.0));
    match refused(pod, &container.name)? {
        Refusal::Answered((_, status)) => {
            serde_json::from_value(Value::clone(&status)).ok().map(|status| LostReason::refused(&status))
        }
        Refusal::Streamed(why) => Some(LostReason::NoExitStatus(why)),
    }
}

/// For which pod, and under which name.
fn addressed(argv: &[String]) -> (PodUid, AttemptId) {
    (PodUid(argv[SCRIPT].clone()), AttemptId(argv[SCRIPT + 1].clone()))
}

/// `POD.NAME-svc`.
fn peer(word: &str) -> Option<ReplicaName> {
    word.split_once('.').map(|(pod, _)| ReplicaName(pod.to_owned()))
}

/// A `sequence` that prints something ends its line.
fn printed(command: Command, outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Ended(mut output) if command.is_sequence() && !output.stdout.is_empty() => {
            output.stdout.push('\n');
            Outcome::Ended(output)
        }
        outcome => outcome,
    }
}

fn ended(code: i32, said: &str) -> Outcome {
    Outcome::Ended(Output { code, stdout: said.to_owned(), stderr: String::new(), truncated: false })
}
