//! Commands in containers end as the API server in memory says: every story of the whole operator stands on that.

use std::time::Duration;

use anyhow::{Result, ensure};
use api_server::exec::{Refusal, refused};
use e2e::{Space, is_running, manifest, with_namespace};
use k8s_openapi::api::core::v1::{ContainerStatus, Pod};
use kube::api::PostParams;
use operator::exec::{Call, ContainerRef, Exec, LostReason, Outcome, PodExec, Purpose};
use operator::telemetry::Metrics;
use planner::names::ReplicaName;
use serde_json::{Value, from_value, json};

/// No container of the cluster needs as long.
const DEADLINE: Duration = Duration::from_secs(30);

async fn begin(space: &Space, name: &str, script: &str, spec: Value) -> Result<()> {
    let container = json!({"name": "c", "image": manifest::image("dummy:example"), "imagePullPolicy": "IfNotPresent",
        "command": ["sh", "-c", script]});
    let mut pod = json!({"metadata": {"name": name}, "spec": {"containers": [container], "restartPolicy": "Never",
        "terminationGracePeriodSeconds": 0}});
    for (key, value) in spec.as_object().into_iter().flatten() {
        pod["spec"][key] = value.clone();
    }
    let pod: Pod = from_value(pod)?;
    space.all().create(&PostParams::default(), &pod).await.map(drop).map_err(Into::into)
}

/// The state of its only container is this.
fn is(pod: &Pod, state: impl Fn(&ContainerStatus) -> bool) -> bool {
    let statuses = pod.status.as_ref().and_then(|status| status.container_statuses.as_ref());
    statuses.into_iter().flatten().any(state)
}

/// A pod in each state that a command can find it in.
async fn of_all_kinds(space: &Space) -> Result<()> {
    begin(space, "runs", "sleep 86400", json!({})).await?;
    begin(space, "ended", "exit 7", json!({})).await?;
    let missing = json!([{"name": "c", "image": "there.is/none:such", "imagePullPolicy": "Never"}]);
    begin(space, "waits", "", json!({"containers": missing})).await?;
    begin(space, "placeless", "", json!({"nodeSelector": {"rss.test/nowhere": "true"}})).await?;
    space.pod("runs").until("it runs", is_running).await?;
    let ended = |one: &ContainerStatus| one.state.as_ref().is_some_and(|state| state.terminated.is_some());
    space.pod("ended").until("it ended", |pod| is(pod, ended)).await?;
    let waits = |one: &ContainerStatus| {
        let waiting = one.state.as_ref().and_then(|state| state.waiting.as_ref());
        waiting.and_then(|waiting| waiting.reason.as_deref()) == Some("ErrImageNeverPull")
    };
    space.pod("waits").until("its image is not there", |pod| is(pod, waits)).await.map(drop)
}

/// How the operator's own client sees a command end, with its rights.
async fn run(space: &Space, pod: &str, container: &str, argv: &[&str]) -> Result<Outcome> {
    let exec = PodExec::new(space.clients_of_operator().await?.writes, Metrics::default());
    let pod = ReplicaName(pod.to_owned());
    let container = ContainerRef { namespace: space.name.clone(), pod, name: container.to_owned() };
    let argv = argv.iter().map(|&word| word.to_owned()).collect();
    Ok(exec.run(Call { container, argv, deadline: DEADLINE, purpose: Purpose::Shell }).await)
}

/// What the one in memory says of a pod that is as it is shown here.
async fn expected(space: &Space, pod: &str, container: &str) -> Result<Option<LostReason>> {
    let shown = space.all::<Pod>().get_opt(pod).await?.map(serde_json::to_value).transpose()?;
    Ok(match refused(shown.as_ref(), container) {
        None => None,
        Some(Refusal::Answered((_, status))) => {
            Some(LostReason::refused(&from_value(Value::clone(&status))?))
        }
        Some(Refusal::Streamed(why)) => Some(LostReason::NoExitStatus(why)),
    })
}

/// The reason without the words of a refusal: a server in memory need not have those of another version.
fn alike(reason: &LostReason) -> (&'static str, String) {
    match reason {
        LostReason::Refused(refused) => (reason.as_str(), refused.code.to_string()),
        other => (other.as_str(), other.to_string()),
    }
}

#[tokio::test]
async fn a_command_is_refused_and_ends_as_the_api_server_in_memory_says() -> Result<()> {
    with_namespace(async |space| {
        of_all_kinds(space).await?;
        for (pod, container) in ["runs", "ended", "waits", "placeless", "nobody"]
            .into_iter()
            .flat_map(|pod| [(pod, "c"), (pod, "d")])
        {
            let (said, told) =
                (expected(space, pod, container).await?, run(space, pod, container, &["true"]).await?);
            let lost = if let Outcome::Lost(reason) = &told { Some(reason.clone()) } else { None };
            let is_alike = lost.as_ref().map(alike) == said.as_ref().map(alike);
            ensure!(is_alike, "{container} of {pod}: {told:?}, and in memory {said:?}");
        }
        for code in [0, 1, 7, 120, 121, 122, 123, 124, 126, 127, 137, 255] {
            let told = run(space, "runs", "c", &["sh", "-c", &format!("exit {code}")]).await?;
            ensure!(matches!(&told, Outcome::Ended(output) if output.code == code), "exit {code}: {told:?}");
        }
        let killed = run(space, "runs", "c", &["sh", "-c", "kill -9 $$"]).await?;
        ensure!(matches!(&killed, Outcome::Ended(output) if output.code == 137), "{killed:?}");
        let none = run(space, "runs", "c", &["/no/such/program"]).await?;
        ensure!(!matches!(&none, Outcome::Ended(output) if output.code == 0), "{none:?}");
        Ok(())
    })
    .await
}
