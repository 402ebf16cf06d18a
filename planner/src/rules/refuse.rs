//! A template that no pod can start with is taken back: the last good one is kept.

use crate::draft::{Draft, Flow};
use crate::hold::Reason;
use crate::look::Look;
use crate::observation::Pod;
use crate::timer::Timer;

pub(crate) fn refuse(draft: &mut Draft<'_>) -> Flow {
    if is_broken(draft.look) && draft.plan.memory.refused.is_none() {
        draft.plan.memory.refused = Some(draft.look.target().generation);
    }
    if let Some(generation) = draft.plan.memory.refused {
        draft.hold(Reason::TemplateRefused(generation), &[]);
    }
    Flow::On
}

/// The kubelet of a node that is well cannot start a pod of the wanted template, no pod of it runs,
/// and another template was good before: it is the template, not a node's trouble.
fn is_broken(look: &Look<'_>) -> bool {
    let Some(workload) = look.seen.workload.as_ref().filter(|workload| workload.is_current()) else {
        return false;
    };
    let had_better = look.memory.good.as_ref().is_some_and(|good| *good != workload.revision);
    let pods = || look.seen.replicas.values().filter_map(|replica| replica.pod.as_ref());
    let of_wanted = || pods().filter(|pod| pod.revision == workload.revision);
    let runs = of_wanted().any(|pod| pod.live_container().is_some());
    had_better && !runs && of_wanted().any(|pod| cannot_start(look, pod))
}

fn cannot_start(look: &Look<'_>, pod: &Pod) -> bool {
    let node = pod.node.as_ref().and_then(|node| look.seen.nodes.get(node));
    // Where nodes may not be read, the kubelet's own reason says that it tried.
    let is_told = pod.trouble.is_some() && node.is_some_and(|node| node.boot.0.is_empty());
    let node_is_well = node.is_some_and(|node| node.ready) || is_told;
    let tried = pod.container.is_some() && pod.live_container().is_none();
    node_is_well && tried && look.is_ripe(&Timer::CannotStart(pod.uid.clone()))
}

#[cfg(test)]
mod tests {
    use crate::decide;
    use crate::fixture::{memory, record, stopped_set};
    use crate::names::BootId;
    use crate::observation::{ContainerState, Node};
    use crate::timer::{Age, Timer};

    #[test]
    fn a_template_that_cannot_start_is_taken_back_if_another_was_good() {
        let mut seen = stopped_set(3).answers(0, 0).answers(1, 0);
        let mut known = memory((0..3).map(|n| record(n).confirmed_in(1)));
        seen.workload.as_mut().unwrap().revision = "r2".into();
        let pod = seen.pod_mut(2);
        pod.revision = "r2".into();
        pod.container.as_mut().unwrap().state = ContainerState::Waiting("ErrImagePull".to_owned());
        let uid = pod.uid.clone();
        seen.ages.insert(Timer::CannotStart(uid), Age::Ripe);
        assert_eq!(decide(&seen, &known).memory.refused, None, "none was good before");
        known.good = Some("r1".into());
        let node = seen.pod_mut(2).node.clone().unwrap();
        let mut unwell = seen.clone();
        unwell.nodes.get_mut(&node).unwrap().ready = false;
        assert_eq!(decide(&unwell, &known).memory.refused, None, "its node may be the trouble");
        let mut unreadable = seen.clone();
        let no_right = Node { ready: false, boot: BootId::default(), out_of_service: false };
        unreadable.nodes.values_mut().for_each(|node| *node = no_right.clone());
        assert_eq!(decide(&unreadable, &known).memory.refused, None, "no kubelet gave a reason");
        unreadable.pod_mut(2).trouble = Some("ErrImagePull".to_owned());
        assert_eq!(decide(&unreadable, &known).memory.refused, Some(1), "no right to read nodes is needed");
        let mut unmade = seen.clone();
        unmade.pod_mut(2).container = None;
        assert_eq!(decide(&unmade, &known).memory.refused, None, "it was not tried");
        let mut young = seen.clone();
        young.ages.clear();
        assert_eq!(decide(&young, &known).memory.refused, None, "it may come up yet");
        let plan = decide(&seen, &known);
        assert_eq!(plan.memory.refused, Some(1));
        assert!(plan.holds.iter().any(|hold| hold.reason.name() == "TemplateRefused"));
        seen.target.generation = 2;
        seen.ages.clear();
        assert_eq!(decide(&seen, &plan.memory).memory.refused, None, "another template is tried");
    }
}
