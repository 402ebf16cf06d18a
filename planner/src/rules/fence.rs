//! A primary of an older epoch takes writes that nobody will keep: it is stopped. So is one that alone
//! runs while the newest epoch's members rest, or will never come again: as long as it does, nobody may seed; and one that leads
//! beside those that follow, of whom none may take the lead meanwhile.

use crate::app_state::AppState;
use crate::draft::{Draft, Flow};
use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::Command;
use crate::ordering::secondaries;
use crate::plan::Cause;
use crate::record::Record;

pub(crate) fn fence(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    // Until all are heard after a pause it is not known whom a person started.
    if look.memory.paused {
        return Flow::On;
    }
    let is_whole = look.live_primaries().next().is_some() || newest_is_over(look);
    if !is_whole && !newest_follows(look) {
        return Flow::On;
    }
    let of_old = |name: &&ReplicaName| {
        look.record(name).is_some_and(|record| record.confirmed < look.epoch() && !record.joining)
    };
    let is_in_the_way = |name: &&ReplicaName| is_whole || *look.state(name) == AppState::Primary;
    for name in look.running().filter(of_old).filter(is_in_the_way) {
        draft.run(name, Command::Stop, Cause::Epoch);
    }
    Flow::On
}

/// Members of the newest epoch follow nobody: as long as one of an older epoch leads beside them, none takes the lead. While
/// the status does not name that epoch yet, whoever began it may be the one that leads.
fn newest_follows(look: &Look<'_>) -> bool {
    let target = look.target();
    let is_led = target.has_secondary && target.primaries > 0 && look.told == look.epoch();
    is_led && secondaries(look).next().is_some()
}

/// Nobody of the newest epoch runs, or may, and somebody of it can be started or none of it will come again.
fn newest_is_over(look: &Look<'_>) -> bool {
    let of_newest = || look.states.iter().filter(|(name, _)| look.is_confirmed(name)).map(|(_, state)| state);
    let is_silent = |state: &AppState| matches!(state, AppState::Unknown(_) | AppState::Failed(_));
    (of_newest().any(|state| *state == AppState::Stopped) || newest_is_lost(look))
        && !of_newest().any(AppState::is_running)
        && !look.states.values().any(is_silent)
}

/// All data of the newest epoch is gone or given up, and nothing that was started of it may be alive: what is left has
/// to be read at rest, and a person asked who may go on.
fn newest_is_lost(look: &Look<'_>) -> bool {
    let is_newest = |record: &Record| record.confirmed == look.epoch() && !record.joining;
    let is_lost = |record: &Record| record.waived || look.home(&record.holder).is_none();
    let runs_by = |record: &Record| {
        let home = look.home(&record.holder).filter(|name| look.state(name).is_running());
        home.is_some_and(|name| look.runs_by_its_own(name))
    };
    let may_live = |record: &Record| !record.open.is_empty() && !runs_by(record);
    let records = || look.memory.holders.values();
    records().filter(|record| is_newest(record)).all(is_lost) && !records().any(may_live)
}

#[cfg(test)]
mod tests {
    use crate::fixture::{holder, memory, name, record, stopped_set};
    use crate::memory::Outage;
    use crate::observation::{Command, Role, Status};
    use crate::plan::Cause;
    use crate::{Memory, Observation, Step, decide};

