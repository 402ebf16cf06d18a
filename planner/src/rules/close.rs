//! Starts of members that do not run are brought to an end: by the lock, by the member's word, or
//! by a new pod.

use crate::app_state::AppState;
use crate::draft::{Draft, Flow};
use crate::hold::Reason;
use crate::key::KeyKind;
use crate::look::Look;
use crate::names::{ContainerId, ReplicaName};
use crate::observation::{Command, Pod};
use crate::places::is_released;
use crate::plan::{Cause, Step};
use crate::recall::counts_as_over;
use crate::record::Record;
use crate::rules::repair::{gets_on, may_repair, recycle};
use crate::start::{Lock, Start, StartKind};
use crate::timer::Timer;

pub(crate) fn close(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    for record in look.memory.holders.values().filter(|record| !record.open.is_empty()) {
        let Some(name) = look.home(&record.holder) else {
            record.open.iter().for_each(|start| hold_open(draft, &record.replica, record, start));
            continue;
        };
        if look.state(name).is_running() {
            name_overdue(draft, name, record);
            continue;
        }
        for start in &record.open {
            if close_start(draft, name, record, start) == Flow::Enough {
                return Flow::Enough;
            }
        }
    }
    busy_without_start(draft)
}

/// A running member that is not confirmed, and whose command did not end in time, is judged by its answers. One whose
/// command ended may yet become what it was told to be.
fn name_overdue(draft: &mut Draft<'_>, name: &ReplicaName, record: &Record) {
    let look = draft.look;
    let unconfirmed = || record.open.iter().filter(|start| !start.confirmed);
    if let Some(start) = unconfirmed().find(|start| start.is_late(look.seen)) {
        let keys = [(KeyKind::AssertFenced, start.pod.to_string())];
        draft.hold_replica(name, Reason::Overdue(name.clone(), command(start.kind)), &keys);
    } else if let Some(start) = unconfirmed().find(|start| start.turns() && look.is_here(start, name)) {
        let reason = Reason::NotTurned(name.clone(), command(start.kind), start.said.clone());
        draft.hold_replica(name, reason, &[]);
    }
    for start in record.open.iter().filter(|start| !draft.look.is_here(start, name)) {
        hold_open(draft, name, record, start);
    }
}

fn close_start(draft: &mut Draft<'_>, name: &ReplicaName, record: &Record, start: &Start) -> Flow {
    let look = draft.look;
    let pod = look.pod(name).filter(|pod| pod.live_container().is_some());
    let stopped = *look.state(name) == AppState::Stopped;
    match pod {
        Some(pod) if stopped && start.lock == Lock::Held && look.shares_kernel(start, pod) => {
            by_lock(draft, name, record, start, pod)
        }
        Some(pod) if look.is_here(start, name) => by_pod(draft, name, record, start, pod, stopped),
        _ => {
            hold_open(draft, name, record, start);
            Flow::On
        }
    }
}

/// Its lock was seen held: the reading's own exec takes it, or is told that it is busy. One that does not end tells
/// nothing, and where a person vouched for this pod, or its image takes no lock, none asks.
fn by_lock(draft: &mut Draft<'_>, name: &ReplicaName, record: &Record, start: &Start, pod: &Pod) -> Flow {
    hold_open(draft, name, record, start);
    if !pod.live_container().is_some_and(|container| draft.look.takes_lock(container)) {
        return Flow::On;
    }
    draft.run(name, Command::Read, Cause::Answer);
    if record.lock_busy {
        return busy(draft, name, pod);
    }
    Flow::On
}

/// An orphan holds the lock past the grace period: a new pod once, then a person.
fn busy(draft: &mut Draft<'_>, name: &ReplicaName, pod: &Pod) -> Flow {
    let look = draft.look;
    let Some(container) = pod.live_container() else { return Flow::On };
    draft.hold_replica(name, Reason::LockBusy(name.clone()), &[(KeyKind::AssertFenced, pod.uid.to_string())]);
    let first = look.memory.repairs.get(name).copied().unwrap_or(0) == 0;
    let is_ripe = look.is_ripe(&Timer::LockBusy(name.clone(), container.clone()));
    let idle = look.under_way(container).is_none();
    let is_our_read = |step: &Step| matches!(step, Step::Run(run) if run.replica == *name);
    if first && is_ripe && idle && draft.plan.steps.iter().all(is_our_read) {
        draft.plan.steps.clear();
        return recycle(draft, name, pod, Cause::LockBusy);
    }
    Flow::On
}

/// Who holds a lock for longer than the grace period is no process that is just dying: only asking for the lock tells
/// when it is free, but not in every look.
pub(crate) fn is_asked_later(look: &Look<'_>, name: &ReplicaName, container: &ContainerId) -> bool {
    let lasts = look.is_ripe(&Timer::LockBusy(name.clone(), container.clone()));
    lasts && !look.is_ripe(&Timer::Unreadable(name.clone(), container.clone()))
}

