//! Which API server is meant, and what may be asked of it.

use super::*;

#[test]
fn that_there_is_no_kubeconfig_is_said_once_with_what_to_do() {
    let nowhere = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nowhere");
    let (missing, other) = (nowhere.join("config"), nowhere.join("other"));
    let both = std::env::join_paths([&missing, &other]).unwrap();
    let home = nowhere.join(".kube/config");
    let (missing, home) = (missing.to_str().unwrap(), home.to_str().unwrap());
    for (words, list, named) in [
        (&["explain", "orders"][..], "", home),
        (&["explain", "orders", "--kubeconfig", missing], "", missing),
        (&["decisions", "orders", "--context", "x"], "", home),
        (&["explain", "orders"], both.to_str().unwrap(), missing),
        (&["explain", "orders"], both.to_str().unwrap(), other.to_str().unwrap()),
    ] {
        let mut command = asking_of(Path::new(list));
        let told = run(command.args(words).env("HOME", &nowhere).env_remove("KUBERNETES_SERVICE_HOST"));
        assert_eq!(told.code, Some(1));
        assert_eq!(told.err.matches(named).count(), 1, "{}", told.err);
        assert!(told.err.contains("--kubeconfig") && told.err.lines().count() == 1, "{}", told.err);
    }
}

#[test]
fn of_a_list_of_kubeconfigs_those_that_are_there_count() {
    let there = api_server(set());
    let missing = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nowhere/config");
    let list = std::env::join_paths([&missing, &there]).unwrap();
    let told = run(asking_of(Path::new(&list)).args(["explain", "orders"]));
    assert_eq!(told.code, Some(4), "{}", told.err);
}

#[test]
fn a_context_that_is_not_there_is_told_with_those_that_are() {
    let kubeconfig = api_server(set());
    let told = ask(&kubeconfig, &["explain", "orders", "--context", "hree"]);
    assert_eq!(told.code, Some(1));
    for part in ["no context hree", kubeconfig.to_str().unwrap(), "by --context: here"] {
        assert!(told.err.contains(part), "{part}: {}", told.err);
    }
    let text = std::fs::read_to_string(&kubeconfig).unwrap();
    let none_is_current = text.replace("\"current-context\":\"here\"", "\"current-context\":\"\"");
    let told = ask(&file("kubeconfig-none-current", none_is_current), &["explain", "orders"]);
    for part in ["no context is current in", "kubeconfig-none-current", "by --context: here"] {
        assert!(told.err.contains(part), "{part}: {}", told.err);
    }
}

#[test]
fn of_a_kubeconfig_without_contexts_none_is_to_be_chosen_and_another_file_is_named() {
    let none = file("kubeconfig-none", "");
    for words in [&["explain", "orders"][..], &["explain", "orders", "--context", "here"]] {
        let told = ask(&none, words);
        assert_eq!(told.code, Some(1));
        for part in ["there are no contexts in", "kubeconfig-none;", "by --kubeconfig or in $KUBECONFIG"] {
            assert!(told.err.contains(part), "{part}: {}", told.err);
        }
        assert!(!told.err.contains("--context"), "{}", told.err);
    }
}

