//! Each pod has claims of its own, made once its pod is there: what a pod that was never made would have left, nobody has.

use crate::draft::Draft;
use crate::plan::Step;

pub(crate) fn claim(draft: &mut Draft<'_>) {
    let seen = draft.look.seen;
    for (identity, pod) in seen.pods.iter().filter(|(_, pod)| !pod.leaving && pod.may_run()) {
        for template in &seen.target.claims {
            if !seen.claims.contains_key(&(identity.clone(), template.clone())) {
                let (identity, template) = (identity.clone(), template.clone());
                draft.plan.steps.push(Step::CreateClaim { identity, template, if_pod: pod.uid.clone() });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::decide;
    use crate::fixture::{healthy, identity, settled, words};
    use crate::observation::Life;

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
}