/// In the container that it was sent to.
fn by_pod(
    draft: &mut Draft<'_>,
    name: &ReplicaName,
    record: &Record,
    start: &Start,
    pod: &Pod,
    stopped: bool,
) -> Flow {
    let look = draft.look;
    let unconfirmed = !start.confirmed;
    let late = start.is_late(look.seen);
    let over = start.ended || late;
    let idle = look.under_way(&start.container).is_none();
    let unasked = start.ended && start.lock == Lock::Unasked && look.takes_lock(&start.container);
    let ripe = look.is_ripe(&Timer::StoppedOpen(start.attempt.clone())) && !gets_on(look, name, start);
    let is_lost = stopped && unconfirmed && over && idle && !unasked && ripe;
    if is_lost && may_repair(draft, name) {
        return recycle(draft, name, pod, Cause::Unconfirmed);
    }
    if unconfirmed && !over {
        draft.hold_replica(name, Reason::UnderWay(name.clone(), command(start.kind)), &[]);
    } else if unconfirmed && start.ended && !(unasked && late) {
        draft.hold_replica(name, Reason::NotUp(name.clone(), command(start.kind), start.said.clone()), &[]);
    } else if unconfirmed && !start.ended {
        draft.hold_replica(name, Reason::Overdue(name.clone(), command(start.kind)), &[]);
    } else {
        hold_open(draft, name, record, start);
    }
    Flow::On
}

/// While others serve nothing waits for who was given up: what was started there matters to the next seed.
fn hold_open(draft: &mut Draft<'_>, name: &ReplicaName, record: &Record, start: &Start) {
    let look = draft.look;
    let serves = look.memory.outage.is_none() && look.live_primaries().next().is_some();
    if serves && is_released(look, &record.replica) {
        return;
    }
    let reason = start_open(draft.look, record, start);
    draft.hold_replica(name, reason, &[(KeyKind::AssertFenced, start.pod.to_string())]);
}

/// What keeps a start open, and whether that ends by itself.
pub(crate) fn start_open(look: &Look<'_>, record: &Record, start: &Start) -> Reason {
    let grace = counts_as_over(look, record, start);
    Reason::StartOpen {
        who: record.replica.clone(),
        attempt: start.attempt.clone(),
        pod: start.pod.clone(),
        node: start.node.clone(),
        grace,
    }
}

/// Somebody else writes on the volume of a stopped member.
fn busy_without_start(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    for (name, replica) in &look.seen.replicas {
        let Some(pod) = replica.pod.as_ref() else { continue };
        let busy_now = look.record(name).is_some_and(|record| record.lock_busy && record.open.is_empty());
        if !busy_now || *look.state(name) != AppState::Stopped {
            continue;
        }
        // The lock may be free by now, and only asking for it tells.
        draft.run(name, Command::Read, Cause::Answer);
        if busy(draft, name, pod) == Flow::Enough {
            return Flow::Enough;
        }
    }
    Flow::On
}

fn command(kind: StartKind) -> Command {
    match kind {
        StartKind::Seed => Command::Seed,
        StartKind::Join | StartKind::Found => Command::Join,
        StartKind::Follow => Command::Follow,
        StartKind::Promote => Command::Promote,
        StartKind::Demote => Command::Demote,
    }
}

/// Whether an unconfirmed start of a stopped member ripens towards a new pod.
pub(crate) fn ripens(look: &Look<'_>, record: &Record, start: &Start) -> bool {
    !start.confirmed
        && look.is_here(start, &record.replica)
        && *look.state(&record.replica) == AppState::Stopped
}

#[cfg(test)]
mod table;
#[cfg(test)]
mod tests {
    use crate::fixture::{container, memory, name, record, stopped_set};
    use crate::names::{ContainerId, PodUid};
    use crate::observation::Command;
    use crate::start::Lock;
    use crate::target::ForcedDeletion;
    use crate::timer::{Age, Timer};
    use crate::{Memory, Observation, Step, decide, timers};

    /// A power cut: every pod is new, the starts of before are open.
    fn power_cut(lock: Lock) -> (Observation, Memory) {
        let seen = stopped_set(1);
        let mut known = record(0).confirmed_in(1).open_start("a");
        known.open[0].pod = PodUid::from("pod-before");
        known.open[0].container = ContainerId::from("container-before");
        known.open[0].lock = lock;
        (seen, memory([known]))
    }

    #[test]
    fn a_lock_seen_held_is_tested_by_the_reading_on_the_same_node_and_boot() {
        let (seen, known) = power_cut(Lock::Held);
        assert!(
            matches!(&decide(&seen, &known).steps[..], [Step::Run(run)] if run.command == Command::Read && run.lock)
        );
    }

