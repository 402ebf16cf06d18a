//! How a member is, case by case.

use super::{State, state};
use crate::fixture::{stopped_set, target};
use crate::observation::{ContainerState, Pod, Status};

/// What is so, how the member is then, and what makes it so of one that answers Stopped.
type Case = (&'static str, State, fn(&mut Pod));

const MEMBERS: &[Case] = &[
    ("it answers", State::Stopped, |_| {}),
    ("its pod ends", State::Unknown, |pod| pod.terminating = true),
    ("its pod ended, and is about to go", State::Down, |pod| (pod.terminating, pod.finished) = (true, true)),
    ("its container waits", State::Down, |pod| {
        pod.container.as_mut().unwrap().state = ContainerState::Waiting("Backoff".into());
    }),
    ("another container answered", State::Unknown, |pod| {
        pod.container.as_mut().unwrap().id = Some("another".into());
    }),
    ("it has no container yet", State::Down, |pod| pod.container = None),
];

#[test]
fn a_member_is_what_its_kubelet_and_its_own_container_say() {
    for (sentence, wanted, change) in MEMBERS {
        let mut seen = stopped_set(1);
        change(seen.pod_mut(0));
        assert_eq!(state(Some(seen.pod_mut(0)), &target(1)), *wanted, "{sentence}");
    }
    assert_eq!(state(None, &target(1)), State::Down, "it has no pod");
}

#[test]
fn an_exit_code_of_the_application_is_none_of_the_shell_or_of_a_signal() {
    for (code, wanted) in [
        (0, State::Primary),
        (8, State::Primary),
        (7, State::Stopped),
        (1, State::Failed),
        (125, State::Failed),
        (126, State::Unknown),
        (137, State::Unknown),
        (-1, State::Unknown),
    ] {
        let mut seen = stopped_set(1).answers(0, code);
        let mut target = target(1);
        assert_eq!(state(Some(seen.pod_mut(0)), &target), wanted, "{code}");
        target.has_secondary = true;
        let wanted = if code == 0 { State::Secondary } else { wanted };
        assert_eq!(state(Some(seen.pod_mut(0)), &target), wanted, "{code}, where some follow");
        seen.pod_mut(0).status = Status::Silent("no route".into());
        assert_eq!(state(Some(seen.pod_mut(0)), &target), State::Unknown);
    }
}
