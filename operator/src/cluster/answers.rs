//! What this process knows of the pods and claims that it asked for. Of a request without an answer it knows nothing.

use std::collections::{BTreeMap, BTreeSet};

use stateful_cluster::Memory;
use stateful_cluster::names::{ClaimTemplate, Identity};
use stateful_cluster::observation::Birth;
use stateful_cluster::target::Revision;

/// Answers to requests that make pods and claims.
#[derive(Debug, Default)]
pub(super) struct Answers {
    pub(super) births: Births,
    pub(super) refusals: Refusals,
    pub(super) rejections: Rejections,
}

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

    /// The server made the pod, or has it.
    pub(super) fn granted(&mut self, identity: &Identity) {
        self.0.insert(identity.clone(), Birth::Sent);
    }

    /// There was no such pod and will be none: it was refused, or never sent.
    pub(super) fn refused(&mut self, identity: &Identity) {
        self.0.insert(identity.clone(), Birth::Refused);
    }

    /// The server has no such pod now. One that it made before is gone; of others this says nothing.
    pub(super) fn missing(&mut self, identity: &Identity) {
        if let Some(birth @ Birth::Sent) = self.0.get_mut(identity) {
            *birth = Birth::Gone;
        }
    }
}

/// Claims that were refused, and not for a moment.
#[derive(Debug, Default)]
pub(super) struct Refusals(BTreeSet<(Identity, ClaimTemplate)>);

// === impl Refusals ===

impl Refusals {
    /// Those of pods that are there; the others are forgotten.
    pub(super) fn known(
        &mut self,
        is_there: impl Fn(&Identity) -> bool,
    ) -> BTreeSet<(Identity, ClaimTemplate)> {
        self.0.retain(|(identity, _)| is_there(identity));
        self.0.clone()
    }

    /// What was said to the request for a claim.
    pub(super) fn heard(
        &mut self,
        identity: &Identity,
        template: &ClaimTemplate,
        answer: &kube::Result<bool>,
    ) {
        let claim = (identity.clone(), template.clone());
        match answer {
            Ok(_) => drop(self.0.remove(&claim)),
            Err(error) if is_for_good(error) => drop(self.0.insert(claim)),
            Err(_) => {}
        }
    }
}

/// Templates of which pods were refused, and not for a moment.
#[derive(Debug, Default)]
pub(super) struct Rejections(BTreeSet<Revision>);

// === impl Rejections ===

impl Rejections {
    /// Those of templates that are kept; the others are forgotten.
    pub(super) fn known(&mut self, is_kept: impl Fn(&Revision) -> bool) -> BTreeSet<Revision> {
        self.0.retain(is_kept);
        self.0.clone()
    }

    /// What was said to the request for a pod of a template, or to write it into one.
    pub(super) fn heard<T>(&mut self, revision: &Revision, answer: &kube::Result<T>) {
        match answer {
            Ok(_) => drop(self.0.remove(revision)),
            Err(error) if is_for_good(error) => drop(self.0.insert(revision.clone())),
            Err(_) => {}
        }
    }
}

/// As long as nobody changes a quota, a webhook or the template: no conflict, and not only too many requests.
fn is_for_good(error: &kube::Error) -> bool {
    is_refused(error) && !matches!(error, kube::Error::Api(status) if matches!(status.code, 409 | 429))
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
        births.refused(&"b".into());
        births.missing(&"b".into());
        let gone = [("a".into(), Birth::Gone), ("b".into(), Birth::Refused)].into();
        assert_eq!(births.known(&memory(&["a", "b"])), gone, "who was refused never was");
        assert!(births.known(&memory(&[])).is_empty(), "what shows itself is forgotten");
    }

    fn answer(code: u16) -> kube::Error {
        let status = json!({"message": "", "reason": "", "code": code});
        kube::Error::Api(serde_json::from_value(status).unwrap())
    }

    #[test]
    fn a_silent_or_failing_server_may_still_have_made_it() {
        assert_eq!(
            [403, 409, 429, 408, 500, 504].map(|code| is_refused(&answer(code))),
            [true, true, true, false, false, false]
        );
    }

    #[test]
    fn a_claim_is_refused_by_who_decided_and_until_it_is_made_or_its_pod_is_gone() {
        let mut refusals = Refusals::default();
        let (pod, claim) = (Identity::from("a"), ClaimTemplate::from("data"));
        for code in [408, 409, 429, 500, 504] {
            refusals.heard(&pod, &claim, &Err(answer(code)));
            assert!(refusals.known(|_| true).is_empty(), "{code}");
        }
        let refused = BTreeSet::from([(pod.clone(), claim.clone())]);
        for code in [403, 422] {
            refusals.heard(&pod, &claim, &Err(answer(code)));
            refusals.heard(&pod, &claim, &Err(answer(500)));
            assert_eq!(refusals.known(|_| true), refused, "{code}: a failure in between says nothing");
            refusals.heard(&pod, &claim, &Ok(true));
            assert!(refusals.known(|_| true).is_empty(), "{code}");
        }
        refusals.heard(&pod, &claim, &Err(answer(403)));
        assert!(refusals.known(|_| false).is_empty());
        assert!(refusals.known(|_| true).is_empty(), "another pod of the name is another one");
    }

    #[test]
    fn a_template_is_rejected_by_who_decided_and_until_a_pod_has_it_or_nobody_wants_it() {
        let (mut rejections, revision) = (Rejections::default(), Revision::default());
        for code in [408, 409, 429, 500, 504] {
            rejections.heard::<()>(&revision, &Err(answer(code)));
            assert!(rejections.known(|_| true).is_empty(), "{code}");
        }
        for code in [403, 422] {
            rejections.heard::<()>(&revision, &Err(answer(code)));
            rejections.heard::<()>(&revision, &Err(answer(500)));
            assert_eq!(rejections.known(|_| true), [revision.clone()].into(), "{code}");
            rejections.heard(&revision, &Ok(()));
            assert!(rejections.known(|_| true).is_empty(), "{code}");
        }
        rejections.heard::<()>(&revision, &Err(answer(403)));
        assert!(rejections.known(|_| false).is_empty());
    }
}
