//! Answers of an API server that are no set, or one that cannot be read.

use super::login::changed;
use super::reached::{names_the_place, respond, server};
use super::*;

#[test]
fn what_a_server_that_is_busy_or_ill_says_is_told_at_once_with_what_to_do() {
    for (code, cure) in [
        ("429 Too Many Requests", "it is busy: ask again later"),
        ("500 Internal Server Error", "`kubectl get --raw '/readyz?verbose'` says"),
        ("503 Service Unavailable", "`kubectl get --raw '/readyz?verbose'` says"),
        ("504 Gateway Timeout", "`kubectl get --raw '/readyz?verbose'` says"),
    ] {
        let number: u16 = code[..3].parse().unwrap();
        let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": number, "message": "etcd is away"});
        let asked = Arc::new(Mutex::new(0));
        let count = Arc::clone(&asked);
        let kubeconfig = server(move |_, stream| {
            *count.lock().unwrap() += 1;
            respond(stream, code, &status.to_string());
        });
        let told = ask(&kubeconfig, &["explain", "orders"]);
        names_the_place(&told, &kubeconfig);
        for part in [&format!("answered {number}: etcd is away; "), cure] {
            assert!(told.err.contains(part), "{part}: {}", told.err);
        }
        assert_eq!(*asked.lock().unwrap(), 1, "it is not asked again in silence");
    }
}

#[test]
fn a_field_that_cannot_be_read_is_named_and_not_taken_for_another_server() {
    let mut of_another_version = set();
    of_another_version["metadata"]["name"] = json!("orders");
    of_another_version["status"]["conditions"][0]["lastTransitionTime"] = json!("banana");
    let kubeconfig = api_server(of_another_version);
    for words in [&["explain", "orders"][..], &["decisions", "orders"], &["approve", "orders"]] {
        let told = ask(&kubeconfig, words);
        names_the_place(&told, &kubeconfig);
        for part in [
            "cannot read the field status.conditions[0].lastTransitionTime: ",
            "`kubectl get rss orders -n db -o yaml`",
            "use the version of the operator",
        ] {
            assert!(told.err.contains(part), "{part}: {}", told.err);
        }
        assert!(!told.err.contains("see that it is the API server"), "{}", told.err);
    }
}

#[test]
fn of_one_without_a_namespace_the_one_that_was_asked_is_told() {
    let mut of_another_version = set();
    of_another_version["metadata"]["namespace"] = Value::Null;
    of_another_version["status"]["conditions"][0]["lastTransitionTime"] = json!("banana");
    let kubeconfig = api_server(of_another_version);
    let file = kubeconfig.to_str().unwrap();
    let told = ask(Path::new("/dev/null"), &["explain", "orders", "--context", "here", "--kubeconfig", file]);
    let shows = format!("`kubectl get rss orders -n db --context here --kubeconfig {file} -o yaml`");
    assert!(told.err.contains(&shows), "{shows}: {}", told.err);
}

#[test]
fn what_ails_a_server_is_asked_of_the_same_server() {
    let kubeconfig = server(|_, stream| respond(stream, "503 Service Unavailable", "no"));
    let file = kubeconfig.to_str().unwrap();
    let told = ask(Path::new("/dev/null"), &["explain", "orders", "--kubeconfig", file]);
    let asks = format!("`kubectl get --raw '/readyz?verbose' --kubeconfig {file}` says what ails it");
    assert!(told.err.contains(&asks), "{asks}: {}", told.err);
}

#[test]
fn who_gives_no_credentials_is_told_to_log_in_before_any_right_is_named() {
    for (code, rest) in [
        ("401 Unauthorized", "does not know who asks (401); "),
        ("403 Forbidden", "does not allow it (403): no; "),
    ] {
        let status = json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 403, "reason": "Forbidden", "message": "no"});
        let answer = if code.starts_with("401") { "no".to_owned() } else { status.to_string() };
        let kubeconfig = server(move |_, stream| respond(stream, code, &answer));
        let told = ask(&kubeconfig, &["explain", "orders"]);
        names_the_place(&told, &kubeconfig);
        let cure =
            format!("{rest}there are no credentials for it: log in, or choose a context whose user has some");
        assert!(told.err.contains(&cure), "{cure}: {}", told.err);
        let token = [("\"user\":{}", r#""user":{"token":"t"}"#.to_owned())];
        let told = ask(&changed(&kubeconfig, "kubeconfig-with-a-token", &token), &["explain", "orders"]);
        assert!(told.err.contains(rest) && !told.err.contains("no credentials"), "{}", told.err);
    }
}

#[test]
fn a_right_that_is_missing_is_named_with_the_role_that_has_it() {
    let status = |verb| json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 403, "reason": "Forbidden", "message": format!("u cannot {verb}")});
    let kubeconfig = server(move |_, stream| respond(stream, "403 Forbidden", &status("get").to_string()));
    let token = [("\"user\":{}", r#""user":{"token":"t"}"#.to_owned())];
    let told = ask(&changed(&kubeconfig, "kubeconfig-of-a-viewer", &token), &["explain", "orders"]);
    let right = "u cannot get; what is missing is the right to `get` replicatedstatefulsets, which the ClusterRole rss-view";
    assert!(told.err.contains(right), "{}", told.err);

    let kubeconfig = server(move |asked, stream| match asked.starts_with("GET ") {
        true => respond(stream, "200 OK", &asking().to_string()),
        false => respond(stream, "403 Forbidden", &status("patch").to_string()),
    });
    let told = ask(&kubeconfig, &["approve", "orders", "--plan", "7f3a9c01d2e4"]);
    let right = "the right to `patch` replicatedstatefulsets, which the ClusterRole rss-edit of deploy/user-role.yaml";
    assert!(told.err.contains(right), "{}", told.err);
}
