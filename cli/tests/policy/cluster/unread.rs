//! Answers of an API server that are no set, or one that cannot be read.

use super::reached::{names_the_place, respond, server};
use super::*;

#[test]
fn what_a_server_that_is_busy_or_ill_says_is_told_at_once_with_what_to_do() {
    for (code, cure) in [
        ("429 Too Many Requests", "it is busy: ask again later"),
        ("500 Internal Server Error", "kubectl get --raw /readyz"),
        ("503 Service Unavailable", "kubectl get --raw /readyz"),
        ("504 Gateway Timeout", "kubectl get --raw /readyz"),
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
fn a_right_that_is_missing_is_named_with_the_role_that_has_it() {
    let status = |verb| json!({"kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 403, "reason": "Forbidden", "message": format!("u cannot {verb}")});
    let kubeconfig = server(move |_, stream| respond(stream, "403 Forbidden", &status("get").to_string()));
    let told = ask(&kubeconfig, &["explain", "orders"]);
    names_the_place(&told, &kubeconfig);
    let right = "u cannot get; what is missing is the right to `get` replicatedstatefulsets, which the ClusterRole rss-view";
    assert!(told.err.contains(right), "{}", told.err);

    let kubeconfig = server(move |asked, stream| match asked.starts_with("GET ") {
        true => respond(stream, "200 OK", &asking().to_string()),
        false => respond(stream, "403 Forbidden", &status("patch").to_string()),
    });
    let told = ask(&kubeconfig, &["approve", "orders", "--plan", "7f3a"]);
    let right = "the right to `patch` replicatedstatefulsets, which the ClusterRole rss-edit of deploy/user-role.yaml";
    assert!(told.err.contains(right), "{}", told.err);
}
