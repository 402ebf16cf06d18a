//! Labels follow knowledge: clients select on them.

use crate::app_state::AppState;
use crate::draft::{Draft, Flow};
use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::{Pod, Role};
use crate::plan::Step;
use crate::recall::two_groups;

pub(crate) fn label(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    for (name, replica) in &look.seen.replicas {
        let Some(pod) = replica.pod.as_ref() else { continue };
        let Some((active, role)) = wanted(look, name, pod) else { continue };
        let differs = pod.active != Some(active) || role.is_some_and(|role| pod.role != Some(role));
        if differs {
            draft.step(Step::Label { replica: name.clone(), if_pod: pod.uid.clone(), active, role });
        }
    }
    Flow::On
}

/// What its pod should say; none = leave it as it is.
fn wanted(look: &Look<'_>, name: &ReplicaName, pod: &Pod) -> Option<(bool, Option<Role>)> {
    let serves = look.is_confirmed(name) && two_groups(look).is_none();
    match look.state(name) {
        AppState::Primary => Some((serves, Some(Role::Primary))),
        AppState::Secondary => Some((serves, Some(Role::Secondary))),
        AppState::Stopped | AppState::Failed(_) => Some((false, Some(Role::Stopped))),
        AppState::Down(_) => pod.active.filter(|active| *active).map(|_| (false, Some(Role::Stopped))),
        AppState::Unknown(_) => unknown(look, name, pod),
    }
}

/// Not hearing is our trouble before it is the clients': the label goes only when another member
/// serves or the node is not ready, and never the last one.
fn unknown(look: &Look<'_>, name: &ReplicaName, pod: &Pod) -> Option<(bool, Option<Role>)> {
    if pod.active != Some(true) {
        return None;
    }
    let serves = |other: &&ReplicaName| *other != name && look.is_confirmed(other);
    let other_serves = look.running().any(|other| serves(&other));
    let labelled =
        |replica: &crate::observation::Replica| replica.pod.as_ref().is_some_and(|p| p.active == Some(true));
    let others =
        look.seen.replicas.iter().filter(|(other, replica)| *other != name && labelled(replica)).count();
    let node_lost =
        pod.node.as_ref().and_then(|node| look.seen.nodes.get(node)).is_some_and(|node| !node.ready);
    (others > 0 && (other_serves || node_lost)).then_some((false, None))
}

#[cfg(test)]
mod tests {
    use crate::fixture::{memory, record, stopped_set};
    use crate::observation::{Role, Status};
    use crate::{Step, decide};

    fn labels(plan: &crate::Plan) -> Vec<(String, bool, Option<Role>)> {
        let label = |step: &Step| match step {
            Step::Label { replica, active, role, .. } => Some((replica.0.clone(), *active, *role)),
            _ => None,
        };
        plan.steps.iter().filter_map(label).collect()
    }

    #[test]
    fn a_confirmed_member_is_labelled_and_a_stopped_one_loses_its_label() {
        let mut seen = stopped_set(2).answers(0, 0);
        seen.pod_mut(1).active = Some(true);
        let known = memory([record(0).confirmed_in(1).open_start("a"), record(1).confirmed_in(1)]);
        let expected =
            [("x-0".to_owned(), true, Some(Role::Primary)), ("x-1".to_owned(), false, Some(Role::Stopped))];
        assert_eq!(labels(&decide(&seen, &known)), expected);
    }

    #[test]
    fn an_unheard_member_keeps_its_label_unless_another_serves() {
        let mut seen = stopped_set(2).answers(0, 0);
        for ordinal in 0..2 {
            seen.pod_mut(ordinal).active = Some(true);
            seen.pod_mut(ordinal).role = Some(Role::Primary);
        }
        seen.pod_mut(1).status = Status::Silent("lost".to_owned());
        let known = memory([0, 1].map(|n| record(n).confirmed_in(1).open_start("a")));
        assert_eq!(labels(&decide(&seen, &known)), [("x-1".to_owned(), false, None)], "another serves");
        seen.pod_mut(0).status = Status::Silent("lost".to_owned());
        assert_eq!(labels(&decide(&seen, &known)), [], "nobody was heard");
        let node = seen.pod_mut(1).node.clone().unwrap();
        seen.nodes.get_mut(&node).unwrap().ready = false;
        assert_eq!(
            labels(&decide(&seen, &known)),
            [("x-1".to_owned(), false, None)],
            "its node is not ready"
        );
        seen.pod_mut(0).active = Some(false);
        assert_eq!(labels(&decide(&seen, &known)), [], "never the last label");
    }
}
