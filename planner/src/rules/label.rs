//! Labels follow knowledge: clients select on them.

use crate::app_state::AppState;
use crate::draft::{Draft, Flow};
use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::{Pod, Replica, Role};
use crate::plan::Step;
use crate::recall::two_groups;
use crate::timer::Timer;

pub(crate) fn label(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    let mut wishes: Vec<Wish<'_>> =
        look.seen.replicas.iter().filter_map(|(name, r)| wish(look, name, r)).collect();
    keep_one(look, &mut wishes);
    for Wish { name, pod, active, role } in wishes {
        let differs = pod.active != Some(active) || role.is_some_and(|role| pod.role != Some(role));
        if differs {
            draft.step(Step::Label { replica: name.clone(), if_pod: pod.uid.clone(), active, role });
        }
    }
    Flow::On
}

/// What a pod should say.
struct Wish<'a> {
    name: &'a ReplicaName,
    pod: &'a Pod,
    active: bool,
    role: Option<Role>,
}

fn wish<'a>(look: &Look<'a>, name: &'a ReplicaName, replica: &'a Replica) -> Option<Wish<'a>> {
    let pod = replica.pod.as_ref()?;
    let (active, role) = wanted(look, name, pod)?;
    Some(Wish { name, pod, active, role })
}

/// If every label that is left belongs to a member that nothing is heard of, one of them stays.
fn keep_one(look: &Look<'_>, wishes: &mut Vec<Wish<'_>>) {
    let withdrawn =
        |wishes: &[Wish<'_>], name: &ReplicaName| wishes.iter().any(|w| w.name == name && !w.active);
    let stays = look.seen.replicas.keys().any(|name| look.is_labelled(name) && !withdrawn(wishes, name));
    if stays {
        return;
    }
    let unheard = |wish: &Wish<'_>| matches!(look.state(wish.name), AppState::Unknown(_));
    if let Some(first) = wishes.iter().position(unheard) {
        wishes.remove(first);
    }
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
/// serves or the node is not ready, and not for one slow answer.
fn unknown(look: &Look<'_>, name: &ReplicaName, pod: &Pod) -> Option<(bool, Option<Role>)> {
    let other_serves = look.running().any(|other| look.is_confirmed(other));
    let node = pod.node.as_ref().and_then(|node| look.seen.nodes.get(node));
    let node_lost = node.is_some_and(|node| !node.ready);
    let lasts = pod.live_container().is_none_or(|id| look.is_ripe(&Timer::Silent(name.clone(), id.clone())));
    (pod.active == Some(true) && lasts && (other_serves || node_lost)).then_some((false, None))
}

#[cfg(test)]
mod table;
#[cfg(test)]
mod tests {
    use crate::fixture::{container, memory, name, record, stopped_set};
    use crate::observation::{Role, Status};
    use crate::timer::{Age, Timer};
    use crate::{Step, decide};

    pub(super) fn labels(plan: &crate::Plan) -> Vec<(String, bool, Option<Role>)> {
        let label = |step: &Step| match step {
            Step::Label { replica, active, role, .. } => Some((replica.0.clone(), *active, *role)),
            _ => None,
        };
        plan.steps.iter().filter_map(label).collect()
    }

    #[test]
    fn a_confirmed_member_is_labelled_and_one_that_stopped_or_failed_loses_its_label() {
        for code in [7, 1] {
            let mut seen = stopped_set(2).answers(0, 0).answers(1, code);
            seen.pod_mut(1).active = Some(true);
            let known = memory([record(0).confirmed_in(1).open_start("a"), record(1).confirmed_in(1)]);
            let expected = [
                ("x-0".to_owned(), true, Some(Role::Primary)),
                ("x-1".to_owned(), false, Some(Role::Stopped)),
            ];
            assert_eq!(labels(&decide(&seen, &known)), expected, "exit {code}");
        }
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
        assert_eq!(labels(&decide(&seen, &known)), [], "one slow answer");
        for ordinal in 0..2 {
            seen.ages.insert(Timer::Silent(name(ordinal), container(ordinal)), Age::Ripe);
        }
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
