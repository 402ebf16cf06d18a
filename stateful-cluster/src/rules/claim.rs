//! Each pod has claims of its own, made once its pod is there: what a pod that was never made would have left, nobody has.

use crate::draft::Draft;
use crate::hold::Hold;
use crate::names::{ClaimTemplate, Identity};
use crate::observation::{Observation, Pod};
use crate::plan::Step;

/// Before anything else is done about a pod. What was refused waits for its turn: it would keep the pod from going.
pub(crate) fn claim(draft: &mut Draft<'_>) {
    for (identity, pod, template) in lacking(draft.look.seen) {
        if !is_refused(draft.look.seen, identity, template) {
            draft.plan.steps.push(make(identity, pod, template));
        }
    }
}

/// What was refused is asked for again, unless something else is done about its pod.
pub(crate) fn ask_again(draft: &mut Draft<'_>) {
    for (identity, pod, template) in lacking(draft.look.seen) {
        let is_other = |step: &Step| step.identity() == identity && !matches!(step, Step::CreateClaim { .. });
        if is_refused(draft.look.seen, identity, template) && !draft.plan.steps.iter().any(is_other) {
            draft.plan.steps.push(make(identity, pod, template));
            draft.hold(Hold::ClaimRefused(identity.clone()));
        }
    }
}

/// Claims that there are not, of pods that stand.
fn lacking(seen: &Observation) -> impl Iterator<Item = (&Identity, &Pod, &ClaimTemplate)> {
    let pods = seen.pods.iter().filter(|(_, pod)| !pod.leaving && pod.may_run());
    let all = pods.flat_map(|(identity, pod)| seen.target.claims.iter().map(move |of| (identity, pod, of)));
    all.filter(|(identity, _, of)| !seen.claims.contains_key(&((*identity).clone(), (*of).clone())))
}

fn is_refused(seen: &Observation, identity: &Identity, template: &ClaimTemplate) -> bool {
    seen.refused.contains(&(identity.clone(), template.clone()))
}

fn make(identity: &Identity, pod: &Pod, template: &ClaimTemplate) -> Step {
    let (identity, template) = (identity.clone(), template.clone());
    Step::CreateClaim { identity, template, if_pod: pod.uid.clone() }
}

#[cfg(test)]
mod tests {
    use crate::fixture::decide;
    use crate::fixture::{healthy, identity, revision, settled, uid, words};
    use crate::hold::Hold;
    use crate::observation::Life;
    use crate::timer::Timer;
    use crate::timers;

    #[test]
    fn a_pod_that_is_seen_is_given_the_claims_that_it_lacks() {
        let mut seen = healthy(2);
        seen.claims.remove(&(identity(1), "data".into()));
        seen.target.claims.push("logs".into());
        let steps = decide(&seen, &settled(2)).steps;
        assert_eq!(words(&steps), ["claim logs of db-0", "claim data of db-1", "claim logs of db-1"]);
    }

    #[test]
    fn a_pod_that_ends_is_given_none() {
        let mut seen = healthy(2);
        seen.claims.clear();
        (seen.pod(0).leaving, seen.pod(1).life) = (true, Life::Ended);
        let steps = decide(&seen, &settled(2)).steps;
        assert!(words(&steps).iter().all(|word| !word.starts_with("claim")), "{steps:?}");
    }

    #[test]
    fn a_claim_that_was_refused_is_asked_for_again_and_its_pod_is_no_worse_than_another_would_be() {
        let mut seen = healthy(2);
        seen.target.replicas = 3;
        seen.refuse(2);
        assert!(timers(&seen, &settled(3)).is_empty(), "how long it waits is not measured");
        seen.ripen(Timer::Unhealthy(uid(2)));
        let plan = decide(&seen, &settled(3));
        assert_eq!(words(&plan.steps), ["claim data of db-2"]);
        assert_eq!(plan.holds, [Hold::ClaimRefused(identity(2))]);
    }

    #[test]
    fn a_pod_whose_claim_was_refused_goes_as_surplus_as_ended_or_as_its_owner_says() {
        let mut seen = healthy(2);
        seen.refuse(2);
        assert_eq!(words(&decide(&seen, &settled(3)).steps), ["delete db-2: Size"]);
        seen.target.replicas = 3;
        seen.pod(2).life = Life::Ended;
        assert_eq!(words(&decide(&seen, &settled(3)).steps), ["delete db-2: Ended"]);
        seen.pod(2).life = Life::Starting;
        seen.release(&[2]);
        assert_eq!(words(&decide(&seen, &settled(3)).steps), ["delete db-2: Released"]);
    }

    #[test]
    fn a_template_whose_claims_are_refused_is_taken_back_with_the_pod_that_has_it() {
        let mut seen = healthy(2);
        seen.target.revision = revision("b", "1");
        seen.refuse(5);
        seen.pod(5).revision = revision("b", "1");
        assert_eq!(words(&decide(&seen, &settled(2)).steps), ["claim data of db-5"]);
        seen.ripen(Timer::Stuck(revision("b", "1")));
        assert_eq!(words(&decide(&seen, &settled(2)).steps), ["delete db-5: Size"]);
    }

    #[test]
    fn a_pod_that_runs_without_its_claim_is_replaced_if_it_is_not_healthy() {
        let mut seen = healthy(3);
        seen.refuse(1);
        seen.pod(1).life = Life::Unready;
        seen.ripen(Timer::Unhealthy(uid(1)));
        assert_eq!(words(&decide(&seen, &settled(3)).steps), ["delete db-1: Unhealthy"]);
    }
}
