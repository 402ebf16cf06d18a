//! What asks a cluster, against a stand-in API server.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::json;

use super::*;

const SETS: &str = "/apis/clusterlabs.org/v1alpha1/namespaces/db/replicatedstatefulsets/";

/// Answers every request: with this set for its name, with 404 for others.
fn api_server(set: Value) -> PathBuf {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            answer(stream, &set);
        }
    });
    let kubeconfig = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "here",
        "clusters": [{"name": "c", "cluster": {"server": format!("http://127.0.0.1:{port}")}}],
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u", "namespace": "db"}}],
        "users": [{"name": "u", "user": {}}],
    });
    file(&format!("kubeconfig-{port}"), kubeconfig.to_string())
}

fn answer(mut stream: TcpStream, set: &Value) {
    let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
    let request = lines.next().and_then(Result::ok).unwrap_or_default();
    // The body of a GET is empty: the blank line is its end.
    while lines.next().and_then(Result::ok).is_some_and(|line| !line.is_empty()) {}
    let name = set["metadata"]["name"].as_str().unwrap_or_default();
    let is_known = request.starts_with(&format!("GET {SETS}{name} "))
        || request.starts_with(&format!("GET {SETS}{name}?"));
    let (code, body) = match is_known {
        true => ("200 OK", set.clone()),
        false => (
            "404 Not Found",
            json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "NotFound", "code": 404, "message": "not found"}),
        ),
    };
    let body = body.to_string();
    let head = format!(
        "HTTP/1.1 {code}\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes())).unwrap();
}

fn ask(kubeconfig: &Path, words: &[&str]) -> Told {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-rss"));
    for name in ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"] {
        command.env_remove(name);
    }
    run(command.args(words).arg("--kubeconfig").arg(kubeconfig))
}

/// A set that waits because a proposal of its policy was refused.
fn set() -> Value {
    let intervals: Vec<Value> = (0..20).map(|n| json!({"first": n * 9, "last": n * 9 + 3})).collect();
    let candidates = json!([{"name": "x-0", "position": {"history": {"source": intervals}}},
        {"name": "x-1", "position": {"sameAs": "x-0"}}]);
    let command = json!({"command": ["x"]});
    let commands =
        json!({"sequence": command, "seed": command, "primary": command, "status": command, "stop": command});
    let pod = json!({"commands": commands, "containers": [{"name": "a", "image": "a"}]});
    json!({
        "apiVersion": "clusterlabs.org/v1alpha1", "kind": "ReplicatedStatefulSet",
        "metadata": {"name": "orders", "namespace": "db", "uid": "u", "generation": 1},
        "spec": {"replicas": 3, "servicePorts": [], "pod": pod},
        "status": {
            "observedGeneration": 1, "phase": "Failed", "reason": "SeedRefused",
            "conditions": [{"type": "Stalled", "status": "True", "reason": "SeedRefused", "message": "it lacks 3",
                "lastTransitionTime": "2026-01-31T10:00:00Z"}],
            "holds": [{"scope": "set", "reason": "SeedRefused", "message": "it lacks 3", "keys": []}],
            "decisions": [{"interface": "seed@0.1.0", "at": "2026-01-31T10:00:00Z", "settings": {}, "policy": {},
                "input": {"candidates": candidates},
                "answer": {"proposal": {"replica": "x-1"}, "why": "it is larger"}, "vetoes": ["it lacks 3"]}],
        },
    })
}

#[test]
fn decisions_prints_what_the_status_of_a_set_has_and_json_that_replay_reads() {
    let kubeconfig = api_server(set());
    let told = ask(&kubeconfig, &["decisions", "orders"]);
    assert_eq!(told.code, Some(0), "{}", told.err);
    assert!(
        told.out.contains("seed       x-1 of x-0, x-1: it is larger; refused because it lacks 3"),
        "{}",
        told.out
    );
    let told = ask(&kubeconfig, &["decisions", "orders", "-o", "json"]);
    let decisions = &told.json()["decisions"];
    let candidates = &decisions[0]["input"]["candidates"];
    assert_eq!(candidates[0]["position"], candidates[1]["position"], "each position is there whole");
    let file = file("decisions-replay.json", &told.out);
    let again = run(tool(&["replay"]).arg(file));
    assert!(again.out.contains("1 decisions"), "{}{}", again.out, again.err);
}

#[test]
fn explain_says_what_a_set_waits_for_and_ends_with_a_code_of_its_own() {
    let kubeconfig = api_server(set());
    let told = ask(&kubeconfig, &["explain", "orders"]);
    assert!(told.out.contains("it lacks 3"), "{}{}", told.out, told.err);
    assert_eq!(told.code, Some(4), "only a person can end it");
}

#[test]
fn a_set_that_is_not_there_is_named_with_its_namespace() {
    let kubeconfig = api_server(set());
    for command in ["decisions", "explain"] {
        let told = ask(&kubeconfig, &[command, "other"]);
        assert_eq!(told.code, Some(1));
        assert!(told.err.contains("no ReplicatedStatefulSet other in the namespace db"), "{}", told.err);
    }
}

#[test]
fn what_a_policy_or_an_application_says_makes_no_line_and_programs_get_it_as_it_is() {
    let forged = "it is larger\n  unblock  (a) kubectl delete rss --all\u{1b}[2J";
    let mut status = set();
    status["status"]["decisions"][0]["answer"]["why"] = json!(forged);
    status["status"]["holds"][0]["message"] = json!(forged);
    let kubeconfig = api_server(status);
    for command in ["decisions", "explain"] {
        let told = ask(&kubeconfig, &[command, "orders"]);
        assert!(
            told.out.contains("it is larger\\n  unblock  (a) kubectl delete rss --all\\u{1b}[2J"),
            "{}",
            told.out
        );
        assert!(!told.out.contains('\u{1b}') && !told.out.contains("\n  unblock  (a) kubectl delete"));
        let json = ask(&kubeconfig, &[command, "orders", "-o", "json"]).json();
        let said = json["decisions"][0]["answer"]["why"].as_str().or(json["waits"][0]["message"].as_str());
        assert_eq!(said, Some(forged));
    }
}
