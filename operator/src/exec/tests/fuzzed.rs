//! Whatever comes on the stream of a command, its outcome is one, in time, and never better than what was said.

use super::*;
use crate::fuzz;
use planner::observation::Output;

/// A few whole streams, as a kubelet sends them.
fn seeds() -> Vec<Vec<u8>> {
    let stream = |frames: Frames| frames.iter().flat_map(|(channel, bytes)| frame(*channel, bytes)).collect();
    let success = || status(&json!({"status": "Success", "metadata": {}}));
    [
        vec![(STDOUT, b"17\n".to_vec()), (STDERR, b"it was clean\n".to_vec()), success()],
        vec![(STDOUT, Vec::new()), (STDERR, Vec::new()), exit(7)],
        vec![success(), (STDOUT, b"after the end".to_vec())],
        vec![status(
            &json!({"status": "Failure", "reason": "InternalError", "message": "no such container"}),
        )],
        // Channels that nobody opened, and one that is closed by the other side.
        vec![(9, b"x".to_vec()), (255, vec![3]), exit(0)],
    ]
    .map(stream)
    .to_vec()
}

/// A kubelet that sends these bytes once the stream is open, and closes the connection.
async fn sending(bytes: Vec<u8>) -> PodExec {
    server(async move |mut stream, head| {
        let _ = stream.write_all(upgraded(&head).as_bytes()).await;
        let _ = stream.write_all(&bytes).await;
    })
    .await
}

fn streams() -> fuzz::Target<'static> {
    fuzz::Target {
        name: "frames",
        seeds: seeds(),
        tokens: &["\u{3}{\"status\":\"Success\"}", "\u{3}{}", "ExitCode", "causes", "Success"],
        most: 32 << 10,
    }
}

/// What is made of what came.
type Told = fn(Outcome) -> Outcome;

fn check(bytes: &[u8], told: Told) {
    let caps = Caps::default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let outcome = runtime.block_on(async { run(&sending(bytes.to_vec()).await, LONG).await });
    let outcome = told(outcome);
    // The connection is closed: nobody has to be waited for.
    assert_ne!(outcome, Outcome::Lost(LostReason::Deadline));
    let Outcome::Ended(output) = outcome else { return };
    // What is no UTF-8 is replaced by three bytes for each.
    assert!(output.stdout.len() <= 3 * caps.stdout && output.stderr.len() <= 3 * caps.stderr);
    let says = |word: &str| bytes.windows(word.len()).any(|part| part == word.as_bytes());
    let is_named = says("ExitCode") && says(&format!("{}\"", output.code));
    assert!(is_named || output.code == 0 && says("Success"), "{output:?}");
}

#[test]
fn whatever_a_stream_brings_is_an_outcome_and_no_success_that_was_not_said() {
    streams().hold(|bytes| check(bytes, |outcome| outcome));
}

fn ended(stdout: String) -> Outcome {
    Outcome::Ended(Output { code: 0, stdout, stderr: String::new(), truncated: false })
}

#[test]
fn outcomes_that_nobody_told_are_found_out() {
    let wrong: [(&str, Told); 4] = [
        ("a stream that breaks is a success", |outcome| match outcome {
            Outcome::Lost(_) => ended(String::new()),
            told @ Outcome::Ended(_) => told,
        }),
        ("a failure is a success", |outcome| match outcome {
            Outcome::Ended(output) => Outcome::Ended(Output { code: 0, ..output }),
            told @ Outcome::Lost(_) => told,
        }),
        ("one that is closed is waited for", |outcome| match outcome {
            Outcome::Lost(_) => Outcome::Lost(LostReason::Deadline),
            told @ Outcome::Ended(_) => told,
        }),
        ("what is printed has no end", |outcome| match outcome {
            Outcome::Ended(_) => ended("x".repeat(4 * Caps::default().stdout)),
            told @ Outcome::Lost(_) => told,
        }),
    ];
    for (sentence, told) in wrong {
        assert!(streams().finds(|bytes| check(bytes, told)), "{sentence}");
    }
}
