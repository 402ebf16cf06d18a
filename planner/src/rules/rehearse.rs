//! In a set that is well its members are asked now and then what they hold, where that was asked for: nothing is done
//! by it, and it says beforehand whether all of them could be brought back.

use crate::draft::{Draft, Flow};
use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::Command;
use crate::plan::Cause;
use crate::recall::is_well;
use crate::timer::Timer;

/// All are asked together when one is due: answers of one moment are compared with one another.
pub(crate) fn rehearse(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    if draft.plan.steps.is_empty() && may_ask(look) && look.running().any(|name| is_due(look, name)) {
        for name in look.running() {
            draft.run(name, Command::Rehearse, Cause::Answer);
        }
    }
    Flow::On
}

/// Nothing is under way that waits for a free container, or that an answer of now would be overtaken by.
fn may_ask(look: &Look<'_>) -> bool {
    let wanted = look.target().rehearsal_interval.is_some();
    let judged = look.seen.verdicts.unavailable.is_none() && look.seen.reader.is_some();
    wanted
        && judged
        && look.memory.outage.is_none()
        && look.live_primaries().next().is_some()
        && is_well(look)
        && look.running().all(|name| is_free(look, name))
        && look.memory.holders.values().flat_map(|record| &record.open).all(|start| start.confirmed)
}

fn is_free(look: &Look<'_>, name: &ReplicaName) -> bool {
    let Some(pod) = look.pod(name) else { return false };
    let idle = pod.live_container().is_some_and(|container| look.under_way(container).is_none());
    pod.guarded && !pod.unguardable && idle
}

fn is_due(look: &Look<'_>, name: &ReplicaName) -> bool {
    let last = look.memory.rehearsals.get(name);
    last.is_none_or(|last| look.is_ripe(&Timer::Rehearsed(last.attempt.clone())))
}

#[cfg(test)]
mod tests {
    use crate::fixture::{holder, name, rehearsed_set, start};
    use crate::guarantees::attempt;
    use crate::observation::{AttemptState, Command, Status};
    use crate::plan::Step;
    use crate::timer::{Age, Timer};
    use crate::{Memory, Observation, decide, timers};

    fn asked(seen: &Observation, known: &Memory) -> usize {
        let asks = |step: &&Step| matches!(step, Step::Run(run) if run.command == Command::Rehearse && !run.lock && !run.at_rest);
        decide(seen, known).steps.iter().filter(asks).count()
    }

    /// A set that is well, asked long ago; changed.
    fn asked_after(change: impl Fn(&mut Observation, &mut Memory)) -> usize {
        let (mut seen, mut known) = rehearsed_set([5, 9, 7]);
        seen.ages.insert(Timer::Rehearsed("r0".into()), Age::Ripe);
        change(&mut seen, &mut known);
        asked(&seen, &known)
    }

    #[test]
    fn all_are_asked_together_when_one_is_due_and_nobody_before() {
        let (mut seen, mut known) = rehearsed_set([5, 9, 7]);
        assert_eq!(asked(&seen, &known), 0, "all answered a moment ago");
        let measured = timers(&seen, &known);
        assert_eq!(measured[&Timer::Rehearsed("r1".into())].seconds, 60);
        assert_eq!(measured[&Timer::RehearsalOld("r1".into())].seconds, 180);
        seen.ages.insert(Timer::Rehearsed("r1".into()), Age::Ripe);
        assert_eq!(asked(&seen, &known), 3, "one is due");
        seen.ages.clear();
        known.rehearsals.remove(&name(2));
        assert_eq!(asked(&seen, &known), 3, "one was never asked");
    }

    #[test]
    fn nobody_is_asked_unless_the_set_is_well_and_it_was_asked_for() {
        assert_eq!(asked_after(|_, _| {}), 3);
        assert_eq!(asked_after(|seen, _| seen.target.rehearsal_interval = None), 0, "it was not asked for");
        assert_eq!(asked_after(|seen, _| seen.target.paused = true), 0, "hands off");
        assert_eq!(asked_after(|seen, _| *seen = seen.clone().answers(2, 7)), 0, "one does not run");
        let silent = |seen: &mut Observation| seen.pod_mut(2).status = Status::Silent("no route".into());
        assert_eq!(asked_after(|seen, _| silent(seen)), 0, "one is not heard");
        assert_eq!(asked_after(|seen, _| seen.pod_mut(2).unguardable = true), 0, "one cannot be asked");
        assert_eq!(
            asked_after(|seen, _| seen.pod_mut(2).active = Some(false)),
            0,
            "there is something to do"
        );
        assert_eq!(asked_after(|seen, _| seen.reader = None), 0, "nobody could say what it means");
        let busy = |seen: &mut Observation| {
            seen.attempts.insert("s".into(), attempt(1, Command::Stop, AttemptState::Running));
        };
        assert_eq!(asked_after(|seen, _| busy(seen)), 0, "a command is under way");
        let opening = |known: &mut Memory| {
            let mut elsewhere = start(1, "elsewhere");
            (elsewhere.container, elsewhere.confirmed) = ("another".into(), false);
            known.holders.get_mut(&holder(1)).unwrap().open.push(elsewhere);
        };
        assert_eq!(asked_after(|_, known| opening(known)), 0, "a start is not confirmed");
        let left = |known: &mut Memory| {
            let record = known.holders.get_mut(&holder(0)).unwrap();
            record.open[0].ended = false;
        };
        assert_eq!(asked_after(|_, known| left(known)), 0, "it is asked how a start ended");
    }
}
