//! Against an API server that opens a stream, and a kubelet behind it that is well, hangs or dies.

mod fuzzed;

use super::{Call, Caps, ContainerRef, Exec, LostReason, Outcome, PodExec, Purpose};
use crate::clients::Clients;
use crate::telemetry::Metrics;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use kube::config::Config;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// What has not come after this never will.
const FOREVER: Duration = Duration::from_secs(20);

/// The time of a command that ends by itself.
const LONG: Duration = Duration::from_secs(10);

/// Channels of a stream, by their first byte.
const STDOUT: u8 = 1;
const STDERR: u8 = 2;
const STATUS: u8 = 3;

/// What is sent on the stream of a command once it is open.
type Frames = Vec<(u8, Vec<u8>)>;

/// What becomes of the stream after that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Then {
    /// It stays open, and nothing comes.
    Silence,
    /// It is closed in order.
    Closed,
    /// The connection breaks.
    Broken,
}

/// Opens one stream. The receiver is told when the other side is gone.
async fn kubelet(frames: Frames, then: Then) -> (PodExec, oneshot::Receiver<()>) {
    let (gone, left) = oneshot::channel();
    let exec = server(async move |mut stream, head| {
        stream.write_all(upgraded(&head).as_bytes()).await.expect("the client waits");
        for (channel, payload) in frames {
            let _ = stream.write_all(&frame(channel, &payload)).await;
        }
        match then {
            Then::Broken => return,
            // The client answers, and then the server closes the connection: RFC 6455, 7.1.1.
            Then::Closed => {
                let _ = stream.write_all(&[0x88, 0]).await;
                let _ = stream.read(&mut [0; 64]).await;
                return;
            }
            Then::Silence => {}
        }
        let mut rest = [0; 1024];
        while stream.read(&mut rest).await.is_ok_and(|read| read > 0) {}
        // The test may be over.
        let _ = gone.send(());
    });
    (exec.await, left)
}

/// Gives the first connection, with the head of its request, to this.
async fn server<F>(serve: impl FnOnce(TcpStream, String) -> F + Send + 'static) -> PodExec
where
    F: Future<Output = ()> + Send,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        serve(stream, String::from_utf8(head).unwrap()).await;
    });
    PodExec::new(Clients::new(Config::new(uri), &Metrics::default()).unwrap().writes, Metrics::default())
}

/// The answer to the request of an upgrade.
fn upgraded(head: &str) -> String {
    let key = head.lines().find_map(|line| line.strip_prefix("sec-websocket-key: "));
    let accept = accept(key.expect("the head of an upgrade"));
    format!(
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\
         sec-websocket-accept: {accept}\r\nsec-websocket-protocol: v5.channel.k8s.io\r\n\r\n"
    )
}

/// RFC 6455, 4.2.2.
fn accept(key: &str) -> String {
    let salted = format!("{key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11");
    BASE64_STANDARD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, salted.as_bytes()))
}

/// One whole binary message, as a server sends it: without a mask.
fn frame(channel: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len() + 1).expect("a short message");
    let mut frame = vec![0x82];
    match u8::try_from(length) {
        Ok(short) if short < 126 => frame.push(short),
        _ => frame.extend([127, 0, 0, 0, 0].into_iter().chain(length.to_be_bytes())),
    }
    frame.push(channel);
    frame.extend(payload);
    frame
}

fn status(status: &Value) -> (u8, Vec<u8>) {
    (STATUS, status.to_string().into_bytes())
}

fn exit(code: i32) -> (u8, Vec<u8>) {
    let cause = json!({"reason": "ExitCode", "message": code.to_string()});
    status(&json!({"status": "Failure", "reason": "NonZeroExitCode", "details": {"causes": [cause]}}))
}

fn call(deadline: Duration) -> Call {
    let container = ContainerRef { namespace: "n".into(), pod: "p-0".into(), name: "main".into() };
    Call { container, argv: vec!["sequence".into()], deadline, purpose: Purpose::Status }
}

/// It always answers.
async fn run(exec: &PodExec, deadline: Duration) -> Outcome {
    tokio::time::timeout(FOREVER, exec.run(call(deadline))).await.expect("an answer")
}

async fn outcome(frames: Frames, then: Then) -> Outcome {
    run(&kubelet(frames, then).await.0, LONG).await
}

