//! What happens to one guarded command, from the first request to what it meant.

use super::{Patience, Question, Spec};
use crate::exec::{Call, Exec, LostReason, Outcome, Purpose};
use crate::guard::{Guarded, Trace, fate_argv, refusal};
use planner::observation::{AttemptState, Command, Fate, Output, Refusal};
use tokio::time::Instant;

/// Runs it. The exit code of a start may be that of the guard or of the runtime, or there is none: then its folder is asked,
/// once its own stream is over (asking revokes what has not begun).
pub(super) async fn run(exec: &dyn Exec, spec: &Spec, patience: &Patience) -> (AttemptState, Option<Fate>) {
    let outcome = exec.run(call(spec)).await;
    let start = spec.command.is_start();
    match outcome {
        Outcome::Ended(said) if start && may_be_of_no_command(said.code) => {
            means(ask(exec, &question(spec), patience).await, said)
        }
        Outcome::Ended(said) if start => (AttemptState::Ended(said), None),
        Outcome::Ended(said) => {
            (refusal(said.code).map_or(AttemptState::Ended(said), AttemptState::Refused), None)
        }
        Outcome::Lost(why) if start => became(ask(exec, &question(spec), patience).await, why.to_string()),
        Outcome::Lost(LostReason::Deadline) => (AttemptState::Overdue, None),
        Outcome::Lost(why) => (AttemptState::Lost(why.to_string()), None),
    }
}

/// Asks the folder of an attempt, a few times if need be: the question may be repeated.
pub(super) async fn ask(exec: &dyn Exec, question: &Question, patience: &Patience) -> Option<Trace> {
    let until = Instant::now() + patience.fate;
    let mut pause = patience.fate / 32;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let call = Call {
            container: question.place.clone(),
            argv: fate_argv(&question.pod, &question.attempt),
            deadline: left.min(patience.fate / 2),
            purpose: Purpose::Fate,
        };
        match exec.run(call).await {
            Outcome::Ended(said) => return Trace::parse(said.code, &said.stdout),
            Outcome::Lost(_) if Instant::now() + pause >= until => return None,
            Outcome::Lost(_) => tokio::time::sleep(pause).await,
        }
        pause *= 2;
    }
}

fn call(spec: &Spec) -> Call {
    let probe = ["true".to_owned()];
    let guarded = Guarded {
        pod: &spec.pod,
        attempt: &spec.attempt,
        lock: spec.lock.as_deref(),
        epoch: spec.epoch,
        start: spec.command.is_start(),
        argv: if spec.command == Command::Probe { &probe } else { &spec.argv },
    };
    Call {
        container: spec.place.clone(),
        argv: guarded.argv(),
        deadline: spec.timeout,
        purpose: Purpose::Guarded(spec.command),
    }
}

fn question(spec: &Spec) -> Question {
    Question { place: spec.place.clone(), pod: spec.pod.clone(), attempt: spec.attempt.clone() }
}

/// The refusals of the guard, the code of a guard that a signal ended, and the codes by which a runtime reports that it
/// could not run the guard: crun gives 1, a shell 126 or 127.
fn may_be_of_no_command(code: i32) -> bool {
    refusal(code).is_some() || code >= 128 || matches!(code, 1 | 126 | 127)
}

/// A start that gave this exit code, and left this.
fn means(trace: Option<Trace>, said: Output) -> (AttemptState, Option<Fate>) {
    let Some(trace) = trace else {
        let code = said.code;
        return (AttemptState::Lost(format!("exit code {code}, and its folder could not be asked")), None);
    };
    // The folder shows that the command ran: the code is none of the runtime's, and no guard has such a code.
    if matches!(trace, Trace::Began | Trace::Ended(None)) && refusal(said.code).is_none() && said.code < 128 {
        return (AttemptState::Ended(said), None);
    }
    let state = trace.settle(said);
    let never_ran = matches!(&state, AttemptState::Refused(Refusal::LockBusy | Refusal::NoLock));
    let fate = if never_ran { Some(Fate::Refused) } else { trace.fate() };
    (state, fate)
}

/// A start whose stream was lost, and that left this.
fn became(trace: Option<Trace>, why: String) -> (AttemptState, Option<Fate>) {
    let fate = trace.and_then(Trace::fate);
    let state = match fate {
        Some(Fate::Ended(code)) => AttemptState::Ended(unheard(code)),
        Some(Fate::Revoked | Fate::Began | Fate::Over | Fate::Refused) | None => AttemptState::Lost(why),
    };
    (state, fate)
}

/// An end of which only the exit code is known.
fn unheard(code: i32) -> Output {
    Output { code, stdout: String::new(), stderr: String::new(), truncated: true }
}