    #[test]
    fn a_primary_of_an_older_epoch_is_stopped_while_the_newest_is_served() {
        let mut seen = stopped_set(2).answers(0, 0).answers(1, 0);
        seen.pod_mut(0).active = Some(true);
        for ordinal in 0..2 {
            seen.pod_mut(ordinal).role = Some(Role::Primary);
        }
        let known =
            memory([record(0).confirmed_in(2).open_start("a"), record(1).confirmed_in(1).open_start("b")]);
        let plan = decide(&seen, &known);
        let stops = |step: &Step| matches!(step, Step::Run(run) if run.command == Command::Stop && run.cause == Cause::Epoch && run.replica.0 == "x-1");
        assert!(plan.steps.iter().any(stops), "{:?}", plan.steps);
        let mut after_pause = crate::look::Look::new(&seen, known);
        after_pause.memory.paused = true;
        let mut draft = crate::draft::Draft::new(&after_pause, Vec::new());
        assert_eq!(super::fence(&mut draft), crate::draft::Flow::On);
        assert!(draft.plan.steps.is_empty(), "it is not known whom a person started");
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
            seen.pod_mut(1).role = Some(Role::Primary);
            let plan = decide(&seen, &known);
            assert_eq!(crate::audit::audit(&seen, &known, &plan), Ok(()));
            plan.steps.iter().any(|step| matches!(step, Step::Run(run) if run.command == Command::Stop))
        };
        assert!(stopped(7), "both of the newest epoch rest");
        assert!(!stopped(1), "one of them may be alive");
        assert!(!stopped(137), "one of them was not heard");
    }

    type Change = fn(&mut Observation, &mut Memory);

    /// Member 0 led epoch 2 and rests, 2 follows in it, and 1 leads in epoch 1.
    fn beside_followers(change: Change) -> (Observation, Memory) {
        let mut seen = stopped_set(3).answers(1, 8).answers(2, 0);
        (seen.target.has_secondary, seen.target.primaries) = (true, 1);
        seen.pod_mut(1).role = Some(Role::Primary);
        (seen.pod_mut(2).role, seen.pod_mut(2).active) = (Some(Role::Secondary), Some(true));
        let mut led = record(0).confirmed_in(2).at(5);
        led.last = Some(Role::Primary);
        let mut follower = record(2).confirmed_in(2).open_start("c");
        follower.last = Some(Role::Secondary);
        let mut known = memory([led, record(1).confirmed_in(1).open_start("b"), follower]);
        change(&mut seen, &mut known);
        (seen, known)
    }

    #[test]
    fn one_of_an_older_epoch_that_leads_beside_followers_of_the_newest_is_stopped_and_costs_no_label() {
        let cases: [(&str, Change, bool); 6] = [
            ("the primary rests", |_, _| {}, true),
            ("it is in another group", |seen, _| in_groups(seen), true),
            ("the primary is silent", |seen, _| seen.pod_mut(0).status = Status::Silent("lost".into()), true),
            ("it follows as well", |seen, _| *seen = seen.clone().answers(1, 0), false),
            ("nobody is to lead", |seen, _| seen.target.primaries = 0, false),
            (
                "the status does not name the newest epoch yet",
                |seen, known| {
                    seen.replicas.get_mut(&name(2)).unwrap().claims[0].record =
                        known.holders.remove(&holder(2));
                    known.epoch.number = 1;
                    known.holders.get_mut(&holder(0)).unwrap().confirmed = 1;
                },
                false,
            ),
        ];
        for (sentence, change, expected) in cases {
            let (seen, known) = beside_followers(change);
            let plan = decide(&seen, &known);
            assert_eq!(crate::audit::audit(&seen, &known, &plan), Ok(()), "{sentence}");
            let stops = |step: &Step| matches!(step, Step::Run(run) if run.command == Command::Stop && run.replica == name(1));
            assert_eq!(plan.steps.iter().any(stops), expected, "{sentence}: {:?}", plan.steps);
            let loses = |step: &Step| matches!(step, Step::Label { replica, active: false, .. } if *replica == name(2));
            assert!(!plan.steps.iter().any(loses), "{sentence}: it is of the only group of the newest epoch");
            if !expected {
                let (first, before) = beside_followers(|_, _| {});
                let told = decide(&first, &before).steps.into_iter().filter(stops).collect();
                let found = crate::audit::audit(&seen, &known, &crate::Plan { steps: told, ..plan });
                let is_refused = |breach: &crate::audit::Breach| breach.rule == crate::audit::Rule::Stop;
                assert!(found.unwrap_err().iter().any(is_refused), "{sentence}");
            }
        }
    }

    fn in_groups(seen: &mut Observation) {
        for (ordinal, group) in [(1, "a"), (2, "b")] {
            let Status::Answer(answer) = &mut seen.pod_mut(ordinal).status else { panic!("it answers") };
            answer.group = Some(group.into());
        }
    }

    /// Member 1 runs by a start of epoch 1, 2 rests in it; what 0 held of epoch 2 went with its claim.
    fn without_the_newest(change: Change) -> (Observation, Memory) {
        let mut seen = stopped_set(3).answers(1, 0);
        seen.pod_mut(1).role = Some(Role::Primary);
        seen.replicas.get_mut(&name(0)).unwrap().claims.clear();
        let mut known = memory([
            record(0).confirmed_in(2).at(5),
            record(1).confirmed_in(1).open_start("b"),
            record(2).confirmed_in(1).at(5),
        ]);
        change(&mut seen, &mut known);
        (seen, known)
    }

    fn lose_pod(seen: &mut Observation) {
        let replica = seen.replicas.get_mut(&name(0)).unwrap();
        (replica.claims, replica.pod) = (stopped_set(1).replicas[&name(0)].claims.clone(), None);
    }

    #[test]
    fn one_of_an_older_epoch_that_alone_runs_is_stopped_once_the_newest_can_never_come_again() {
        let nothing: Change = |_, _| {};
        let outage: Change = |_, known| known.outage = Some(Outage::default());
        let given_up: Change = |seen, known| {
            lose_pod(seen);
            known.holders.get_mut(&holder(0)).unwrap().waived = true;
        };
        let away: Change = |seen, known| {
            lose_pod(seen);
            known.outage = Some(Outage::default());
        };
        let silent: Change = |seen, _| seen.pod_mut(0).status = Status::Silent("lost".to_owned());
        let failed: Change = |seen, _| seen.pod_mut(0).status = crate::fixture::answer(0, 1);
        let may_live: Change = |_, known| {
            let lost = known.holders.get_mut(&holder(0)).unwrap();
            *lost = lost.clone().open_start("a");
        };
        let elsewhere: Change = |_, known| {
            let runs = known.holders.get_mut(&holder(1)).unwrap();
            let mut other = runs.open[0].clone();
            (other.attempt, other.container) = ("c".into(), "another".into());
            runs.open.push(other);
        };
        let joining: Change = |_, known| known.holders.get_mut(&holder(1)).unwrap().joining = true;
        for (sentence, change, expected) in [
            ("its claim is gone", nothing, true),
            ("its claim is gone, in an outage", outage, true),
            ("it has no pod, and a person gave it up", given_up, true),
            ("it has no pod", away, false),
            ("somebody is not heard", silent, false),
            ("somebody failed, and may be alive", failed, false),
            ("what was started of it may be alive", may_live, false),
            ("something that was started of the one that runs may begin elsewhere", elsewhere, false),
            ("the one that runs was being brought in", joining, false),
        ] {
            let (seen, known) = without_the_newest(change);
            let plan = decide(&seen, &known);
            assert_eq!(crate::audit::audit(&seen, &known, &plan), Ok(()), "{sentence}");
            let stops = |step: &Step| matches!(step, Step::Run(run) if run.command == Command::Stop);
            assert_eq!(plan.steps.iter().any(stops), expected, "{sentence}: {:?}", plan.steps);
        }
    }
}
