//! Repairs have a cause that the application or the kubelet gave, ripened, under a budget, and
//! never touch the last member that serves. Transport errors repair nothing.

use crate::app_state::AppState;
use crate::draft::{Draft, Flow};
use crate::hold::Reason;
use crate::look::Look;
use crate::names::{ContainerId, ReplicaName};
use crate::observation::{Command, Pod, Status};
use crate::plan::Cause;
use crate::record::Record;
use crate::start::Start;
use crate::timer::Timer;

pub(crate) fn repair(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    for (name, replica) in &look.seen.replicas {
        let Some(pod) = replica.pod.as_ref().filter(|pod| !pod.terminating) else { continue };
        let flow = match look.state(name) {
            AppState::Failed(_) => failed(draft, name, pod),
            AppState::Unknown(_) => hung(draft, name, pod),
            AppState::Down(_) => cannot_start(draft, name, pod),
            _ => Flow::On,
        };
        if flow == Flow::Enough {
            return flow;
        }
    }
    Flow::On
}

/// First its `stop`; if it still says Failed after that, its pod goes. So it does at once where it has no guard, for no
/// command is run there. One repair at a time, and one that cannot be sent now keeps nobody waiting.
fn failed(draft: &mut Draft<'_>, name: &ReplicaName, pod: &Pod) -> Flow {
    let look = draft.look;
    let Some(container) = pod.live_container() else { return Flow::On };
    let busy = look.under_way(container).is_some();
    if busy || is_coming_up(draft, name) || !look.is_ripe(&Timer::Failed(name.clone(), container.clone())) {
        return Flow::On;
    }
    if !may_repair(draft, name) {
        return Flow::On;
    }
    if look.record(name).is_some_and(|record| record.stop_tried.as_ref() == Some(container)) {
        return recycle(draft, name, pod, Cause::StopFailed);
    }
    if !pod.guarded {
        return recycle(draft, name, pod, Cause::Failed);
    }
    let before = draft.plan.steps.len();
    draft.run(name, Command::Stop, Cause::Failed);
    if draft.plan.steps.len() == before {
        return Flow::On;
    }
    count_repair(draft, name);
    note_stop(draft, name, container);
    Flow::Enough
}

fn note_stop(draft: &mut Draft<'_>, name: &ReplicaName, container: &ContainerId) {
    let Some(holder) = draft.look.record(name).map(|record| record.holder.clone()) else { return };
    if let Some(record) = draft.plan.memory.holders.get_mut(&holder) {
        record.stop_tried = Some(container.clone());
    }
}

/// Whether an open, unconfirmed start may still get on: within its deadline, or past it with
/// progress that changes.
fn is_coming_up(draft: &mut Draft<'_>, name: &ReplicaName) -> bool {
    let look = draft.look;
    let Some(record) = look.record(name) else { return false };
    let Some(start) = record.open.iter().find(|start| !start.confirmed && look.is_here(start, name)) else {
        return false;
    };
    if !start.is_late(look.seen) {
        return true;
    }
    let gets_on = gets_on(look, name, start);
    if gets_on {
        draft.hold_replica(name, Reason::Overdue(name.clone(), Command::Join), &[]);
    }
    gets_on
}

/// It reports progress, and that has changed lately: nothing times it out.
pub(crate) fn gets_on(look: &Look<'_>, name: &ReplicaName, start: &Start) -> bool {
    let progress = progress(look, name);
    progress.is_some() && !look.is_ripe(&Timer::NoProgress(start.attempt.clone(), progress))
}

/// What the member says of its progress.
pub(crate) fn progress(look: &Look<'_>, name: &ReplicaName) -> Option<String> {
    match &look.pod(name)?.status {
        Status::Answer(answer) => answer.progress.clone(),
        _ => None,
    }
}

/// `status` hangs while the shell in the same container answers: the application is stuck.
fn hung(draft: &mut Draft<'_>, name: &ReplicaName, pod: &Pod) -> Flow {
    let look = draft.look;
    let Some(container) = pod.live_container() else { return Flow::On };
    let is_ripe = look.is_ripe(&Timer::Hung(name.clone(), container.clone()));
    if !is_ripe || is_coming_up(draft, name) || !may_repair(draft, name) {
        return Flow::On;
    }
    if is_last_server(look, name) {
        draft.hold_replica(name, Reason::LastServer(name.clone()), &[]);
        return Flow::On;
    }
    recycle(draft, name, pod, Cause::Hung)
}

