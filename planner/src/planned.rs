//! A primary that the operator stops itself, for a change that the resource asks for: to go on from there is no recovery.

use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::{Command, Pod};
use crate::ordering::{lower_bound, primaries_away_in, primaries_lost_in};
use crate::plan::Cause;
use crate::record::Record;
use crate::target::Mode;

/// Whether a stop for this cause ends the only primary of a set that is to go on.
pub(crate) fn ends_only_primary(look: &Look<'_>, name: &ReplicaName, cause: Cause) -> bool {
    let is_change = matches!(cause, Cause::Template | Cause::Size | Cause::Unguarded);
    is_change && look.target().replicas > 0 && look.live_primaries().eq([name])
}

/// Whether a set goes on by this after such a stop, and loses nothing: from the same data, or from a secondary that holds
/// all of it. A person is not asked then, whatever `recovery.mode` is.
pub(crate) fn goes_on(look: &Look<'_>, name: &ReplicaName, command: Command) -> bool {
    match command {
        Command::Promote => {
            changes_primary(look)
                && primaries_lost_in(look, look.epoch()).all(|lost| holds_all(look, name, lost))
        }
        Command::Seed => look.record(name).is_some_and(|own| was_stopped(own) && others_run(look, own)),
        _ => false,
    }
}

/// Whether the set waits for no primary but one that was stopped so. Where a person is asked about losses, such a change
/// has none: that primary starts again if no secondary holds all of its data.
pub(crate) fn waits_for_old(look: &Look<'_>) -> bool {
    look.target().mode != Mode::Auto && changes_primary(look)
}

/// Each primary of the newest epoch that is away was stopped for a change.
fn changes_primary(look: &Look<'_>) -> bool {
    let mut away = primaries_away_in(look, look.epoch()).peekable();
    away.peek().is_some() && away.all(was_stopped)
}

/// Nothing was started on its data since.
fn was_stopped(record: &Record) -> bool {
    record.planned_stop == Some(record.starts)
}

fn holds_all(look: &Look<'_>, name: &ReplicaName, lost: &Record) -> bool {
    lower_bound(look, name).zip(lost.position()).is_some_and(|(here, there)| here.includes(there))
}

/// Every other member of the newest epoch that is wanted runs: else it is an outage.
fn others_run(look: &Look<'_>, own: &Record) -> bool {
    let counts = |other: &&Record| {
        let is_given_up = other.joining || other.waived || other.ended;
        other.confirmed == look.epoch() && !is_given_up && other.holder != own.holder
    };
    let runs = |other: &Record| {
        let home = look.home(&other.holder);
        home.is_some_and(|name| look.place(name) >= look.target().replicas || look.state(name).is_running())
    };
    look.memory.holders.values().filter(counts).all(runs)
}

/// Whether it runs on though it was to be stopped: then nothing is planned of it any more, until it is told again.
pub(crate) fn runs_on(look: &Look<'_>, name: &ReplicaName) -> bool {
    let container = look.pod(name).and_then(Pod::live_container);
    let under_way = container.and_then(|container| look.under_way(container));
    look.state(name).is_running() && under_way.is_none_or(|(_, attempt)| attempt.command != Command::Stop)
}

#[cfg(test)]
mod tests {
    use crate::fixture::{headless, holder, name};
    use crate::guarantees::{holds, ordered, sends};
    use crate::hold::Hold;
    use crate::observation::Command;
    use crate::target::{Failover, Mode};
    use crate::{Memory, Observation, Plan, decide};

    type Change = fn(&mut Observation, &mut Memory);

    /// The primary x-0 was stopped for a change and holds this much; x-2 holds 7 and comes first, x-1 holds 4.
    fn after_stop(primary: u64, change: Change) -> Plan {
        let (seen, mut known) = headless(primary, [4, 7]);
        let mut seen = ordered(seen, &[2]);
        seen.target.mode = Mode::Ask;
        let stopped = known.holders.get_mut(&holder(0)).unwrap();
        stopped.planned_stop = Some(stopped.starts);
        change(&mut seen, &mut known);
        let plan = decide(&seen, &known);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
        plan
    }

    fn waits(plan: &Plan) -> bool {
        let asks = |hold: &Hold| ["AwaitsApproval", "PlannedOnly"].contains(&hold.reason.name());
        plan.holds.iter().any(asks)
    }

    #[test]
    fn after_a_planned_stop_a_secondary_that_holds_all_leads_without_a_word() {
        let cases: [(&str, Change, bool); 4] = [
            ("a person is asked about recoveries", |_, _| {}, true),
            ("recoveries are only told", |seen, _| seen.target.mode = Mode::PlanOnly, true),
            ("it was not stopped for a change", |_, known| forget(known), false),
            (
                "it was started since",
                |_, known| known.holders.get_mut(&holder(0)).unwrap().planned_stop = Some(0),
                false,
            ),
        ];
        for (sentence, change, expected) in cases {
            let plan = after_stop(5, change);
            assert_eq!(sends(&plan, Command::Promote, 2), expected, "{sentence}: {:?}", plan.holds);
            assert_eq!(waits(&plan), !expected, "{sentence}: {:?}", plan.holds);
        }
    }

    fn forget(known: &mut Memory) {
        known.holders.get_mut(&holder(0)).unwrap().planned_stop = None;
    }

    #[test]
    fn where_no_secondary_holds_all_the_primary_that_was_stopped_starts_again_without_a_word() {
        for failover in [Failover::Never, Failover::NoKnownLoss, Failover::AllowLoss] {
            let plan = match failover {
                Failover::Never => after_stop(9, |seen, _| seen.target.failover = Failover::Never),
                Failover::NoKnownLoss => after_stop(9, |_, _| {}),
                Failover::AllowLoss => after_stop(9, |seen, _| seen.target.failover = Failover::AllowLoss),
            };
            assert!(sends(&plan, Command::Seed, 0), "{failover:?}: {:?} {:?}", plan.steps, plan.holds);
        }
        assert!(!waits(&after_stop(9, |seen, _| seen.target.mode = Mode::PlanOnly)));
        let asked = after_stop(9, |_, known| forget(known));
        assert!(holds(&asked, "AwaitsApproval"), "{:?}", asked.holds);
    }

    #[test]
    fn a_primary_that_runs_on_is_no_planned_stop_any_more() {
        let plan = after_stop(5, |seen, _| *seen = seen.clone().answers(0, 8));
        assert_eq!(plan.memory.of(&name(0)).find_map(|record| record.planned_stop), None);
    }
}
