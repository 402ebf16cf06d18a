//! What is beside a set: other sets, what others write on it, and what is nobody's business here.

use planner::observation::Command;
use serde_json::{Value, json};

use crate::scene::{Scene, condition, pod, status};
use crate::server::ApiServer;

/// How many sets there are beside the one that hangs.
const OTHERS: usize = 499;

fn is_ready(server: &ApiServer) -> bool {
    condition(server, "Ready")["status"] == "True"
}

/// What a set waits for, each as its reason and who stands in the way.
fn waits_for(server: &ApiServer) -> Vec<(String, String)> {
    let holds = status(server)["holds"].as_array().cloned().unwrap_or_default();
    let text = |hold: &Value, field: &str| hold[field].as_str().unwrap_or_default().to_owned();
    holds.iter().map(|hold| (text(hold, "reason"), text(hold, "blocker"))).collect()
}

#[tokio::test]
async fn a_set_whose_commands_never_end_keeps_no_other_waiting_and_says_whom_it_waits_for() {
    let mut scene = Scene::new().await;
    scene.falls_silent("rss-x-0");
    (1..=OTHERS).for_each(|number| scene.put_set(&format!("s{number}"), number));
    scene.begin();
    let serves = |server: &ApiServer, number: usize| {
        let set = server.get("replicatedstatefulsets", &format!("s{number}"));
        set.is_some_and(|set| set["status"]["ready"] == "1/1")
    };
    for number in 1..=OTHERS {
        scene.becomes(&format!("s{number} serves"), |server| serves(server, number)).await;
    }
    let unheard = ("Unheard".to_owned(), "rss-x-0".to_owned());
    scene.becomes("it names its member", |server| waits_for(server).contains(&unheard)).await;
}

#[tokio::test]
async fn what_others_write_on_a_set_stays_and_its_status_is_written_apart_and_on_the_version_that_was_seen() {
    let mut scene = Scene::new().await;
    scene.begin();
    scene.begins(Command::Read).await;
    scene.server.change("replicatedstatefulsets", "x", |set| {
        set["metadata"]["labels"] = json!({"team": "b"});
        set["spec"]["reconcileInterval"] = json!("3s");
    });
    scene.becomes("it is ready", is_ready).await;
    let writes = scene.server.writes().into_iter().filter(|write| write.plural == "replicatedstatefulsets");
    for write in writes {
        assert_eq!((write.verb, write.name.as_str()), ("replace", "x/status"));
        assert!(write.body["metadata"]["resourceVersion"].is_string(), "{}", write.body);
        assert_eq!(write.body["metadata"]["uid"], "set");
    }
    let set = scene.server.get("replicatedstatefulsets", "x").expect("it is there");
    assert_eq!(set["metadata"]["labels"], json!({"team": "b"}));
    assert_eq!(set["spec"]["reconcileInterval"], "3s");
}

#[tokio::test]
async fn pods_without_the_label_and_all_secrets_are_never_listed() {
    let mut scene = Scene::new().await;
    let mut unlabelled = pod();
    unlabelled["metadata"]["name"] = json!("rss-x-1");
    unlabelled["metadata"]["uid"] = json!("p1");
    unlabelled["metadata"]["labels"] = json!({"app": "x"});
    scene.server.put("/api/v1/namespaces/shop/pods/rss-x-1", unlabelled);
    scene.begin();
    scene.becomes("it is ready", is_ready).await;
    let seen = status(&scene.server)["replicaStates"].as_array().map(Vec::len);
    assert_eq!(seen, Some(1), "by its name alone it would be the second member");
    let asked: Vec<String> = scene.server.listed().into_iter().chain(scene.server.watched()).collect();
    assert!(asked.contains(&"pods".to_owned()));
    assert!(!asked.contains(&"secrets".to_owned()), "{asked:?}");
}
