//! Why containers of a pod do not run, in the words of whoever keeps them from that.

use k8s_openapi::api::core::v1::{ContainerStatus, Pod};

use super::pods::phase;

/// Reasons to wait that are part of every start and are nobody's trouble.
pub(super) const ORDINARY: [&str; 2] = ["ContainerCreating", "PodInitializing"];

/// Why these containers of a pod do not run: it ended, it has no node, or the first of them that waits for more than
/// every start does. Those that run before them count, too.
pub(crate) fn trouble<'a>(
    pod: &'a Pod,
    containers: impl IntoIterator<Item = &'a ContainerStatus>,
) -> Option<String> {
    said(pod, containers).map(|said| said.words())
}

/// The same, with the reason apart from the message.
pub(super) fn said<'a>(
    pod: &'a Pod,
    containers: impl IntoIterator<Item = &'a ContainerStatus>,
) -> Option<Said> {
    let status = pod.status.as_ref()?;
    if matches!(phase(pod), Some("Failed")) {
        return Some(Said::new(status.reason.as_deref().unwrap_or("Failed"), status.message.as_deref()));
    }
    let unscheduled = status.conditions.iter().flatten();
    let unscheduled = unscheduled.filter(|c| c.type_ == "PodScheduled" && c.status == "False");
    let unscheduled =
        unscheduled.map(|c| Said::new(c.reason.as_deref().unwrap_or("Pending"), c.message.as_deref()));
    let waiting = status.init_container_statuses.iter().flatten().chain(containers);
    let waiting = waiting.filter_map(|container| {
        let waiting = container.state.as_ref()?.waiting.as_ref()?;
        let reason = waiting.reason.as_deref().filter(|reason| !ORDINARY.contains(reason))?;
        Some(Said::new(reason, waiting.message.as_deref()))
    });
    unscheduled.chain(waiting).next()
}

/// What Kubernetes says of something that fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    /// One word, of Kubernetes' own.
    pub(super) reason: String,
    message: Option<String>,
}

// === impl Said ===

impl Said {
    pub(super) fn new(reason: &str, message: Option<&str>) -> Self {
        Self { reason: reason.to_owned(), message: message.map(str::to_owned) }
    }

    pub(super) fn words(&self) -> String {
        in_words(&self.reason, self.message.as_deref())
    }
}

/// A reason and a message of Kubernetes.
pub(crate) fn in_words(reason: &str, message: Option<&str>) -> String {
    message.filter(|m| !m.is_empty()).map_or_else(|| reason.to_owned(), |m| format!("{reason}: {m}"))
}

/// A status has room for what each pod says of itself.
pub(crate) const LONGEST: usize = 300;

/// The beginning of a text that somebody else wrote.
pub(crate) fn cut(mut words: String) -> String {
    words.truncate(words.floor_char_boundary(LONGEST));
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn waiting(name: &str, reason: &str) -> Value {
        json!({"name": name, "image": "", "imageID": "", "ready": false, "restartCount": 0,
            "state": {"waiting": {"reason": reason, "message": "back-off"}}})
    }

    #[test]
    fn trouble_is_told_in_the_words_of_whoever_makes_it() {
        let of = |reason: &str| json!({"phase": "Pending", "containerStatuses": [waiting("db", reason)]});
        for (sentence, status, expected) in [
            (
                "unschedulable",
                json!({"phase": "Pending", "conditions": [{"type": "PodScheduled", "status": "False",
                    "reason": "Unschedulable", "message": "0/3 nodes are available"}]}),
                Some("Unschedulable: 0/3 nodes are available"),
            ),
            ("an image that is not to be had", of("ImagePullBackOff"), Some("ImagePullBackOff: back-off")),
            ("a container being made", of("ContainerCreating"), None),
            (
                "one that runs before it",
                json!({"phase": "Pending", "initContainerStatuses": [waiting("first", "ErrImagePull")],
                    "containerStatuses": [waiting("db", "PodInitializing")]}),
                Some("ErrImagePull: back-off"),
            ),
            ("evicted", json!({"phase": "Failed", "reason": "Evicted"}), Some("Evicted")),
            ("well", json!({"phase": "Running"}), None),
        ] {
            let pod: Pod = serde_json::from_value(json!({"metadata": {}, "status": status})).unwrap();
            let containers = pod.status.iter().flat_map(|status| status.container_statuses.iter().flatten());
            assert_eq!(trouble(&pod, containers).as_deref(), expected, "{sentence}");
        }
    }
}
