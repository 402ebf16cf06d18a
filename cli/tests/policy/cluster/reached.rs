//! API servers that do not answer as one does.

use std::process::Stdio;
use std::sync::mpsc::channel;

use super::*;

/// A server that does this with each connection, once it has read what is asked; the request line is given.
pub(super) fn server(mut answers: impl FnMut(&str, TcpStream) + Send + 'static) -> PathBuf {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
            let asked = lines.next().unwrap_or_default();
            lines.find(String::is_empty);
            answers(&asked, stream);
        }
    });
    kubeconfig_of(port)
}

pub(super) fn respond(mut stream: TcpStream, code: &str, body: &str) {
    let length = body.len();
    let head = format!("HTTP/1.1 {code}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
    // Who has gone does not want it any more.
    let _ = stream.write_all(format!("{head}{body}").as_bytes());
}

/// The address, the context and the file that a message names.
pub(super) fn names_the_place(told: &Told, kubeconfig: &Path) {
    let port = kubeconfig.to_str().unwrap().rsplit('-').next().unwrap();
    for part in [&format!("http://127.0.0.1:{port}"), "context here", kubeconfig.to_str().unwrap()] {
        assert!(told.err.contains(part), "{part}: {}", told.err);
    }
    assert!(told.code == Some(1) && told.out.is_empty(), "{}", told.err);
}

#[test]
fn an_api_server_that_never_answers_is_given_up_by_every_command_and_named() {
    let mut held = Vec::new();
    let kubeconfig = server(move |_, stream| held.push(stream));
    for words in [
        &["explain", "orders"][..],
        &["decisions", "orders"],
        &["approve", "orders"],
        &["seed", "orders", "x-1", "--facts", "22bb22bb22bb"],
    ] {
        let told = ask(&kubeconfig, &[words, &["--request-timeout", "100ms"]].concat());
        names_the_place(&told, &kubeconfig);
        assert!(told.err.contains("has not answered within 100ms (--request-timeout)"), "{}", told.err);
    }
    for bad in ["soon", "-5", "-5s"] {
        let told = ask(&kubeconfig, &["explain", "orders", "--request-timeout", bad]);
        assert_eq!(told.code, Some(2));
        assert!(told.err.contains("write a number of seconds") && !told.err.contains("-- "), "{}", told.err);
    }
}

#[test]
fn who_waits_is_told_for_what() {
    let (said, is_said) = channel::<()>();
    let kubeconfig = server(move |_, stream| {
        // It answers once the tool has said that it waits.
        is_said.recv().unwrap();
        respond(stream, "200 OK", &set().to_string());
    });
    let mut command = asking_of(&kubeconfig);
    command
        .args(["explain", "orders", "--request-timeout", "1m"])
        .stderr(Stdio::piped())
        .stdout(Stdio::null());
    let mut asking = command.spawn().unwrap();
    let mut lines = BufReader::new(asking.stderr.take().unwrap()).lines().map_while(Result::ok);
    let first = lines.next().unwrap();
    assert!(first.starts_with("waiting for http://127.0.0.1:"), "{first}");
    said.send(()).unwrap();
    assert_eq!(asking.wait().unwrap().code(), Some(4));
}

#[test]
fn a_key_that_may_or_may_not_have_been_written_is_not_told_as_given_or_as_not_given() {
    // It hangs up on what is written.
    let kubeconfig = server(|asked, stream| {
        if asked.starts_with("GET ") {
            respond(stream, "200 OK", &asking().to_string());
        }
    });
    let told = ask(&kubeconfig, &["approve", "orders", "--plan", "7f3a9c01d2e4"]);
    names_the_place(&told, &kubeconfig);
    assert!(told.err.contains("whether the key was given is not known, look again"), "{}", told.err);
}

#[test]
fn an_api_server_that_is_not_there_is_named_with_what_to_do() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let kubeconfig = kubeconfig_of(listener.local_addr().unwrap().port());
    drop(listener);
    let told = ask(&kubeconfig, &["explain", "orders"]);
    names_the_place(&told, &kubeconfig);
    assert!(
        told.err.contains("Connection refused") && told.err.contains("--context or --kubeconfig"),
        "{}",
        told.err
    );
}

#[test]
fn a_server_that_is_none_of_a_cluster_is_told_once_and_for_what_it_is() {
    let html = "<!DOCTYPE html>\n<html><body>It works!</body></html>";
    for (code, body, why) in [
        ("200 OK", html, "is no ReplicatedStatefulSet: it is a page for a browser (HTML)"),
        ("200 OK", "", "is no ReplicatedStatefulSet: it is empty;"),
        ("200 OK", "{}", "is no ReplicatedStatefulSet: it is of no kind;"),
        (
            "302 Found",
            html,
            "answered 302, that it is at an address that it does not name: no API server does",
        ),
        (
            "302 Found\r\nlocation: https://login.example.com/in?token=secret",
            "",
            "answered 302, that it is at https://login.example.com/in: no API server does",
        ),
        (
            "404 Not Found",
            html,
            "knows no ReplicatedStatefulSet (404); see that the operator is installed there",
        ),
        ("401 Unauthorized", html, "does not know who asks (401); there are no credentials for it: log in"),
        ("500 Internal Server Error", html, "answered 500: <!DOCTYPE html>\\n<html>"),
    ] {
        let kubeconfig = server(move |_, stream| respond(stream, code, body));
        let told = ask(&kubeconfig, &["explain", "orders"]);
        names_the_place(&told, &kubeconfig);
        assert!(told.err.contains(why), "{why}: {}", told.err);
        assert!(!told.err.contains("secret") && told.err.lines().count() == 1, "{}", told.err);
    }
}

#[test]
fn an_answer_without_end_is_not_read_to_its_end() {
    let kubeconfig = server(|_, mut stream| {
        let endless = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
        let mut sent = stream.write_all(endless);
        while sent.is_ok() {
            sent = stream.write_all(&[b' '; 1 << 16]);
        }
    });
    let told = ask(&kubeconfig, &["explain", "orders", "--request-timeout", "0"]);
    names_the_place(&told, &kubeconfig);
    assert!(told.err.contains("answered with more than 16 MiB"), "{}", told.err);
}