/// The kubelet cannot start it. Only one whose container ran and ended: for an image that cannot be
/// pulled or a pod that cannot be placed, a new pod of the same template changes nothing.
fn cannot_start(draft: &mut Draft<'_>, name: &ReplicaName, pod: &Pod) -> Flow {
    let look = draft.look;
    let ended = pod.container_id().is_some();
    if !look.is_ripe(&Timer::CannotStart(pod.uid.clone())) || !ended || !may_repair(draft, name) {
        return Flow::On;
    }
    recycle(draft, name, pod, Cause::CannotStart)
}

/// This member may serve, and no other is seen to.
fn is_last_server(look: &Look<'_>, name: &ReplicaName) -> bool {
    may_serve(look, name) && !look.running().any(|other| other != name && look.is_confirmed(other))
}

/// Clients are led to it, or it answered that it runs by what was started in this container. What it was before an outage
/// says nothing of a seed that hangs.
fn may_serve(look: &Look<'_>, name: &ReplicaName) -> bool {
    let answered =
        |record: &Record| record.open.iter().any(|start| start.confirmed && look.is_here(start, name));
    look.is_labelled(name) || look.record(name).is_some_and(answered)
}

/// The pause between repairs doubles with each; see `timers`.
pub(crate) fn may_repair(draft: &mut Draft<'_>, name: &ReplicaName) -> bool {
    let count = draft.look.memory.repairs.get(name).copied().unwrap_or(0);
    let may = count == 0 || draft.look.is_ripe(&Timer::Repaired(name.clone(), count));
    if !may {
        draft.hold_replica(name, Reason::RepairDelayed(name.clone()), &[]);
    }
    may
}

pub(crate) fn count_repair(draft: &mut Draft<'_>, name: &ReplicaName) {
    *draft.plan.memory.repairs.entry(name.clone()).or_insert(0) += 1;
}

/// A repair by a new pod, once no command runs in this one: what it waits for may have taken effect by then.
pub(crate) fn recycle(draft: &mut Draft<'_>, name: &ReplicaName, pod: &Pod, cause: Cause) -> Flow {
    if let Some((_, attempt)) = pod.container_id().and_then(|container| draft.look.under_way(container)) {
        draft.hold_replica(name, Reason::UnderWay(name.clone(), attempt.command), &[]);
        return Flow::On;
    }
    let before = draft.plan.steps.len();
    let flow = draft.replace(name, pod, None, cause);
    if draft.plan.steps.len() > before {
        count_repair(draft, name);
    }
    flow
}

#[cfg(test)]
mod tests {
    use crate::fixture::{container, memory, name, record, stopped_set};
    use crate::guarantees::{attempt, ordered};
    use crate::observation::{AttemptState, Command, Status};
    use crate::timer::{Age, Timer};
    use crate::{Memory, Observation, Plan, Step, decide};

    /// Member 0 serves, member 1 has the trouble.
    fn troubled(status: Status) -> (Observation, Memory) {
        let mut seen = stopped_set(2).answers(0, 0);
        seen.pod_mut(0).active = Some(true);
        seen.pod_mut(0).role = Some(crate::observation::Role::Primary);
        seen.pod_mut(1).status = status;
        (seen, memory([0, 1].map(|n| record(n).confirmed_in(1).open_start(&format!("a{n}")))))
    }

    fn repairs(plan: &Plan) -> Vec<String> {
        let text = |step: &Step| match step {
            Step::Run(run) if run.command == Command::Stop => {
                Some(format!("stop {} {:?}", run.replica, run.cause))
            }
            Step::Recycle { replica, cause, .. } => Some(format!("recycle {replica} {cause:?}")),
            _ => None,
        };
        plan.steps.iter().filter_map(text).collect()
    }

