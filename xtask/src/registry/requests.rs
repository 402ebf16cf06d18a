//! What a registry's log tells of who asked.

/// Requests of the interface of registries in the log of accesses; the kubelet's probes are none.
pub(super) fn count(log: &str) -> usize {
    let asked = |line: &&str| line.split('"').nth(1).is_some_and(|request| path(request).starts_with("/v2"));
    log.lines().filter(asked).count()
}

/// Of `METHOD PATH PROTOCOL`.
fn path(request: &str) -> &str {
    request.split(' ').nth(1).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_probe_of_the_kubelet_is_no_request() {
        let log = r#"
10.0.0.1 - - [01/Jan/2026:00:00:00 +0000] "GET / HTTP/1.1" 200 0 "" "kube-probe/1.34"
10.0.0.2 - - [01/Jan/2026:00:00:01 +0000] "GET /v2/ HTTP/1.1" 401 87 "" "rss-operator/0.1.0"
10.0.0.2 - - [01/Jan/2026:00:00:01 +0000] "GET /v2/p/manifests/1 HTTP/1.1" 200 700 "" "rss-operator/0.1.0"
time="2026-01-01T00:00:00Z" level=warning msg="error authorizing context" http.request.uri=/v2/
"#;
        assert_eq!(super::count(log), 2);
    }
}
