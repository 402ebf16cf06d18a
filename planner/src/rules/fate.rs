//! Of every start whose command is not known to be over, ask what became of it; of every one that
//! is over, ask whether its application took the volume lock with it.

use crate::app_state::AppState;
use crate::draft::{Draft, Flow};
use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::{AttemptState, Command, Replica};
use crate::plan::{Cause, Step};
use crate::start::{Lock, Start};

pub(crate) fn fate(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    for (name, start) in heard(look) {
        if needs_fate(look, name, start) {
            if !may_wait(look, name, start) {
                ask(draft, name, start);
            }
        } else if needs_probe(look, name, start) {
            draft.run(name, Command::Probe, Cause::Answer);
        }
    }
    Flow::On
}

/// After all that is to be done, and beside nothing that goes alone: one that becomes the application itself never ends.
pub(crate) fn fate_of_begun(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    for (name, start) in heard(look).filter(|(name, start)| needs_fate(look, name, start)) {
        if may_wait(look, name, start) {
            ask(draft, name, start);
        }
    }
    Flow::On
}

/// Open starts whose pod is there. Where nothing is heard from there, asking more would only be more of the same.
fn heard<'b>(look: &'b Look<'_>) -> impl Iterator<Item = (&'b ReplicaName, &'b Start)> {
    let at_its_pod = |replica: &Replica, start: &Start| {
        replica.pod.as_ref().is_some_and(|pod| pod.guarded && pod.uid == start.pod)
    };
    look.memory.holders.values().flat_map(|record| &record.open).filter_map(move |start| {
        let (name, _) = look.seen.replicas.iter().find(|(_, replica)| at_its_pod(replica, start))?;
        (!matches!(look.state(name), AppState::Unknown(_))).then_some((name, start))
    })
}

fn ask(draft: &mut Draft<'_>, name: &ReplicaName, start: &Start) {
    let (attempt, if_pod) = (start.attempt.clone(), start.pod.clone());
    draft.step(Step::Revoke { replica: name.clone(), attempt, if_pod });
}

/// It can be revoked no more, and somebody serves: that it ended would be good to know, and nothing waits for it.
fn may_wait(look: &Look<'_>, name: &ReplicaName, start: &Start) -> bool {
    start.began && look.memory.outage.is_none() && !may_run_elsewhere(look, name, start)
}

/// Another container runs by now than it was sent to, and its member was not seen to run in that one: which of the two it
/// began in, if it did, its guard tells.
fn may_run_elsewhere(look: &Look<'_>, name: &ReplicaName, start: &Start) -> bool {
    !start.confirmed && !look.is_here(start, name)
}

/// Its pod is there, its own stream is not: a new leader's start, or a lost reply. One that is known
/// to have begun is asked for its end until its deadline; a script that becomes the application
/// itself never ends.
fn needs_fate(look: &Look<'_>, name: &ReplicaName, start: &Start) -> bool {
    let flying = look.seen.attempts.get(&start.attempt).is_some_and(|a| a.state == AttemptState::Running);
    let began = start.began || start.confirmed;
    let given_up = began && start.is_late(look.seen);
    let lives = look.pod(name).is_some_and(|pod| pod.live_container().is_some());
    let tells = || may_run_elsewhere(look, name, start) || !start.ended && !given_up;
    lives && !flying && tells()
}

fn needs_probe(look: &Look<'_>, name: &ReplicaName, start: &Start) -> bool {
    let lock_matters = look.is_here(start, name) && look.takes_lock(&start.container);
    lock_matters && start.ended && start.lock == Lock::Unasked
}

#[cfg(test)]
mod tests {
    use crate::fixture::{memory, name, record, stopped_set};
    use crate::guarantees::attempt;
    use crate::look::Look;
    use crate::observation::{AttemptState, Command, Fate};
    use crate::start::{Lock, Start};
    use crate::target::Storage;
    use crate::{Observation, Record, Step, decide};

    fn with_start(change: impl Fn(&mut crate::start::Start)) -> Record {
        let mut record = record(0).confirmed_in(1).open_start("a");
        change(&mut record.open[0]);
        record
    }

    #[test]
    fn an_unknown_fate_is_asked_and_an_ended_command_probed() {
        let seen = stopped_set(1).answers(0, 0);
        let unended = memory([with_start(|start| start.ended = false)]);
        let plan = decide(&seen, &unended);
        assert!(plan.steps.iter().any(|step| matches!(step, Step::Label { .. })));
        let mut labelled = seen.clone();
        labelled.pod_mut(0).active = Some(true);
        labelled.pod_mut(0).role = Some(crate::observation::Role::Primary);
        let plan = decide(&labelled, &unended);
        assert!(matches!(&plan.steps[..], [Step::Revoke { .. }]), "{:?}", plan.steps);
        let unasked = memory([with_start(|start| start.lock = Lock::Unasked)]);
        let plan = decide(&labelled, &unasked);
        assert!(matches!(&plan.steps[..], [Step::Run(run)] if run.command == Command::Probe && run.lock));
    }

    #[test]
    fn a_fate_is_asked_where_no_stream_tells_and_a_lock_where_it_says_something() {
        let ask = |change: fn(&mut Start, &mut Observation)| {
            let mut seen = stopped_set(1);
            let mut open = record(0).open_start("a").open.remove(0);
            (open.lock, open.ended, open.confirmed) = (Lock::Unasked, false, false);
            change(&mut open, &mut seen);
            let look = Look::new(&seen, memory([record(0)]));
            (super::needs_fate(&look, &name(0), &open), super::needs_probe(&look, &name(0), &open))
        };
        assert_eq!(ask(|_, _| {}), (true, false), "nothing is known of it");
        assert_eq!(
            ask(|_, seen| _ =
                seen.attempts.insert("a".into(), attempt(0, Command::Join, AttemptState::Running))),
            (false, false)
        );
        assert_eq!(
            ask(|_, seen| _ =
                seen.attempts.insert("a".into(), attempt(0, Command::Join, AttemptState::Overdue))),
            (true, false)
        );
        assert_eq!(ask(|start, _| start.ended = true), (false, true), "its command ended");
        assert_eq!(ask(|start, _| (start.ended, start.lock) = (true, Lock::NotHeld)), (false, false));
        let before: fn(&mut Start, &mut Observation) =
            |start, _| (start.ended, start.container) = (true, "before".into());
        assert_eq!(ask(before), (true, false), "in which container it ended is not known");
        assert_eq!(
            ask(|start, _| {
                (start.ended, start.confirmed, start.container) = (true, true, "before".into());
            }),
            (false, false),
            "its member ran there"
        );
        assert_eq!(
            ask(|start, seen| {
                start.ended = true;
                seen.target.storage = Storage::Claims { lock: false };
            }),
            (false, false)
        );
    }

    #[test]
    fn a_revoked_start_is_closed_and_one_that_began_is_not() {
        let mut seen = stopped_set(1);
        let known =
            memory([with_start(|start| (start.began, start.ended, start.confirmed) = (false, false, false))]);
        for (fate, open) in
            [(Fate::Revoked, 0), (Fate::Refused, 0), (Fate::Over, 0), (Fate::Began, 1), (Fate::Ended(1), 1)]
        {
            seen.fates = [("a".into(), fate)].into();
            let plan = decide(&seen, &known);
            let left =
                plan.memory.of(&name(0)).next().unwrap().open.iter().filter(|s| s.attempt.0 == "a").count();
            assert_eq!(left, open, "{fate:?}");
        }
    }
}
