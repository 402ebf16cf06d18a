//! A claim that is being deleted while its member runs. The data is gone once the pod ends, so the hold comes before that.

use crate::draft::{Draft, Flow};
use crate::hold::Reason;

pub(crate) fn claims(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    for name in look.running() {
        let replica = look.seen.replicas.get(name);
        if replica.is_some_and(|replica| replica.claims.iter().any(|claim| claim.terminating)) {
            draft.hold_replica(name, Reason::ClaimTerminating(name.clone()), &[]);
        }
    }
    Flow::On
}

#[cfg(test)]
mod tests {
    use crate::fixture::{memory, name, record, running};
    use crate::hold::{Reason, Scope};
    use crate::{Observation, decide};

    /// The scopes of the holds for such claims.
    fn held(change: impl FnOnce(&mut Observation)) -> Vec<Scope> {
        let mut seen = running(3);
        change(&mut seen);
        let known = memory((0..3).map(|n| record(n).confirmed_in(1).open_start(&format!("a{n}"))));
        let plan = decide(&seen, &known);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
        let such = plan.holds.into_iter().filter(|hold| matches!(hold.reason, Reason::ClaimTerminating(_)));
        such.map(|hold| hold.scope).collect()
    }

    fn delete_claim(seen: &mut Observation, ordinal: u32) {
        seen.replicas.get_mut(&name(ordinal)).unwrap().claims[0].terminating = true;
    }

    #[test]
    fn a_claim_that_is_being_deleted_is_a_hold_while_its_member_runs() {
        assert_eq!(held(|_| {}), []);
        assert_eq!(held(|seen| delete_claim(seen, 1)), [Scope::Replica(name(1))]);
        let stopped = |seen: &mut Observation| {
            delete_claim(seen, 1);
            seen.pod_mut(1).status = crate::fixture::answer(1, 7);
        };
        assert_eq!(held(stopped), [], "the member does not run: other holds say what it waits for");
    }
}
