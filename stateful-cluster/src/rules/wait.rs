//! Who is waited for, and for what.

use crate::draft::Draft;
use crate::hold::Hold;
use crate::look::{Look, is_well};
use crate::names::Identity;
use crate::observation::{Life, Pod};
use crate::plan::Step;
use crate::rules::bring_back::comes_back;

pub(crate) fn wait(draft: &mut Draft<'_>) {
    let look = &draft.look;
    let unknown = |identity: &&Identity| {
        let seen = look.seen;
        let known = seen.births.contains_key(*identity) || seen.pods.contains_key(*identity);
        !known && !is_made(&draft.plan.steps, identity)
    };
    let given = look.memory.given.keys().filter(unknown);
    let mut holds: Vec<_> = given.map(|identity| Hold::Unknown(identity.clone())).collect();
    let goes = |identity: &Identity, pod: &Pod| {
        look.goes(identity, pod).is_some() || comes_back(look, identity, pod)
    };
    let troubled = look.standing().filter(|(identity, pod)| !is_well(pod) && !goes(identity, pod));
    holds.extend(troubled.map(|(identity, pod)| reason(look, identity, pod)));
    holds.into_iter().for_each(|hold| draft.hold(hold));
}

/// Its pod is made in this very plan.
fn is_made(steps: &[Step], identity: &Identity) -> bool {
    steps.iter().any(|step| matches!(step, Step::CreatePod { identity: of, .. } if of == identity))
}

fn reason(look: &Look<'_>, identity: &Identity, pod: &Pod) -> Hold {
    let identity = identity.clone();
    match pod.life {
        _ if look.is_kept(&identity) && look.condemned(&identity, pod).is_some() => {
            Hold::Unreleased(identity)
        }
        _ if pod.is_unheard() => Hold::Unheard(identity),
        Life::Starting if look.lacks(&identity, pod) => Hold::ClaimRefused(identity),
        Life::Starting => Hold::Starting(identity),
        Life::Unready | Life::Available | Life::Ended => Hold::Unhealthy(identity),
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::decide;
    use crate::fixture::{healthy, identity, settled};
    use crate::hold::Hold;
    use crate::memory::Why;
    use crate::observation::{Birth, Life};

    #[test]
    fn each_who_is_waited_for_is_named() {
        let mut seen = healthy(4);
        (seen.pod(0).life, seen.pod(1).life) = (Life::Starting, Life::Unready);
        seen.gone(2);
        let mut memory = settled(4);
        memory.given.insert(identity(50), Why::Replacement);
        let holds = decide(&seen, &memory).holds;
        let expected =
            [Hold::Unknown(identity(50)), Hold::Starting(identity(0)), Hold::Unhealthy(identity(1))];
        assert_eq!(holds, expected);
        seen.births.insert(identity(50), Birth::Sent);
        assert!(!decide(&seen, &memory).holds.contains(&Hold::Unknown(identity(50))));
    }
}
