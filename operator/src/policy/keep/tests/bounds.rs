//! How much is kept for one namespace, and how long and how large an answer may be.

use std::time::Duration;

use kube::Config;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::*;

fn bytes(number: usize) -> Vec<u8> {
    format!("policy {number}").into_bytes()
}

/// A server that keeps as many for `a` as may be.
async fn full() -> (ApiServer, Keep) {
    let server = ApiServer::up().await;
    let keep = keep(&server);
    for number in 0..limits::KEPT {
        keep.put(&bytes(number), "a", "host/p").await.unwrap();
    }
    (server, keep)
}

#[tokio::test]
async fn so_many_are_kept_for_one_namespace_and_others_find_room() {
    let (_server, keep) = full().await;
    let refused = keep.put(&bytes(99), "a", "host/p").await.unwrap_err();
    assert!(matches!(&refused, KeepError::Many(namespace) if namespace == "a"), "{refused}");
    assert!(refused.is_refusal() && refused.to_string().starts_with("32 policies are kept"), "{refused}");
    keep.put(&bytes(99), "b", "host/p").await.unwrap();
    let refused = keep.put(&bytes(99), "a", "host/p").await.unwrap_err();
    assert!(matches!(refused, KeepError::Many(_)), "what another brought is one more of its own too");
    keep.put(&bytes(0), "a", "host/p").await.unwrap();
}

#[tokio::test]
async fn what_is_not_used_any_more_makes_room_an_hour_later() {
    let (_server, keep) = full().await;
    let used: InUse = (1..limits::KEPT).map(|number| ("a".to_owned(), Digest::of(&bytes(number)))).collect();
    for number in 0..2 {
        assert!(keep.put(&bytes(99), "a", "host/p").await.is_err());
        keep.collect(&used, |_| true, hour(number)).await.unwrap();
    }
    keep.put(&bytes(99), "a", "host/p").await.unwrap();
}

#[tokio::test]
async fn those_who_come_at_one_moment_do_not_take_the_last_place_twice() {
    let server = ApiServer::up().await;
    let keep = keep(&server);
    let all = (0..limits::KEPT + 8).map(|number| {
        let keep = keep.clone();
        async move { keep.put(&bytes(number), "a", "host/p").await.is_ok() }
    });
    let kept = futures::future::join_all(all).await.into_iter().filter(|is_kept| *is_kept).count();
    assert_eq!((kept, server.objects.lock().unwrap().all.len()), (limits::KEPT, limits::KEPT));
}

#[tokio::test]
async fn all_pages_of_what_is_kept_are_looked_through() {
    let (server, keep) = full().await;
    assert!(limits::KEPT > 2 * limits::KEPT_PAGE as usize);
    for number in 0..2 {
        keep.collect(&InUse::new(), |_| true, hour(number)).await.unwrap();
    }
    assert!(server.objects.lock().unwrap().all.is_empty());
}

/// Gives the head of an answer, and then so many times 64 KiB of its body; what it gave is counted.
async fn talker(times: usize) -> (Keep, watch::Receiver<usize>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    let (count, counted) = watch::channel(0);
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = [0; 4096];
        let _ = stream.read(&mut request).await.unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 999999999999\r\n\r\n").await.unwrap();
        for _ in 0..times {
            if stream.write_all(&[b' '; 64 << 10]).await.is_err() {
                return;
            }
            count.send_modify(|count| *count += 64 << 10);
        }
        std::future::pending::<()>().await;
    });
    let clients = Clients::new(Config::new(uri), &Metrics::default()).unwrap();
    (Keep::new(&clients, "home"), counted)
}

#[tokio::test]
async fn an_answer_that_does_not_end_is_given_up_and_the_next_has_its_turn() {
    let (mut keep, _) = talker(0).await;
    keep.objects.patience = Duration::from_millis(20);
    for _ in 0..2 {
        let late = keep.put(COMPONENT, "a", "host/p").await.unwrap_err();
        assert!(matches!(late, KeepError::Late(_)) && !late.is_refusal(), "{late}");
    }
    let late = keep.collect(&InUse::new(), |_| true, hour(0)).await.unwrap_err();
    assert!(matches!(late, KeepError::Late(_)), "{late}");
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_not_read_to_its_end() {
    let (keep, sent) = talker(usize::MAX).await;
    let done = tokio::time::timeout(Duration::from_secs(20), keep.put(COMPONENT, "a", "host/p")).await;
    let error = done.expect("it is cut").unwrap_err();
    assert!(matches!(error, KeepError::Read(..)), "{error}");
    // Beside what is read there is what lies in buffers.
    assert!(*sent.borrow() < limits::KEPT_ANSWER + (32 << 20), "{}", *sent.borrow());
}
