//! A hold in words, with what pods and templates themselves tell of it.

use k8s_openapi::api::core::v1::PodTemplateSpec;
use stateful_cluster::Hold;
use stateful_cluster::names::Identity;
use stateful_cluster::target::Revision;

use super::Told;
use crate::api::HoldStatus;
use crate::cluster::{pods, revisions, words};

impl Told<'_> {
    /// A hold for people.
    pub(in crate::cluster) fn sentence(&self, hold: &Hold) -> String {
        let Hold::TakenBack { revision, by } = hold else {
            let known = match hold {
                Hold::BudgetSpent { .. } => self.next.map(|at| at.to_string()),
                _ => words::pod(hold).and_then(|identity| self.why(identity)),
            };
            return words::sentence(hold, &self.wanted.name, known.as_deref());
        };
        // Pods that failed are gone, or well, in later looks: what was said of them stays.
        let told_before =
            || self.known(hold).filter(|_| by.is_empty()).and_then(|known| known.message.clone());
        told_before().unwrap_or_else(|| self.taken_back(hold, revision, by))
    }

    /// The same hold, as the status before tells it.
    pub(in crate::cluster) fn known(&self, hold: &Hold) -> Option<&HoldStatus> {
        let (reason, blocker) = (words::word(hold), words::blocker(hold, &self.wanted.name));
        self.previous.holds.iter().find(|known| known.reason == reason && known.blocker == blocker)
    }

    fn taken_back(&self, hold: &Hold, failed: &Revision, by: &[Identity]) -> String {
        let of_pod = |pod: &Identity| match self.why(pod) {
            Some(why) => format!("{pod}: {why}"),
            None => format!("{pod} was not available"),
        };
        let is_refused = by.is_empty() && self.seen.rejected.contains(failed);
        let refused =
            is_refused.then(|| "the API server refused its pods: event StepFailed says why".to_owned());
        let why: Vec<_> = by.iter().map(of_pod).chain(refused).collect();
        let why = Some(why.join("; ")).filter(|why| !why.is_empty());
        let said = words::sentence(hold, &self.wanted.name, why.as_deref());
        let of = |revision| revisions::template(self.wanted, self.objects, revision);
        let former = self.plan.memory.proven.as_ref().and_then(of);
        match former.zip(of(failed)).map(|(former, failed)| images(&former, &failed)) {
            Some(differ) if !differ.is_empty() => format!("{said} ({})", differ.join(", ")),
            _ => said,
        }
    }

    /// Why a pod does not run, where it says so itself.
    fn why(&self, identity: &Identity) -> Option<String> {
        pods::trouble(self.objects.pods.get(identity)?)
    }
}

/// Images that a template has and the former one has not, by their containers.
fn images(former: &PodTemplateSpec, now: &PodTemplateSpec) -> Vec<String> {
    let containers = |template: &PodTemplateSpec| -> Vec<_> {
        let spec = template.spec.iter();
        let all = spec.flat_map(|spec| spec.init_containers.iter().flatten().chain(&spec.containers));
        all.map(|container| (container.name.clone(), container.image.clone().unwrap_or_default())).collect()
    };
    let before = containers(former);
    let new = containers(now).into_iter().filter(|container| !before.contains(container));
    new.map(|(name, image)| format!("image of {name}: {image}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::target::fixture::template_of as of;

    #[test]
    fn an_image_that_is_new_is_named_and_nothing_else_is() {
        let former = of("db:1", "x", "run");
        assert_eq!(images(&former, &of("db:2", "x", "run")), ["image of db: db:2"]);
        assert_eq!(images(&former, &of("db:1", "y", "walk")), [""; 0]);
    }
}