#[tokio::test]
async fn ten_megabytes_of_output_are_read_to_the_exit_code_and_kept_to_the_cap() {
    let line = [vec![b'x'; 32 * 1024 - 1], vec![b'\n']].concat();
    let flood = |channel| vec![(channel, line.clone()); 160];
    let frames = [flood(STDOUT), flood(STDERR), vec![exit(8)]].concat();
    let Outcome::Ended(output) = outcome(frames, Then::Silence).await else { panic!("it ended") };
    let caps = Caps::default();
    assert_eq!((output.code, output.truncated), (8, true));
    assert_eq!((output.stdout.len(), output.stderr.len()), (caps.stdout, caps.stderr / 2), "whole lines");
}

#[tokio::test]
async fn a_long_log_on_the_error_output_does_not_spoil_what_stands_on_the_output() {
    let log = |stdout: &[u8]| {
        let warning = b"[Warning] InnoDB: a page is old\n".repeat(3000);
        let mut frames: Frames = warning.chunks(4096).map(|chunk| (STDERR, chunk.to_vec())).collect();
        frames.extend([(STDERR, b"the last line\n".to_vec()), (STDOUT, stdout.to_vec()), exit(0)]);
        frames
    };
    for (stdout, truncated) in [(&b"7\n"[..], false), (b"\n", true), (b"", true)] {
        let Outcome::Ended(output) = outcome(log(stdout), Then::Silence).await else { panic!("it ended") };
        assert_eq!((output.stdout.as_bytes(), output.truncated), (stdout, truncated));
        assert!(output.stderr.starts_with("[Warning]") && output.stderr.ends_with("the last line\n"));
    }
}

#[tokio::test]
async fn a_command_that_runs_on_is_given_up_at_its_deadline_and_its_stream_closed() {
    let (exec, left) = kubelet(vec![(STDOUT, b"7\n".to_vec())], Then::Silence).await;
    let outcome = run(&exec, Duration::from_millis(200)).await;
    assert_eq!(outcome, Outcome::Lost(LostReason::Deadline));
    tokio::time::timeout(FOREVER, left).await.expect("nobody listens any more").expect("it was served");
}

#[tokio::test]
async fn a_stream_that_ends_before_its_command_is_lost_whatever_was_said_until_then() {
    for said in [Vec::new(), vec![(STDOUT, b"7\n".to_vec())]] {
        for then in [Then::Broken, Then::Closed] {
            assert_eq!(outcome(said.clone(), then).await, Outcome::Lost(LostReason::Stream), "{then:?}");
        }
    }
}

#[tokio::test]
async fn an_end_without_an_exit_code_is_never_a_success() {
    let killed = json!({"status": "Failure", "message": "the container was killed"});
    let words = json!({"status": "Failure", "message": "many",
        "details": {"causes": [{"reason": "ExitCode", "message": "many"}]}});
    for (said, why) in [
        (status(&killed), LostReason::NoExitStatus("the container was killed".to_owned())),
        (status(&words), LostReason::NoExitStatus("many".to_owned())),
        (status(&json!({})), LostReason::NoExitStatus("no reason given".to_owned())),
        ((STATUS, b"no JSON".to_vec()), LostReason::Stream),
    ] {
        assert_eq!(outcome(vec![said], Then::Silence).await, Outcome::Lost(why));
    }
}

#[tokio::test]
async fn a_command_in_a_pod_that_is_not_there_did_not_succeed() {
    let body = json!({"kind": "Status", "status": "Failure", "reason": "NotFound", "code": 404,
        "message": "pods \"p-0\" not found", "details": {"name": "p-0", "kind": "pods"}});
    let exec = server(async move |mut stream, _| {
        let body = body.to_string();
        let head = format!("HTTP/1.1 404 Not Found\r\ncontent-length: {}\r\n\r\n", body.len());
        let _ = stream.write_all((head + &body).as_bytes()).await;
        let _ = stream.read_u8().await;
    });
    let outcome = run(&exec.await, LONG).await;
    let Outcome::Lost(reason) = outcome else { panic!("{outcome:?}") };
    assert_eq!(reason.to_string(), "the API server does not run the command (404): pods \"p-0\" not found");
}
