//! Against an API server whose answers have no end.

use kube::Config;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::*;
use crate::api::{ConfigMapKey, PolicyStatus};
use crate::clients::Clients;
use crate::policy::Digest;
use crate::policy::guest::{Guest, Image};
use crate::policy::loading::Loading;
use crate::policy::{Component, Settings};
use crate::target::Source;
use crate::target::{Policy, Wanted};
use crate::telemetry::Metrics;

/// Tells what is asked for, and gives the heads of answers alone.
async fn endless() -> (Policies, UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let uri = format!("http://{}", listener.local_addr().unwrap()).parse().unwrap();
    let (asks, asked) = unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let asks = asks.clone();
            tokio::spawn(async move {
                let mut request = vec![0; 4096];
                let length = stream.read(&mut request).await.unwrap();
                let _ = asks.send(String::from_utf8_lossy(&request[..length]).into_owned());
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{").await.unwrap();
                std::future::pending::<()>().await;
            });
        }
    });
    let clients = Clients::new(Config::new(uri), &Metrics::default()).unwrap();
    let keep = Keep::new(&clients, "home");
    let host = Host::new().unwrap();
    (Policies::new(host, Registries::default(), keep, clients.reads.clone()), asked)
}

fn pinned(bytes: &[u8]) -> PolicyStatus {
    serde_json::from_value(json!({"digest": Digest::of(bytes), "kept": true})).unwrap()
}

#[tokio::test]
async fn an_answer_without_end_is_given_up_and_holds_nobody_up() {
    let (policies, _asked) = endless().await;
    let policies = Policies { patience: Duration::from_millis(20), ..policies };
    let kept = policies.kept("shop", &pinned(b"one"), true).await;
    assert!(matches!(kept, Err(LoadError::Late(_))));
    let source = Source::ConfigMap(ConfigMapKey { name: "policy".into(), key: "policy.wasm".into() });
    let brought = policies.bring("shop", &source, &[], None, &[]).await;
    assert!(matches!(brought, Err(LoadError::Late(_))));
}

#[tokio::test]
async fn what_one_namespace_restores_leaves_room_for_what_another_does() {
    let (policies, mut asked) = endless().await;
    let restore = |namespace: &'static str, bytes: &'static [u8]| {
        let policies = policies.clone();
        tokio::spawn(async move { policies.kept(namespace, &pinned(bytes), true).await.is_ok() })
    };
    let _greedy: Vec<_> = (0..2 * RESTORED).map(|_| restore("greedy", b"one")).collect();
    for _ in 0..RESTORED_OF_ONE {
        asked.recv().await.unwrap();
    }
    let _other = restore("shop", b"two");
    let next = tokio::time::timeout(Duration::from_secs(20), asked.recv()).await;
    let wanted = &Digest::of(b"two").hex()[..40];
    assert!(next.is_ok_and(|next| next.unwrap().contains(wanted)), "it waits for the other namespace");
}

#[tokio::test]
async fn a_resource_that_changes_all_the_time_while_its_policy_is_restored_holds_nobody_up() {
    let (policies, mut asked) = endless().await;
    let mut loading = Loading::new(policies.clone(), "greedy", Arc::new(|| {}));
    let source = Source::ConfigMap(ConfigMapKey { name: "policy".into(), key: "policy.wasm".into() });
    let named = Policy::Component(Box::new(Wanted { source, settings: Settings::default() }));
    for generation in 0..8 {
        loading.look(&named, generation, Some(&pinned(b"one")));
        // It has begun to read what is kept.
        asked.recv().await.unwrap();
    }
    let others = policies.share.in_turn(Purpose::New, "shop", || ());
    let turn = tokio::time::timeout(Duration::from_secs(20), others).await;
    assert!(turn.is_ok(), "another namespace's new policy waits for it");
}

#[tokio::test]
async fn a_trial_gives_its_turn_back_and_is_found_to_conform_all_the_same() {
    let (policies, _asked) = endless().await;
    let policies = Policies { slice: Duration::ZERO, ..policies };
    let guest = Guest::sequence(Image::unreadable());
    let component = Arc::new(Component::load(&Host::new().unwrap(), &guest.component()).unwrap());
    let settings = Settings::default();
    let mut trial = std::pin::pin!(policies.tried(&component, &settings, "greedy"));
    let mut turns = 0;
    let tried = loop {
        tokio::select! {
            other = policies.share.in_turn(Purpose::New, "shop", || ()) => turns += usize::from(other.is_ok()),
            tried = &mut trial => break tried,
        }
    };
    assert!(tried.unwrap().questions > 30);
    assert!(turns > 10, "another namespace had {turns} turns beside it");
}
