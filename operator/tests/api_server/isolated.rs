//! A policy that does not pass the process in which it is loaded first.

use operator::policy::Isolated;
use operator::policy::fetch::Registries;
use operator::policy::isolated::Bounds;

use crate::guest::Guest;
use crate::made::nested_loops;
use crate::policies::{from_config_map, is, name, put, says};
use crate::scene::{Scene, policies};
use crate::server::ApiServer;

/// A set that names a policy, of an operator that loads policies in this program first.
async fn loading_in(isolated: Isolated, component: &[u8]) -> Scene {
    let mut scene = Scene::new().await;
    scene.context.policies = policies(&scene.context.clients, Registries::default()).isolated(isolated);
    put(&scene, "named", component);
    name(&scene, &from_config_map("named"));
    scene.begin();
    scene
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_takes_too_much_is_refused_with_the_limit_that_it_exceeds() {
    let bounds = Bounds { memory: 40, ..Bounds::default() };
    let isolated = Isolated::new(env!("CARGO_BIN_EXE_rss-operator"), bounds);
    let large = Guest::seed().more(&nested_loops(107, 200).repeat(2)).component();
    let scene = loading_in(isolated, &large).await;
    let refused = |server: &ApiServer| {
        is(server, "PolicyReady", "False", "PolicyRefused")
            && says(server, "PolicyReady", "the process that loads it takes more than 40 MiB of memory")
    };
    scene.becomes("it is refused", refused).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_gives_no_verdict_is_not_held_against_the_policy() {
    let isolated = Isolated::new("/bin/false", Bounds::default());
    let scene = loading_in(isolated, &Guest::seed().component()).await;
    let unavailable = |server: &ApiServer| {
        is(server, "PolicyReady", "False", "PolicyUnavailable")
            && says(server, "PolicyReady", "gave no verdict")
    };
    scene.becomes("it is told", unavailable).await;
}
