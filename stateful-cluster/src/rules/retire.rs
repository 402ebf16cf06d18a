//! Claims of a pod that is gone follow the retention policy; nobody else ever mounts them.

use crate::draft::Draft;
use crate::plan::Step;
use crate::target::Retention;

pub(crate) fn retire(draft: &mut Draft<'_>) {
    let seen = draft.look.seen;
    if seen.target.when_removed == Retention::Retain {
        return;
    }
    for ((identity, template), claim) in &seen.claims {
        let may_come = seen.pods.contains_key(identity) || draft.look.memory.given.contains_key(identity);
        if !may_come && !draft.look.is_kept(identity) && claim.mounted_by.is_empty() && !claim.leaving {
            let (identity, template) = (identity.clone(), template.clone());
            draft.plan.steps.push(Step::DeleteClaim { identity, template, if_claim: claim.uid.clone() });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::decide;
    use crate::fixture::{healthy, identity, settled, words};
    use crate::memory::Why;
    use crate::target::Retention;

    #[test]
    fn claims_of_who_is_gone_are_kept_or_deleted_as_the_resource_says() {
        let mut seen = healthy(3);
        seen.target.replicas = 2;
        seen.gone(1);
        assert_eq!(words(&decide(&seen, &settled(2)).steps), [""; 0]);
        seen.target.when_removed = Retention::Delete;
        assert_eq!(words(&decide(&seen, &settled(2)).steps), ["delete data of db-1"]);
    }

    #[test]
    fn a_claim_that_anybody_mounts_or_may_mount_stays() {
        let mut seen = healthy(3);
        seen.target.replicas = 2;
        seen.target.when_removed = Retention::Delete;
        seen.gone(1);
        let key = (identity(1), "data".into());
        seen.claims.get_mut(&key).unwrap().mounted_by.insert("backup".into());
        assert_eq!(words(&decide(&seen, &settled(2)).steps), [""; 0], "somebody reads it");
        seen.claims.get_mut(&key).unwrap().mounted_by.clear();
        let mut memory = settled(2);
        memory.given.insert(identity(1), Why::Growth);
        assert_eq!(words(&decide(&seen, &memory).steps), [""; 0], "its pod may come");
    }

    #[test]
    fn a_claim_that_its_owner_has_not_given_up_stays() {
        let mut seen = healthy(3);
        seen.target.when_removed = Retention::Delete;
        seen.gone(1);
        seen.release(&[]);
        assert_eq!(words(&decide(&seen, &settled(3)).steps), ["create for Return from a"]);
        seen.release(&[1]);
        let steps = words(&decide(&seen, &settled(3)).steps);
        assert_eq!(steps, ["create for Replacement from a", "delete data of db-1"]);
    }
}
