//! What asks a cluster, against a stand-in API server.

mod allowed;
mod found;
mod login;
mod printed;
mod reached;
mod shown;
mod unread;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::json;

use super::*;

const SETS: &str = "/apis/clusterlabs.org/v1alpha1/namespaces/db/replicatedstatefulsets/";
const CLUSTERS: &str = "/apis/enge.me/v1alpha1/namespaces/db/statefulclusters/";

/// What was written to a set, oldest first.
type Written = Arc<Mutex<Vec<Value>>>;

/// Answers every request: with this set, or StatefulCluster, for its name, with 404 for others.
fn api_server(set: Value) -> PathBuf {
    writable(set).0
}

/// The same, and what is written there.
fn writable(set: Value) -> (PathBuf, Written) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let written = Written::default();
    let told = Arc::clone(&written);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            answer(stream, &set, &written);
        }
    });
    (kubeconfig_of(port), told)
}

/// A kubeconfig whose context `here` is of a server at this port.
fn kubeconfig_of(port: u16) -> PathBuf {
    let kubeconfig = json!({
        "apiVersion": "v1", "kind": "Config", "current-context": "here",
        "clusters": [{"name": "c", "cluster": {"server": format!("http://127.0.0.1:{port}")}}],
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u", "namespace": "db"}}],
        "users": [{"name": "u", "user": {}}],
    });
    file(&format!("kubeconfig-{port}"), kubeconfig.to_string())
}

fn answer(mut stream: TcpStream, set: &Value, written: &Written) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = Vec::new();
    while head.last().is_none_or(|line: &String| !line.trim().is_empty()) {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        head.push(line);
    }
    let length =
        head.iter().find_map(|line| line.to_lowercase().strip_prefix("content-length:")?.trim().parse().ok());
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    let name = set["metadata"]["name"].as_str().unwrap_or_default();
    let all = if set["kind"] == "StatefulCluster" { CLUSTERS } else { SETS };
    let is =
        |verb: &str| [" ", "?"].iter().any(|end| head[0].starts_with(&format!("{verb} {all}{name}{end}")));
    if is("PATCH") {
        written.lock().unwrap().push(serde_json::from_slice(&body).unwrap());
    }
    let is_known = is("GET") || is("PATCH");
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
    run(asking_of(kubeconfig).args(words))
}

/// The tool, with its way to loopback addresses.
fn asking_of(kubeconfig: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-rss"));
    for name in [
        "http_proxy",
        "https_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "all_proxy",
        "NO_PROXY",
        "no_proxy",
    ] {
        command.env_remove(name);
    }
    command.env("KUBECONFIG", kubeconfig);
    command
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
    let version = ["apiVersion", "kind"].map(|name| told.json()[name].clone());
    assert_eq!(version, ["cli.clusterlabs.org/v1alpha1", "Decisions"]);
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
    assert_eq!(ask(&kubeconfig, &["status", "orders"]).code, Some(4), "by its other name");
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
fn of_a_set_that_no_operator_has_looked_at_nothing_can_be_said() {
    for status in [json!({}), json!({"observedGeneration": -1})] {
        let mut set = set();
        set["status"] = status;
        let kubeconfig = api_server(set);
        for words in [
            &["decisions", "orders"][..],
            &["decisions", "orders", "-o", "json"],
            &["explain", "orders"],
            &["approve", "orders"],
        ] {
            let told = ask(&kubeconfig, words);
            assert_eq!((told.code, told.out.as_str()), (Some(1), ""), "{words:?}");
            assert!(told.err.contains("no operator has looked at db/orders"), "{words:?}: {}", told.err);
        }
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

/// A set that asks a person, another key already given.
fn asking() -> Value {
    let mut set = set();
    set["metadata"]["resourceVersion"] = json!("7");
    set["metadata"]["annotations"] = json!({"clusterlabs.org/allow": "AssertFenced/u/1"});
    let hold = |reason, keys| json!({"scope": "x-1", "reason": reason, "message": "planned: the set starts from x-1", "keys": keys});
    set["status"]["holds"] = json!([
        hold("AwaitsApproval", json!(["Approve/x-1/7f3a9c01d2e4"])),
        hold("Diverged", json!(["AcceptSeed/x-0/11aa11aa11aa", "AcceptSeed/x-1/22bb22bb22bb"])),
    ]);
    set
}

#[test]
fn what_is_planned_is_shown_with_its_hash_and_approved_by_that_hash_alone() {
    let (kubeconfig, written) = writable(asking());
    let shown = ask(&kubeconfig, &["approve", "orders"]);
    assert_eq!(shown.code, Some(4), "{}", shown.err);
    assert!(shown.out.contains("the set starts from x-1"), "{}", shown.out);
    assert!(shown.out.contains("kubectl rss approve orders -n db --plan 7f3a9c01d2e4"), "{}", shown.out);
    let stale = ask(&kubeconfig, &["approve", "orders", "--plan", "000000000000"]);
    assert_eq!(stale.code, Some(1));
    let again = "000000000000 is not what orders offers now; `kubectl rss approve orders -n db` shows";
    assert!(stale.err.contains(again) && !stale.err.contains("7f3a9c01d2e4"), "{}", stale.err);
    assert_eq!(*written.lock().unwrap(), Vec::<Value>::new(), "nothing was changed");
    let given = ask(&kubeconfig, &["approve", "orders", "--plan", "7f3a9c01d2e4", "-o", "json"]);
    assert_eq!(
        (given.code, &given.json()["given"]),
        (Some(0), &json!("Approve/x-1/7f3a9c01d2e4")),
        "{}",
        given.err
    );
    let keys = json!({"clusterlabs.org/allow": "AssertFenced/u/1,Approve/x-1/7f3a9c01d2e4"});
    assert_eq!(
        *written.lock().unwrap(),
        [json!({"metadata": {"resourceVersion": "7", "annotations": keys}})],
        "what another gave stays, and a set that has changed is not written to"
    );
}

#[test]
fn a_seed_is_named_on_the_facts_that_were_shown_and_only_where_the_set_offers_it() {
    let (kubeconfig, written) = writable(asking());
    let shown = ask(&kubeconfig, &["seed", "orders", "x-1"]);
    assert_eq!(shown.code, Some(4), "{}", shown.err);
    assert!(shown.out.contains("costs  what is lost is not known"), "{}", shown.out);
    assert!(shown.out.contains("kubectl rss seed orders x-1 -n db --facts 22bb22bb22bb"), "{}", shown.out);
    let others = ask(&kubeconfig, &["seed", "orders", "x-1", "--facts", "11aa11aa11aa"]);
    assert_eq!(others.code, Some(1), "these are the facts of another replica");
    assert!(!others.err.contains("22bb22bb22bb"), "what is right is to be read first: {}", others.err);
    assert_eq!(*written.lock().unwrap(), Vec::<Value>::new());
    assert_eq!(ask(&kubeconfig, &["seed", "orders", "x-1", "--facts", "22bb22bb22bb"]).code, Some(0));
    assert_eq!(written.lock().unwrap().len(), 1);
}