    #[test]
    fn a_lock_that_stays_busy_is_asked_for_in_each_look_at_first_and_now_and_then_later() {
        let (seen, mut known) = power_cut(Lock::Held);
        known.holders.values_mut().for_each(|record| record.lock_busy = true);
        known.repairs.insert(name(0), 1);
        let id = container(0);
        let (lasts, again) = (Timer::LockBusy(name(0), id.clone()), Timer::Unreadable(name(0), id));
        for open in [true, false] {
            if !open {
                known.holders.values_mut().for_each(|record| record.open.clear());
            }
            for (ripe, reads) in [(&[][..], true), (&[&lasts][..], false), (&[&lasts, &again][..], true)] {
                let mut seen = seen.clone();
                seen.ages.extend(ripe.iter().map(|timer| ((*timer).clone(), Age::Ripe)));
                let plan = decide(&seen, &known);
                assert_eq!(!plan.steps.is_empty(), reads, "{open} {ripe:?} {:?}", plan.steps);
                assert!(plan.holds.iter().any(|hold| hold.reason.name() == "LockBusy"));
            }
            let measured = timers(&seen, &known);
            assert!(measured.contains_key(&lasts) && measured.contains_key(&again));
        }
    }

    #[test]
    fn a_pod_that_vanished_without_a_lock_waits_for_the_grace_period_and_names_the_key() {
        let (mut seen, known) = power_cut(Lock::NotHeld);
        let plan = decide(&seen, &known);
        assert!(plan.steps.is_empty(), "{:?}", plan.steps);
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "StartOpen").unwrap();
        let words = hold.reason.to_string();
        assert!(words.contains(" on node node-0, in pod pod-before, ") && words.contains("30 s"), "{words}");
        seen.ages.insert(Timer::Vanished("pod-before".into()), Age::Ripe);
        assert!(decide(&seen, &known).memory.of(&name(0)).all(|record| record.open.is_empty()));
        seen.ages.clear();
        seen.target.keys = hold.keys.clone();
        assert!(decide(&seen, &known).memory.of(&name(0)).all(|record| record.open.is_empty()));
    }

    #[test]
    fn a_container_that_the_kubelet_saw_end_closes_its_start() {
        let (mut seen, known) = power_cut(Lock::NotHeld);
        seen.terminated.insert("container-before".into());
        assert!(decide(&seen, &known).memory.of(&name(0)).all(|record| record.open.is_empty()));
    }

    #[test]
    fn a_failed_seed_without_a_lock_costs_its_pod_once_it_answers_stopped_long_enough() {
        let mut seen = stopped_set(1);
        let mut known = record(0).open_start("a");
        (known.open[0].confirmed, known.open[0].lock) = (false, Lock::NotHeld);
        let known = memory([known]);
        assert!(decide(&seen, &known).steps.is_empty());
        seen.ages.insert(Timer::StoppedOpen("a".into()), Age::Ripe);
        assert!(matches!(&decide(&seen, &known).steps[..], [Step::Recycle { .. }]));
    }

    #[test]
    fn a_start_that_reports_progress_is_not_timed_out() {
        let mut seen = stopped_set(1);
        let mut known = record(0).open_start("a");
        (known.open[0].confirmed, known.open[0].ended, known.open[0].lock) = (false, false, Lock::NotHeld);
        let known = memory([known]);
        seen.ages.insert(Timer::StoppedOpen("a".into()), Age::Ripe);
        seen.ages.insert(Timer::Deadline("a".into()), Age::Ripe);
        let recycles =
            |seen: &Observation| decide(seen, &known).steps.iter().any(|s| matches!(s, Step::Recycle { .. }));
        assert!(recycles(&seen), "it says nothing");
        let crate::observation::Status::Answer(answer) = &mut seen.pod_mut(0).status else {
            panic!("an answer")
        };
        answer.progress = Some("7 of 9".to_owned());
        assert!(!recycles(&seen), "it gets on");
        seen.ages.insert(Timer::NoProgress("a".into(), Some("7 of 9".to_owned())), Age::Ripe);
        assert!(recycles(&seen), "it got on once, and does not any more");
    }

    #[test]
    fn an_open_start_says_when_it_ends_by_itself() {
        for (setting, words) in [(ForcedDeletion::WaitGracePeriod, true), (ForcedDeletion::Hold, false)] {
            let mut seen = stopped_set(1);
            seen.target.forced_deletion = setting;
            seen.target.grace_seconds = 600;
            seen.replicas.get_mut(&name(0)).unwrap().pod = None;
            let mut known = record(0).confirmed_in(1).open_start("a");
            known.open[0].lock = Lock::NotHeld;
            let plan = decide(&seen, &memory([known]));
            let hold = plan.holds.iter().find(|hold| hold.reason.name() == "StartOpen").unwrap();
            assert_eq!(hold.reason.to_string().contains("600 s"), words, "{}", hold.reason);
        }
    }
}
