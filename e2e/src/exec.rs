//! Commands in pods.

use anyhow::{Context, Result, ensure};
use futures::join;
use k8s_openapi::api::core::v1::Pod;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Status;
use kube::api::{Api, AttachParams};
use tokio::io::{AsyncRead, AsyncReadExt};

/// How a command ended and what it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The exit code.
    pub code: i32,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

// === impl Answer ===

impl Answer {
    /// The output of a command that succeeded, without the last line's end.
    ///
    /// # Errors
    /// If it did not succeed.
    pub fn said(self) -> Result<String> {
        ensure!(self.code == 0, "it ended with {}: {} {}", self.code, self.stdout, self.stderr);
        Ok(self.stdout.trim_end().to_owned())
    }
}

/// Runs a command in the first container of a pod, to its end.
pub(crate) async fn run(pods: &Api<Pod>, pod: &str, argv: &[String]) -> Result<Answer> {
    let wanted = AttachParams { stdin: false, tty: false, ..AttachParams::default() };
    let process = pods.exec(pod, argv, &wanted).await;
    let mut process = process.with_context(|| format!("failed to run {argv:?} in {pod}"))?;
    let (stdout, stderr, status) = (process.stdout(), process.stderr(), process.take_status());
    let status = async { status?.await };
    let (stdout, stderr, status) = join!(text(stdout), text(stderr), status);
    let status = status.with_context(|| format!("the stream of {argv:?} in {pod} was lost"))?;
    let code = code(&status).with_context(|| format!("{argv:?} in {pod}: {:?}", status.message))?;
    Ok(Answer { code, stdout, stderr })
}

async fn text(stream: Option<impl AsyncRead + Unpin>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut stream) = stream {
        // What came before a stream broke is kept; the missing status tells that it did.
        stream.read_to_end(&mut bytes).await.ok();
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn code(status: &Status) -> Option<i32> {
    if status.status.as_deref() == Some("Success") {
        return Some(0);
    }
    let causes = status.details.as_ref()?.causes.as_ref()?;
    let code = causes.iter().find(|cause| cause.reason.as_deref() == Some("ExitCode"))?;
    code.message.as_deref()?.parse().ok()
}
