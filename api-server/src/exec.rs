//! Why a command does not reach a container, as the API server tells it, or the kubelet through it.

use hyper::StatusCode;
use serde_json::{Value, json};

use crate::answer::{Answer, failure};

/// How it is told that a command was not run.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// In the place of a stream.
    Answered(Answer),
    /// At the end of a stream in which nothing was said, as what went wrong.
    Streamed(String),
}

/// The refusal of a command for a container of a pod that is as it is shown. None: it is run.
#[must_use]
pub fn refused(pod: Option<&Value>, container: &str) -> Option<Refusal> {
    let Some(pod) = pod else {
        let (code, body) = failure(StatusCode::NOT_FOUND, "NotFound");
        let mut body = Value::clone(&body);
        body["details"] = json!({"kind": "pods"});
        return Some(Refusal::Answered((code, body.into())));
    };
    let named = |list: &'static str, of: &'static str| {
        let mut list = pod[of][list].as_array().into_iter().flatten();
        list.find(|one| one["name"] == container)
    };
    // The API server itself knows where pods are placed, and what containers they have.
    let is_placed = pod["spec"]["nodeName"].as_str().is_some_and(|node| !node.is_empty());
    if named("containers", "spec").is_none() || !is_placed {
        return Some(Refusal::Answered(failure(StatusCode::BAD_REQUEST, "BadRequest")));
    }
    // What runs its kubelet knows, who is asked once the stream is open.
    let runs = named("containerStatuses", "status").is_some_and(|one| one["state"]["running"].is_object());
    let why = format!(
        "Internal error occurred: unable to upgrade connection: container not found (\"{container}\")"
    );
    (!runs).then_some(Refusal::Streamed(why))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_run_is_told_in_the_stream_and_what_is_not_there_before_it() {
        let pod = |node: &str, state: Value| {
            json!({"spec": {"nodeName": node, "containers": [{"name": "c"}]},
                "status": {"containerStatuses": [{"name": "c", "state": state}]}})
        };
        let told = |pod: Option<Value>, container: &str| match refused(pod.as_ref(), container) {
            None => 0,
            Some(Refusal::Answered((code, _))) => code.as_u16(),
            Some(Refusal::Streamed(_)) => 1,
        };
        let (runs, ended) = (json!({"running": {}}), json!({"terminated": {"exitCode": 0}}));
        for (pod, container, expected) in [
            (None, "c", 404),
            (Some(pod("n", runs.clone())), "c", 0),
            (Some(pod("n", runs.clone())), "d", 400),
            (Some(pod("", runs)), "c", 400),
            (Some(pod("n", ended)), "c", 1),
            (Some(pod("n", json!({"waiting": {"reason": "ErrImageNeverPull"}}))), "c", 1),
        ] {
            assert_eq!(told(pod, container), expected);
        }
    }
}