#[test]
fn what_is_secret_of_a_way_to_a_cluster_is_not_told() {
    let kubeconfig = api_server(set());
    let text = std::fs::read_to_string(&kubeconfig).unwrap();
    let proxy = "http://alice:secret@127.0.0.1:9";
    let of_its_own = text.replace("\"server\"", &format!("\"proxy-url\":\"{proxy}\",\"server\""));
    let of_tls = text.replace("http://127.0.0.1", "https://192.0.2.1");
    for (text, named) in [
        (of_its_own, "proxy-url of the cluster in the kubeconfig names one;"),
        (of_tls, "HTTPS_PROXY of the environment names one; unset HTTPS_PROXY"),
    ] {
        let mut command = asking_of(&file("kubeconfig-proxied", text));
        let told = run(command
            .args(["explain", "orders"])
            .env("HTTPS_PROXY", proxy)
            .env("NO_PROXY", "192.0.3.0/24"));
        for part in ["by the proxy http://127.0.0.1:9", named] {
            assert!(told.err.contains(part), "{part}: {}", told.err);
        }
        assert!(told.code == Some(1) && !told.err.contains("secret"), "{}", told.err);
    }

    let broken = ask(&file("kubeconfig-broken", "users: [{token: secret"), &["explain", "orders"]);
    assert!(broken.err.contains("kubeconfig-broken: failed to parse"), "{}", broken.err);

    let program = r#"{"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "echo", "args": ["secret"]}}"#;
    let asks = file("kubeconfig-of-a-program", text.replace("\"user\":{}", &format!("\"user\":{program}")));
    let asked = ask(&asks, &["explain", "orders"]);
    assert!(asked.err.contains("failed to use the credentials for http://127.0.0.1:"), "{}", asked.err);
    for told in [broken, asked] {
        assert!(told.code == Some(1) && told.err.lines().count() == 1, "{}", told.err);
        assert!(!told.err.contains("secret"), "{}", told.err);
    }
}

#[test]
fn a_server_that_the_proxy_of_the_environment_is_not_for_is_asked_directly() {
    let kubeconfig = api_server(set());
    let proxied = |kubeconfig: &Path| {
        let mut command = asking_of(kubeconfig);
        command.env("HTTPS_PROXY", "http://127.0.0.1:9").env("NO_PROXY", "other.invalid,example.invalid");
        run(command.args(["explain", "orders"]))
    };
    assert_eq!(proxied(&kubeconfig).code, Some(4), "it speaks no TLS");
    let text = std::fs::read_to_string(&kubeconfig).unwrap();
    let excepted = text.replace("http://127.0.0.1", "https://api.example.invalid");
    let told = proxied(&file("kubeconfig-excepted", excepted));
    assert!(told.err.contains("does not answer: ") && !told.err.contains("proxy"), "{}", told.err);
}

#[test]
fn what_is_no_name_is_no_part_of_an_address() {
    let (kubeconfig, written) = writable(asking());
    for words in [
        &["explain", "../x"][..],
        &["decisions", "a/b"],
        &["explain", ""],
        &["explain", "orders", "-n", "../../x"],
        &["approve", "orders?x", "--plan", "7f3a9c01d2e4"],
        &["seed", "orders", "", "--facts", "22bb22bb22bb"],
        &["seed", "orders", "x/1"],
    ] {
        let told = ask(&kubeconfig, words);
        assert_eq!(told.code, Some(2), "{words:?}: {}", told.err);
        assert!(told.err.contains("lower case letters, digits"), "{}", told.err);
    }
    assert_eq!(*written.lock().unwrap(), Vec::<Value>::new());
    let text = std::fs::read_to_string(&kubeconfig).unwrap().replace("\"db\"", "\"../db\"");
    let told = ask(&file("kubeconfig-of-no-namespace", text), &["explain", "orders"]);
    assert_eq!(told.code, Some(1));
    assert!(told.err.contains("the namespace \"../db\", which is none"), "{}", told.err);
}

#[test]
fn who_asks_for_a_set_by_the_name_of_a_stateful_cluster_is_led_to_that() {
    let owner = json!({"kind": "ReplicatedStatefulSet", "name": "orders", "controller": true});
    let meta = json!({"name": "rss-orders", "namespace": "db", "ownerReferences": [owner]});
    let cluster =
        json!({"apiVersion": "enge.me/v1alpha1", "kind": "StatefulCluster", "metadata": meta, "spec": {}});
    let kubeconfig = api_server(cluster);
    let told = ask(&kubeconfig, &["explain", "rss-orders"]);
    assert_eq!(told.code, Some(1));
    for part in ["`kubectl describe stcl rss-orders -n db`", "`kubectl rss explain orders -n db`"] {
        assert!(told.err.contains(part), "{part}: {}", told.err);
    }
    let told = ask(&kubeconfig, &["explain", "other"]);
    // A viewer of one namespace may not list those of all.
    let lists = "`kubectl get rss -n db` lists those there, `kubectl get rss -A` all";
    assert!(told.err.contains(lists), "{}", told.err);
}
