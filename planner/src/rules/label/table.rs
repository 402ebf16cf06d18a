//! What a pod says, one condition at a time.

use super::label;
use super::tests::labels;
use crate::decide;
use crate::draft::{Draft, Flow};
use crate::fixture::{container, memory, name, record, stopped_set};
use crate::look::Look;
use crate::observation::{Pod, Role, Status};
use crate::timer::{Age, Timer};

#[test]
fn the_last_label_stays_at_who_is_not_heard_and_not_at_who_is_stopped() {
    let mut seen = stopped_set(2);
    seen.pod_mut(0).active = Some(true);
    (seen.pod_mut(1).active, seen.pod_mut(1).status) = (Some(true), Status::Silent("lost".to_owned()));
    seen.ages.insert(Timer::Silent(name(1), container(1)), Age::Ripe);
    seen.nodes.values_mut().for_each(|node| node.ready = false);
    let known = memory([0, 1].map(|n| record(n).confirmed_in(1)));
    assert_eq!(labels(&decide(&seen, &known)), [("x-0".to_owned(), false, Some(Role::Stopped))]);
}

#[test]
fn what_a_pod_says_is_changed_only_where_something_is_known() {
    let serves = |epoch: u64| (record(0).confirmed_in(epoch).open_start("a"), record(1).confirmed_in(2));
    let withdrawn = |role| Some((false, role));
    type Change = fn(&mut Pod);
    type Told = Option<(bool, Option<Role>)>;
    let silent = |pod: &mut Pod| pod.status = Status::Silent("lost".to_owned());
    let cases: [(&str, u64, Change, Told); 8] = [
        ("not heard, and another serves", 2, silent, withdrawn(None)),
        ("not heard, and who runs besides is of an older epoch", 1, silent, None),
        (
            "not heard, and never labelled",
            2,
            |pod| (pod.active, pod.status) = (None, Status::Silent("lost".to_owned())),
            None,
        ),
        (
            "not heard, and its pod is about to go",
            2,
            |pod| (pod.terminating, pod.status) = (true, Status::NotAsked),
            withdrawn(None),
        ),
        ("its pod ended", 2, |pod| pod.finished = true, withdrawn(Some(Role::Stopped))),
        ("its pod ended, and has no label", 2, |pod| (pod.finished, pod.active) = (true, Some(false)), None),
        ("of another role", 2, |pod| (pod.active, pod.role) = (Some(false), Some(Role::Primary)), {
            withdrawn(Some(Role::Stopped))
        }),
        ("it says all of that", 2, |pod| (pod.active, pod.role) = (Some(false), Some(Role::Stopped)), None),
    ];
    for (sentence, epoch, change, expected) in cases {
        let mut seen = stopped_set(2).answers(0, 8);
        (seen.pod_mut(0).active, seen.pod_mut(0).role) = (Some(true), Some(Role::Primary));
        (seen.pod_mut(1).active, seen.pod_mut(1).role) = (Some(true), Some(Role::Primary));
        change(seen.pod_mut(1));
        seen.ages.insert(Timer::Silent(name(1), container(1)), Age::Ripe);
        let (first, second) = serves(epoch);
        let look = Look::new(&seen, memory([first, second]));
        let mut draft = Draft::new(&look, Vec::new());
        assert_eq!(label(&mut draft), Flow::On);
        let told = labels(&draft.plan).into_iter().find(|(replica, ..)| replica == "x-1");
        assert_eq!(told.map(|(_, active, role)| (active, role)), expected, "{sentence}");
    }
}
