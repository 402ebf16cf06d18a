//! Where identities are given once, places that nobody has: whoever makes pods bounds how many others come, and says itself
//! what keeps it.

use crate::draft::{Draft, Flow};
use crate::hold::Reason;
use crate::places::standing;

pub(crate) fn vacant(draft: &mut Draft<'_>) -> Flow {
    let (look, wanted) = (draft.look, draft.look.target().replicas);
    let open = wanted.saturating_sub(standing(look));
    if !look.is_numbered() && open > 0 {
        draft.hold(Reason::PlacesOpen { open, wanted }, &[]);
    }
    Flow::On
}

#[cfg(test)]
mod tests {
    use crate::fixture::name;
    use crate::hold::Reason;
    use crate::recall::loss::tests::{Change, stranded};
    use crate::target::Identities;
    use crate::{audit, decide};

    #[test]
    fn places_that_nobody_has_are_told_until_whoever_makes_pods_gave_them_to_others() {
        let cases: [(&str, Change, u32); 6] = [
            ("each has its place", |_, _| {}, 0),
            (
                "one was given up, and its pod is still there",
                |seen, _| {
                    seen.workload.as_mut().unwrap().released.insert(name(2));
                },
                1,
            ),
            (
                "one was given up, and another has no pod and no claim",
                |seen, _| {
                    seen.workload.as_mut().unwrap().released.insert(name(2));
                    seen.replicas.remove(&name(1));
                },
                2,
            ),
            (
                "one was given up, and is too many",
                |seen, _| {
                    let workload = seen.workload.as_mut().unwrap();
                    workload.released.insert(name(2));
                    (workload.replicas, seen.target.replicas, seen.target.primaries) = (2, 2, 2);
                },
                0,
            ),
            (
                "another size is under way",
                |seen, _| {
                    let workload = seen.workload.as_mut().unwrap();
                    workload.released.insert(name(2));
                    workload.replicas = 2;
                },
                0,
            ),
            (
                "they have numbers",
                |seen, _| {
                    seen.target.identities = Identities::Numbered;
                    seen.replicas.remove(&name(2));
                },
                0,
            ),
        ];
        for (sentence, change, open) in cases {
            let (mut seen, mut known) = stranded(|_, _| {});
            change(&mut seen, &mut known);
            let plan = decide(&seen, &known);
            assert_eq!(audit(&seen, &known, &plan), Ok(()), "{sentence}");
            let told = plan.holds.iter().find_map(|hold| match hold.reason {
                Reason::PlacesOpen { open, wanted } => {
                    assert_eq!(wanted, seen.target.replicas, "{sentence}");
                    Some(open)
                }
                _ => None,
            });
            assert_eq!(told.unwrap_or(0), open, "{sentence}: {:?} {:?}", plan.steps, plan.holds);
        }
    }
}