    #[test]
    fn a_failed_member_is_stopped_when_ripe_and_recycled_when_that_did_not_help() {
        let (mut seen, known) = troubled(crate::fixture::answer(1, 1));
        assert!(repairs(&decide(&seen, &known)).is_empty(), "one look is not enough");
        seen.ages.insert(Timer::Failed(name(1), container(1)), Age::Ripe);
        let plan = decide(&seen, &known);
        assert_eq!(repairs(&plan), ["stop x-1 Failed"]);
        assert!(repairs(&decide(&seen, &plan.memory)).is_empty(), "the next repair waits");
        seen.ages.insert(Timer::Repaired(name(1), 1), Age::Ripe);
        assert_eq!(repairs(&decide(&seen, &plan.memory)), ["recycle x-1 StopFailed"]);
    }

    #[test]
    fn transport_errors_repair_nothing() {
        let hung = Timer::Hung(name(1), container(1));
        for (status, is_hung) in [
            (Status::Silent("lost".to_owned()), false),
            (Status::Hung { shell_answers: false }, false),
            (Status::Hung { shell_answers: true }, true),
        ] {
            let (mut seen, known) = troubled(status.clone());
            let measured = crate::timers::timers(&seen, &known);
            assert_eq!(measured.contains_key(&hung), is_hung, "{status:?}");
            // As old as anything gets that is measured.
            seen.ages.extend(measured.into_keys().map(|timer| (timer, Age::Ripe)));
            assert_eq!(!repairs(&decide(&seen, &known)).is_empty(), is_hung, "{status:?}");
        }
    }

    #[test]
    fn a_hung_member_is_recycled_when_ripe_but_never_the_last_server() {
        let (mut seen, mut known) = troubled(Status::Hung { shell_answers: true });
        for record in known.holders.values_mut() {
            record.last = Some(crate::observation::Role::Primary);
        }
        seen.ages.insert(Timer::Hung(name(1), container(1)), Age::Ripe);
        assert_eq!(repairs(&decide(&seen, &known)), ["recycle x-1 Hung"]);
        seen.pod_mut(0).status = Status::Silent("lost".to_owned());
        let plan = decide(&seen, &known);
        assert!(repairs(&plan).is_empty());
        assert!(plan.holds.iter().any(|hold| hold.reason.name() == "LastServer"));
    }

    #[test]
    fn one_whose_stop_cannot_be_sent_is_not_counted_and_keeps_nobody_from_going_on() {
        type Change = fn(&mut Observation);
        let cases: [(&str, Change, &[&str], bool); 4] = [
            ("its stop is sent", |_| {}, &["stop x-1 Failed"], false),
            (
                "its pod has no guard: no command is ever run there",
                |seen| seen.pod_mut(1).guarded = false,
                &["recycle x-1 Failed"],
                false,
            ),
            ("its image has no shell", |seen| seen.pod_mut(1).unguardable = true, &[], true),
            ("its label goes first", |seen| seen.pod_mut(1).active = Some(true), &[], true),
        ];
        for (sentence, change, expected, goes_on) in cases {
            let (mut seen, mut known) = troubled(crate::fixture::answer(1, 1));
            let third = stopped_set(3).replicas.remove(&name(2)).unwrap();
            seen.replicas.insert(name(2), third);
            seen.nodes = stopped_set(3).nodes;
            (seen.target.replicas, seen.target.primaries) = (3, 3);
            seen.workload.as_mut().unwrap().replicas = 3;
            known.holders.insert(crate::fixture::holder(2), record(2).confirmed_in(1).at(3));
            seen.ages.insert(Timer::Failed(name(1), container(1)), Age::Ripe);
            change(&mut seen);
            let seen = ordered(seen, &[0, 1, 2]);
            let plan = decide(&seen, &known);
            assert_eq!(repairs(&plan), expected, "{sentence}");
            assert_eq!(!plan.memory.repairs.is_empty(), !expected.is_empty(), "{sentence}");
            let is_noted = plan.memory.holders.values().any(|record| record.stop_tried.is_some());
            assert_eq!(is_noted, expected == ["stop x-1 Failed"], "{sentence}");
            let joins = |step: &Step| matches!(step, Step::Run(run) if run.command == Command::Join);
            assert_eq!(plan.steps.iter().any(joins), goes_on, "{sentence}: {:?}", plan.steps);
            assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
        }
    }

