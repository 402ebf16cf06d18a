//! Whom services find: whoever is asked for by its labels, and nobody who ends where nothing is heard of it.

use crate::draft::Draft;
use crate::plan::Step;

/// Who was told to end, by whomever, may serve on for as long as its node is silent: services that publish who is not
/// ready would lead to it.
pub(crate) fn withdraw(draft: &mut Draft<'_>) {
    for (identity, pod) in &draft.look.seen.pods {
        let is_lost = pod.leaving && pod.is_unheard() && pod.may_run();
        if is_lost && pod.labelled && !draft.look.is_kept(identity) {
            draft.step(Step::SetAside { identity: identity.clone(), if_pod: pod.uid.clone() });
        }
    }
}

/// Whoever is heard of again has its labels again, whatever template it has and whoever brings those.
pub(crate) fn restore(draft: &mut Draft<'_>) {
    for (identity, pod) in &draft.look.seen.pods {
        if !pod.labelled && !pod.leaving && !pod.is_unheard() && pod.may_run() {
            let (identity, if_pod, to) = (identity.clone(), pod.uid.clone(), pod.revision.clone());
            draft.step(Step::Update { identity, if_pod, to });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::decide;
    use crate::fixture::{healthy, revision, settled, words};
    use crate::observation::{Life, Node};
    use crate::target::Update;

    #[test]
    fn who_was_told_to_end_on_a_node_that_is_silent_is_found_by_no_service() {
        let mut seen = healthy(3);
        (seen.pod(1).leaving, seen.pod(1).node) = (true, Node::Silent);
        let steps = words(&decide(&seen, &settled(3)).steps);
        assert_eq!(steps, ["set db-1 aside", "create for Replacement from a"]);
        seen.any_heard = false;
        assert_eq!(
            words(&decide(&seen, &settled(3)).steps)[0],
            "set db-1 aside",
            "nobody is given up by that"
        );
        seen.release(&[]);
        assert_eq!(words(&decide(&seen, &settled(3)).steps), [""; 0], "its owner has a say in it");
        seen.release(&[1]);
        assert_eq!(words(&decide(&seen, &settled(3)).steps)[0], "set db-1 aside");
        (seen.pod(1).labelled, seen.target.released) = (false, None);
        assert_eq!(words(&decide(&seen, &settled(3)).steps), ["create for Replacement from a"]);
        (seen.pod(1).labelled, seen.pod(1).node) = (true, Node::Heard);
        assert_eq!(
            words(&decide(&seen, &settled(3)).steps),
            ["create for Replacement from a"],
            "it is heard"
        );
        (seen.pod(1).life, seen.pod(1).node) = (Life::Ended, Node::Silent);
        assert_eq!(words(&decide(&seen, &settled(3)).steps), ["create for Replacement from a"], "it is over");
    }

    #[test]
    fn who_is_heard_of_again_has_its_labels_again_whoever_decides_and_whatever_is_brought_out() {
        let mut seen = healthy(3);
        (seen.pod(0).labelled, seen.pod(1).labelled) = (false, false);
        seen.target.revision = revision("b", "2");
        seen.target.update = Update::OnDelete;
        let both = ["update db-0 to a1", "update db-1 to a1"];
        assert_eq!(words(&decide(&seen, &settled(3)).steps), both);
        seen.release(&[]);
        assert_eq!(words(&decide(&seen, &settled(3)).steps), both);
        (seen.pod(0).node, seen.pod(1).life) = (Node::Silent, Life::Ended);
        assert_eq!(words(&decide(&seen, &settled(3)).steps), [""; 0], "one is not heard of, and one is over");
    }
}
