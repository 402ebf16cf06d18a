//! Policies that behave while they are tried and turn on a set's own members, which they know by their names.

use operator::exec::Purpose;
use planner::observation::Command;

use super::kept;
use crate::guest::Guest;
use crate::policies::{from_config_map, holds, is, name, put};
use crate::scene::{Scene, status};
use crate::server::ApiServer;

/// Does this where the candidate is a member of a set, whose name begins with `rss-`.
fn turns(body: &str) -> Vec<u8> {
    let of_a_set = "(i32.eq (i32.load (i32.load (local.get $best))) (i32.const 0x2d737372))";
    Guest::seed().more(&kept("deeper")).body(&format!("(if {of_a_set} (then {body}))")).component()
}

/// What the set is told to wait for.
fn waits_because(server: &ApiServer, words: &str) -> bool {
    let status = status(server);
    let holds = status["holds"].as_array().into_iter().flatten();
    holds.filter(|hold| hold["reason"] == "NoSeedVerdict").any(|hold| hold.to_string().contains(words))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_that_turns_when_it_is_needed_gives_no_verdict_to_its_own_set_and_another_set_goes_on() {
    let cases = [
        ("a call that does not end", kept("endless"), "units of fuel"),
        ("calls that nest without end", kept("call-deeper"), "nested too deep"),
        ("memory without end", kept("grow"), "bytes of memory"),
        ("a trap", kept("trap"), "trapped"),
        ("a reason of 1 GiB", kept("reason-of-1-gib"), "malformed"),
        ("an empty name", kept("empty-name"), "none of those that were given"),
        ("a verdict that is none", kept("no-verdict"), "malformed"),
    ];
    for (sentence, body, words) in cases {
        let mut scene = Scene::new().await;
        put(&scene, "turncoat", &turns(&body));
        name(&scene, &from_config_map("turncoat"));
        scene.put_another_set();
        scene.begin();
        let seed = scene.begins(Command::Seed).await;
        assert_eq!(seed.call.container.pod.0, "rss-y-0", "{sentence}");
        scene
            .becomes(sentence, |server| holds(server, "NoSeedVerdict") && waits_because(server, words))
            .await;
        assert!(!scene.begun().contains(&Purpose::Guarded(Command::Seed)), "{sentence}: nothing else seeds");
        assert!(
            is(&scene.server, "PolicyReady", "True", "PolicyActive"),
            "{sentence}: it was fit when it was tried"
        );
    }
}
