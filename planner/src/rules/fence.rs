//! A primary of an older epoch takes writes that nobody will keep: it is stopped.

use crate::draft::{Draft, Flow};
use crate::names::ReplicaName;
use crate::observation::Command;
use crate::plan::Cause;

pub(crate) fn fence(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    if look.live_primaries().next().is_none() {
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
}
