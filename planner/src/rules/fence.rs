//! A primary of an older epoch takes writes that nobody will keep: it is stopped. So is one that alone
//! runs while the newest epoch's members rest: as long as it does, nobody may start them.

use crate::app_state::AppState;
use crate::draft::{Draft, Flow};
use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::Command;
use crate::plan::Cause;

pub(crate) fn fence(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    if look.live_primaries().next().is_none() && !newest_rests(look) {
        return Flow::On;
    }
    let of_old = |name: &&ReplicaName| {
        look.record(name).is_some_and(|record| record.confirmed < look.epoch() && !record.joining)
    };
    for name in look.running().filter(of_old) {
        draft.run(name, Command::Stop, Cause::Epoch);
    }
    Flow::On
}

/// Somebody of the newest epoch can be started, and nobody of it runs, or may.
fn newest_rests(look: &Look<'_>) -> bool {
    let of_newest = || look.states.iter().filter(|(name, _)| look.is_confirmed(name)).map(|(_, state)| state);
    let is_silent = |state: &AppState| matches!(state, AppState::Unknown(_) | AppState::Failed(_));
    of_newest().any(|state| *state == AppState::Stopped)
        && !of_newest().any(AppState::is_running)
        && !look.states.values().any(is_silent)
}

#[cfg(test)]
mod tests {
    use crate::fixture::{memory, record, stopped_set};
    use crate::observation::Command;
    use crate::plan::Cause;
    use crate::{Step, decide};

    #[test]
    fn a_primary_of_an_older_epoch_is_stopped_while_the_newest_is_served() {
        let mut seen = stopped_set(2).answers(0, 0).answers(1, 0);
        seen.pod_mut(0).active = Some(true);
        for ordinal in 0..2 {
            seen.pod_mut(ordinal).role = Some(crate::observation::Role::Primary);
        }
        let known =
            memory([record(0).confirmed_in(2).open_start("a"), record(1).confirmed_in(1).open_start("b")]);
        let plan = decide(&seen, &known);
        let stops = |step: &Step| matches!(step, Step::Run(run) if run.command == Command::Stop && run.cause == Cause::Epoch && run.replica.0 == "x-1");
        assert!(plan.steps.iter().any(stops), "{:?}", plan.steps);
    }

    #[test]
    fn one_of_an_older_epoch_that_alone_runs_is_stopped_once_the_newest_is_known_to_rest() {
        let known = memory([
            record(0).confirmed_in(2).at(5),
            record(1).confirmed_in(1).open_start("b"),
            record(2).confirmed_in(2).at(5),
        ]);
        let stopped = |code: i32| {
            let mut seen = stopped_set(3).answers(1, 0).answers(2, code);
            seen.pod_mut(1).role = Some(crate::observation::Role::Primary);
            let plan = decide(&seen, &known);
            assert_eq!(crate::audit::audit(&seen, &known, &plan), Ok(()));
            plan.steps.iter().any(|step| matches!(step, Step::Run(run) if run.command == Command::Stop))
        };
        assert!(stopped(7), "both of the newest epoch rest");
        assert!(!stopped(1), "one of them may be alive");
        assert!(!stopped(137), "one of them was not heard");
    }
}
