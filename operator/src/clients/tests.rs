//! Against a server that refuses, and one that never answers.

use super::{Clients, Retries, client};
use crate::exec::{Call, ContainerRef, Exec, LostReason, Outcome, PodExec, Purpose};
use crate::telemetry::Metrics;
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::api::{Api, PostParams};
use kube::config::Config;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// Answers each request with this head and no body, and counts them.
async fn server(head: &'static str) -> (Config, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&requests);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut buffer = [0; 8192];
            while stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {
                counted.fetch_add(1, Ordering::Relaxed);
                let _ = stream.write_all(head.as_bytes()).await;
            }
        }
    });
    (Config::new(uri), requests)
}

const BUSY: &str =
    "HTTP/1.1 503 Service Unavailable\r\nretry-after: 0\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

fn call(deadline: Duration) -> Call {
    let container = ContainerRef { namespace: "n".into(), pod: "p-0".into(), name: "main".into() };
    Call { container, argv: vec!["true".into()], deadline, purpose: Purpose::Shell }
}

#[tokio::test]
async fn a_command_is_sent_once_even_if_the_server_asks_to_try_again() {
    let (config, requests) = server(BUSY).await;
    let exec = PodExec::new(Clients::new(config, &Metrics::default()).unwrap().writes, Metrics::default());
    assert_eq!(exec.run(call(Duration::from_secs(60))).await, Outcome::Lost(LostReason::without_words(503)));
    assert_eq!(requests.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_write_is_sent_once_even_if_the_server_asks_to_try_again() {
    let (config, requests) = server(BUSY).await;
    let maps: Api<ConfigMap> =
        Api::namespaced(Clients::new(config, &Metrics::default()).unwrap().writes, "n");
    maps.create(&PostParams::default(), &ConfigMap::default()).await.unwrap_err();
    assert_eq!(requests.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn a_read_is_tried_again() {
    let (config, requests) = server(BUSY).await;
    let pods: Api<Pod> = Api::namespaced(Clients::new(config, &Metrics::default()).unwrap().reads, "n");
    let tried_again = async {
        while requests.load(Ordering::Relaxed) < 2 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        answer = pods.get("p-0") => panic!("gave up: {answer:?}"),
        () = tried_again => {}
    }
}

#[tokio::test]
async fn a_server_that_never_answers_costs_no_more_than_the_time_for_a_head() {
    let (config, _) = server("").await;
    let writes = client(config, Retries::Never, Duration::from_millis(50), &Metrics::default()).unwrap();
    let maps: Api<ConfigMap> = Api::namespaced(writes.clone(), "n");
    maps.create(&PostParams::default(), &ConfigMap::default()).await.unwrap_err();
    let exec = PodExec::new(writes, Metrics::default());
    assert_eq!(exec.run(call(Duration::from_secs(60))).await, Outcome::Lost(LostReason::Connect));
}

#[tokio::test]
async fn a_stream_that_is_not_open_at_the_deadline_is_no_command_that_does_not_end() {
    let (config, _) = server("").await;
    let patient = client(config, Retries::Never, Duration::from_secs(3600), &Metrics::default()).unwrap();
    let exec = PodExec::new(patient, Metrics::default());
    let outcome = exec.run(call(Duration::from_millis(50))).await;
    assert_eq!(outcome, Outcome::Lost(LostReason::Connect));
}

#[tokio::test]
async fn a_server_that_is_not_there_is_no_connection() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let config = Config::new(format!("http://{}", listener.local_addr().unwrap()).parse().unwrap());
    drop(listener);
    let exec = PodExec::new(Clients::new(config, &Metrics::default()).unwrap().writes, Metrics::default());
    assert_eq!(exec.run(call(Duration::from_secs(60))).await, Outcome::Lost(LostReason::Connect));
}

#[tokio::test]
async fn each_request_is_counted_with_what_came_of_it() {
    let (config, _) = server(BUSY).await;
    let metrics = Metrics::default();
    let maps: Api<ConfigMap> = Api::namespaced(Clients::new(config, &metrics).unwrap().writes, "n");
    maps.create(&PostParams::default(), &ConfigMap::default()).await.unwrap_err();
    let (config, _) = server("").await;
    let silent = client(config, Retries::Never, Duration::from_millis(50), &metrics).unwrap();
    Api::<Pod>::namespaced(silent, "n").get("p-0").await.unwrap_err();
    let text = metrics.text();
    for line in [
        r#"rest_client_requests_total{method="POST",code="503"} 1"#,
        r#"rest_client_requests_total{method="GET",code="<error>"} 1"#,
        r#"rest_client_request_duration_seconds_count{verb="POST"} 1"#,
        r#"rest_client_request_duration_seconds_count{verb="GET"} 1"#,
    ] {
        assert!(text.contains(line), "{line} is missing in\n{text}");
    }
}
