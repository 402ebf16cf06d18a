//! What this process knows of the pods that it asked for. Of a request without an answer it knows nothing.

use std::collections::BTreeMap;

use stateful_cluster::Memory;
use stateful_cluster::names::Identity;
use stateful_cluster::observation::Birth;

/// Answers to requests that make pods.
#[derive(Debug, Default)]
pub(super) struct Births(BTreeMap<Identity, Birth>);

// === impl Births ===

impl Births {
    /// What is known of identities that were given and did not show themselves; the others are forgotten.
    pub(super) fn known(&mut self, memory: &Memory) -> BTreeMap<Identity, Birth> {
        self.0.retain(|identity, _| memory.given.contains_key(identity));
        self.0.clone()
    }

    /// The server made the pod.
    pub(super) fn granted(&mut self, identity: &Identity) {
        self.0.insert(identity.clone(), Birth::Sent);
    }

    /// There is no such pod and will be none: it was refused, or never sent.
    pub(super) fn over(&mut self, identity: &Identity) {
        self.0.insert(identity.clone(), Birth::Over);
    }

    /// The server has no such pod now. One that it made before is gone; of others this says nothing.
    pub(super) fn missing(&mut self, identity: &Identity) {
        if self.0.contains_key(identity) {
            self.over(identity);
        }
    }
}

/// The server has decided, and no pod will come of it. Of any other answer that may still be so.
pub(super) fn is_refused(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if (400..500).contains(&status.code) && status.code != 408)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use stateful_cluster::memory::Why;

    #[test]
    fn a_pod_is_over_only_where_its_answer_was_heard() {
        let mut births = Births::default();
        let memory = |names: &[&str]| Memory {
            given: names.iter().map(|name| (Identity::from(*name), Why::Growth)).collect(),
            ..Memory::default()
        };
        births.granted(&"a".into());
        births.missing(&"b".into());
        assert_eq!(births.known(&memory(&["a", "b"])), [("a".into(), Birth::Sent)].into());
        births.missing(&"a".into());
        assert_eq!(births.known(&memory(&["a", "b"])), [("a".into(), Birth::Over)].into());
        assert!(births.known(&memory(&["b"])).is_empty(), "what shows itself is forgotten");
    }

    #[test]
    fn a_silent_or_failing_server_may_still_have_made_it() {
        let answer = |code: u16| {
            let status = json!({"message": "", "reason": "", "code": code});
            kube::Error::Api(serde_json::from_value(status).unwrap())
        };
        assert_eq!(
            [403, 409, 429, 408, 500, 504].map(|code| is_refused(&answer(code))),
            [true, true, true, false, false, false]
        );
    }
}