    #[test]
    fn no_pod_is_replaced_while_a_command_runs_in_it() {
        let (mut seen, known) = troubled(Status::Hung { shell_answers: true });
        seen.ages.insert(Timer::Hung(name(1), container(1)), Age::Ripe);
        seen.attempts.insert("read".into(), attempt(1, Command::Read, AttemptState::Running));
        let plan = decide(&seen, &known);
        assert!(repairs(&plan).is_empty() && plan.memory.repairs.is_empty());
        assert!(plan.holds.iter().any(|hold| hold.reason.name() == "UnderWay"), "{:?}", plan.holds);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
        seen.attempts.insert("read".into(), attempt(1, Command::Read, AttemptState::Overdue));
        assert_eq!(repairs(&decide(&seen, &known)), ["recycle x-1 Hung"], "its deadline is over");
    }

    #[test]
    fn a_repair_is_counted_only_when_its_step_is_in_the_plan() {
        let (mut seen, known) = troubled(Status::Hung { shell_answers: true });
        seen.ages.insert(Timer::Hung(name(1), container(1)), Age::Ripe);
        seen.pod_mut(0).active = Some(false);
        let plan = decide(&seen, &known);
        assert!(repairs(&plan).is_empty(), "a label goes first");
        assert!(plan.memory.repairs.is_empty());
    }

    #[test]
    fn one_whose_repair_waits_says_so_and_who_runs_in_an_older_epoch_serves_nobody_in_its_place() {
        let delayed = |plan: &Plan| plan.holds.iter().any(|hold| hold.reason.name() == "RepairDelayed");
        let (mut seen, mut known) = troubled(Status::Hung { shell_answers: true });
        seen.ages.insert(Timer::Hung(name(1), container(1)), Age::Ripe);
        assert!(!delayed(&decide(&seen, &known)), "it was never repaired");
        known.repairs.insert(name(1), 1);
        assert!(delayed(&decide(&seen, &known)));
        known.repairs.clear();
        known.epoch.number = 2;
        let [older, served] = [0, 1].map(|n| record(n).confirmed_in(n.into()).open_start("a"));
        let served = crate::Record { confirmed: 2, ..served };
        known.holders = memory([crate::Record { confirmed: 1, ..older }, served]).holders;
        let plan = decide(&seen, &known);
        assert!(repairs(&plan).is_empty(), "who runs beside it is of an older epoch: {:?}", plan.steps);
        assert!(plan.holds.iter().any(|hold| hold.reason.name() == "LastServer"));
    }

    #[test]
    fn who_did_not_answer_that_it_runs_since_it_was_started_and_has_no_label_is_nobodys_last_server() {
        type Change = fn(&mut Observation, &mut crate::Record);
        let cases: [(&str, Change, bool); 5] = [
            ("it answered so", |_, _| {}, false),
            ("it was started, and never answered since", |_, record| record.open[0].confirmed = false, true),
            (
                "it answered so in a container before",
                |_, record| record.open[0].container = "before".into(),
                true,
            ),
            ("nothing of it is open", |_, record| record.open.clear(), true),
            (
                "nothing of it is open, and clients are led to it",
                |seen, record| {
                    record.open.clear();
                    seen.pod_mut(1).active = Some(true);
                },
                false,
            ),
        ];
        for (sentence, change, goes) in cases {
            let (mut seen, mut known) = troubled(Status::Hung { shell_answers: true });
            seen.ages.insert(Timer::Hung(name(1), container(1)), Age::Ripe);
            seen.ages.insert(Timer::Deadline("a1".into()), Age::Ripe);
            seen.pod_mut(0).status = Status::Silent("lost".to_owned());
            let record = known.holders.get_mut(&crate::fixture::holder(1)).unwrap();
            record.last = Some(crate::observation::Role::Primary);
            change(&mut seen, record);
            let plan = decide(&seen, &known);
            assert_eq!(!repairs(&plan).is_empty(), goes, "{sentence}: {:?} {:?}", plan.steps, plan.holds);
            let held = plan.holds.iter().any(|hold| hold.reason.name() == "LastServer");
            assert_eq!(held, !goes, "{sentence}");
            assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
        }
    }
}
