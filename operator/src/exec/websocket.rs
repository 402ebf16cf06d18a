//! Exec over WebSocket, by the subresource of the pod.

use super::drain::{Kept, Part, drain};
use super::lost::shortened;
use super::{Call, Caps, Exec, LostReason, Outcome};
use crate::telemetry::Metrics;
use futures::FutureExt;
use futures::future::{BoxFuture, Either, select};
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
use kube::api::{Api, AttachParams, AttachedProcess};
use kube::client::Client;
use planner::observation::Output;
use std::pin::pin;
use tokio::time::{Instant, timeout_at};

/// The bytes that kube buffers for each output before it waits for us.
const BUFFER: usize = 8 * 1024;

/// Runs commands in the pods of a cluster.
pub struct PodExec {
    client: Client,
    caps: Caps,
    metrics: Metrics,
}

impl PodExec {
    /// The client must not retry by itself: the API cannot tell an exec that began from one that
    /// did not, and to a retry layer an upgrade looks like any other GET.
    #[must_use]
    pub fn new(writes: Client, metrics: Metrics) -> Self {
        Self { client: writes, caps: Caps::default(), metrics }
    }

    /// A stream that never opens is no command that does not end: of that, nothing is known.
    async fn once(&self, call: &Call) -> Outcome {
        let until = Instant::now() + call.deadline;
        match timeout_at(until, self.open(call)).await {
            // Past the deadline the stream is dropped, and thereby closed.
            Ok(Ok(process)) => {
                timeout_at(until, self.follow(process)).await.unwrap_or(Outcome::Lost(LostReason::Deadline))
            }
            Ok(Err(error)) => {
                tracing::debug!(error = &error as &dyn std::error::Error, "failed to open a stream");
                Outcome::Lost(LostReason::opening(&error))
            }
            Err(_) => Outcome::Lost(LostReason::Connect),
        }
    }

    async fn open(&self, call: &Call) -> kube::Result<AttachedProcess> {
        let pods: Api<Pod> = Api::namespaced(self.client.clone(), &call.container.namespace);
        let wanted = AttachParams {
            container: Some(call.container.name.clone()),
            stdin: false,
            tty: false,
            max_stdout_buf_size: Some(BUFFER),
            max_stderr_buf_size: Some(BUFFER),
            ..AttachParams::default()
        };
        pods.exec(&call.container.pod.0, call.argv.clone(), &wanted).await
    }

    async fn follow(&self, mut process: AttachedProcess) -> Outcome {
        let (stdout, stderr, status) = (process.stdout(), process.stderr(), process.take_status());
        let status = pin!(async { status?.await });
        let kept = pin!(async {
            tokio::join!(
                drain(stdout, Part::Beginning, self.caps.stdout),
                drain(stderr, Part::End, self.caps.stderr)
            )
        });
        // kube leaves the outputs open when the stream breaks (its `start_message_loop`): only the status ends then.
        let ((stdout, stderr), status) = match select(kept, status).await {
            Either::Left((kept, status)) => (kept, status.await),
            Either::Right((None, _)) => return Outcome::Lost(LostReason::Stream),
            Either::Right((said, kept)) => (kept.await, said),
        };
        match status.as_ref().map(exit_code) {
            Some(Ok(code)) => Outcome::Ended(output(code, &stdout, &stderr)),
            Some(Err(why)) => Outcome::Lost(LostReason::NoExitStatus(why)),
            None => Outcome::Lost(LostReason::Stream),
        }
    }
}

impl Exec for PodExec {
    fn run(&self, call: Call) -> BoxFuture<'_, Outcome> {
        async move {
            let began = Instant::now();
            let outcome = self.once(&call).await;
            self.metrics.executed(call.purpose, &outcome, began.elapsed());
            tracing::trace!(pod = %call.container.pod, command = call.purpose.as_str(), ?outcome, "exec");
            outcome
        }
        .boxed()
    }
}

/// A log on the error output that is too long does not spoil what stands on the output. Where nothing stands there, the
/// log is all there is, and a part of it is no position; nor is it the word that there is no data.
fn output(code: i32, stdout: &Kept, stderr: &Kept) -> Output {
    Output {
        code,
        stdout: stdout.text(),
        stderr: stderr.text(),
        truncated: stdout.truncated || (stderr.truncated && stdout.is_blank()),
    }
}

/// The exit code that a status carries, or what it says instead.
fn exit_code(status: &Status) -> Result<i32, String> {
    if status.status.as_deref() == Some("Success") {
        return Ok(0);
    }
    let causes = status.details.as_ref().and_then(|details| details.causes.as_deref()).unwrap_or_default();
    causes
        .iter()
        .find(|cause| cause.reason.as_deref() == Some("ExitCode"))
        .and_then(|cause| cause.message.as_deref()?.parse().ok())
        .ok_or_else(|| shortened(status.message.as_deref().unwrap_or("no reason given")))
}

#[cfg(test)]
mod tests {
    use super::exit_code;
    use serde_json::{Value, from_value, json};

    fn code(status: Value) -> Result<i32, String> {
        exit_code(&from_value(status).unwrap())
    }

    #[test]
    fn success_is_zero() {
        assert_eq!(code(json!({ "status": "Success" })), Ok(0));
    }

    #[test]
    fn an_exit_code_is_taken_from_its_cause_and_not_from_the_text() {
        let status = json!({
            "status": "Failure", "reason": "NonZeroExitCode",
            "message": "command terminated with exit code 8",
            "details": { "causes": [{ "reason": "Other", "message": "9" }, { "reason": "ExitCode", "message": "7" }] },
        });
        assert_eq!(code(status), Ok(7));
    }

    #[test]
    fn a_program_that_could_not_be_run_has_no_exit_code() {
        let status = json!({
            "status": "Failure", "reason": "InternalError", "code": 500,
            "message": "error executing command in container: exit code 126",
        });
        assert_eq!(code(status), Err("error executing command in container: exit code 126".to_owned()));
    }

    #[test]
    fn the_same_trouble_has_the_same_words_each_time() {
        let message = |id: &str| json!({ "message": format!("failed to start exec \"{id}\": no such file") });
        let said = code(message("79767e181def9aba69424e8f685badac4da32461e665915941e711c1ff3382f0"));
        assert_eq!(said, Err("failed to start exec no such file".to_owned()));
        assert_eq!(said, code(message("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef")));
    }
}
