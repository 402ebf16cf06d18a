//! What `/readyz` waits for.

use std::time::Duration;

use operator::telemetry::Leader;

use crate::scene::Scene;

/// Everything that no set can be looked after without.
const NEEDED: [&str; 6] = [
    "replicatedstatefulsets",
    "statefulsets",
    "pods",
    "persistentvolumeclaims",
    "services",
    "poddisruptionbudgets",
];

#[tokio::test]
async fn an_operator_is_not_ready_before_everything_that_it_needs_was_listed() {
    for missing in NEEDED {
        let mut scene = Scene::new().await;
        scene.ready.leader(Leader::Known);
        scene.server.withhold(Some(missing));
        scene.begin();
        let rest = |plural: &&str| *plural != missing;
        scene
            .becomes("all others are listed", |server| {
                let watched = server.watched();
                NEEDED.iter().filter(|plural| rest(plural)).all(|plural| watched.contains(*plural))
            })
            .await;
        // There is one thread: whoever was woken by the last list has had its turn after this.
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        assert!(scene.ready.missing().is_some(), "ready without {missing}");
        scene.server.withhold(None);
        let ready = async {
            while scene.ready.missing().is_some() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(20), ready).await.expect("it is ready at last");
    }
}
