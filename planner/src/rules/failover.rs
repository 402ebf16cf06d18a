//! No primary runs: a secondary is promoted after the old primary is surely gone, if it holds all that
//! is known; else the old primary itself starts beside them.

use crate::app_state::AppState;
use crate::draft::{Draft, Flow};
use crate::hold::Reason;
use crate::key::KeyKind;
use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::{Command, Pod, Role};
use crate::ordering::{lower_bound, members, secondaries};
use crate::plan::{Cause, News};
use crate::position::Position;
use crate::record::{Reading, Record};
use crate::rules::close::start_open;
use crate::rules::seed::below_base;
use crate::seeding::includes_base;
use crate::start::{Start, StartKind};
use crate::target::Failover;
use crate::timer::Timer;
use crate::veto;

pub(crate) fn fail_over(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    if let Some(record) = may_be_alive(look) {
        let start = &record.open[0];
        let reason = start_open(look, record, start);
        draft.hold_replica(&record.replica, reason, &[(KeyKind::AssertFenced, start.pod.to_string())]);
        return Flow::On;
    }
    if is_promoting(look) {
        return Flow::On;
    }
    let lost: Vec<&Record> = lost_primaries(look).collect();
    // Once the old primary is given up, a follower that is not heard may hold more than those that are.
    let owed = if lost.is_empty() { unheard_followers(look) } else { lost.clone() };
    let unread_run = read_running(draft);
    let unread_lost = read_owed(draft, &owed);
    let loss_allowed = look.target().failover == Failover::AllowLoss;
    if unread_run || (unread_lost && !loss_allowed) {
        return Flow::On;
    }
    choose(draft, &owed, lost.is_empty())
}

/// Whether a running secondary is still to be asked how much it holds at least. One that gave no
/// position is asked again later.
fn read_running(draft: &mut Draft<'_>) -> bool {
    let look = draft.look;
    let unread: Vec<&ReplicaName> = secondaries(look).filter(|name| said(look, name).is_none()).collect();
    for name in &unread {
        draft.run(name, Command::Read, Cause::Answer);
        draft.hold_replica(name, Reason::Unread((*name).clone(), None), &[]);
    }
    for name in secondaries(look).filter(|name| lower_bound(look, name).is_none()) {
        let Some(container) = look.pod(name).and_then(Pod::live_container) else { continue };
        if look.is_ripe(&Timer::Unreadable(name.clone(), container.clone())) {
            draft.run(name, Command::Read, Cause::Answer);
        }
    }
    !unread.is_empty()
}

/// What a running member answered since its primary was lost, a position or not.
fn said<'b>(look: &'b Look<'_>, name: &ReplicaName) -> Option<&'b Reading> {
    let record = look.record(name)?;
    record.running.as_ref().filter(|taken| taken.starts == record.starts).map(|taken| &taken.reading)
}

/// Whether what a member that does not run holds is still to be had.
fn read_owed(draft: &mut Draft<'_>, owed: &[&Record]) -> bool {
    let look = draft.look;
    let unread: Vec<&&Record> = owed.iter().filter(|record| record.standing().is_none()).collect();
    for record in &unread {
        let at_home = look.home(&record.holder).filter(|name| *look.state(name) == AppState::Stopped);
        if let Some(name) = at_home.filter(|_| record.open.is_empty()) {
            draft.run(name, Command::Read, Cause::Answer);
        }
        hold(draft, record, "its position is not known".to_owned());
    }
    !unread.is_empty()
}

fn hold(draft: &mut Draft<'_>, record: &Record, why: String) {
    let name = &record.replica;
    draft.hold_replica(
        name,
        Reason::NoPromotion(name.clone(), why),
        &[(KeyKind::AcceptLoss, name.to_string())],
    );
}

fn choose(draft: &mut Draft<'_>, owed: &[&Record], given_up: bool) -> Flow {
    let look = draft.look;
    let candidates = members(look);
    if candidates.is_empty() {
        // What keeps each of them from being one is held for by name.
        return Flow::On;
    }
    let order = match veto::order(look, &candidates) {
        Ok(order) => order,
        Err(reason) => {
            draft.hold(reason, &[]);
            return Flow::On;
        }
    };
    let includes = |name: &&ReplicaName, record: &Record| match (lower_bound(look, name), record.position()) {
        (Some(mine), Some(owed)) => mine.includes(owed),
        _ => false,
    };
    let safe = order.iter().find(|name| owed.iter().all(|record| includes(name, record)));
    match (look.target().failover, safe, order.first()) {
        // A person gave up the old primary, or its data went with its pod: nothing can come back.
        (_, Some(name), _) if given_up => draft.run_alone(name, Command::Promote, Cause::Answer),
        (Failover::NoKnownLoss | Failover::AllowLoss, Some(name), _) => {
            draft.run_alone(name, Command::Promote, Cause::Answer)
        }
        (Failover::AllowLoss, None, Some(name)) => {
            draft.plan.news.push(News::LossAccepted(name.clone()));
            draft.run_alone(name, Command::Promote, Cause::Answer)
        }
        _ if given_up => {
            let why = "it holds what no running secondary holds".to_owned();
            owed.iter().for_each(|record| hold(draft, record, why.clone()));
            Flow::On
        }
        _ => seed_old_primary(draft, owed),
    }
}

/// Followers of this epoch of which it is not known how much they hold: they do not run, their pod is
/// away, they are silent, or they run and cannot be read.
fn unheard_followers<'b>(look: &'b Look<'_>) -> Vec<&'b Record> {
    let epoch = look.epoch();
    let is_heard = |name: &ReplicaName| {
        look.state(name).is_running() && !matches!(said(look, name), Some(Reading::Unreadable(_)))
    };
    let is_unheard = |record: &&Record| {
        let of_epoch = record.confirmed == epoch && !record.joining && !record.waived && !record.ended;
        of_epoch && !record.is_behind() && !look.home(&record.holder).is_some_and(is_heard)
    };
    look.memory.holders.values().filter(is_unheard).collect()
}

/// No secondary has it all: the old primary itself starts beside them, if it holds what they have and what the epoch
/// began with; of several, one that holds what the others have, too.
fn seed_old_primary(draft: &mut Draft<'_>, lost: &[&Record]) -> Flow {
    let look = draft.look;
    let followed = secondaries(look).filter_map(|name| lower_bound(look, name));
    let bounds: Vec<&Position> = followed.chain(lost.iter().filter_map(|record| record.position())).collect();
    let holds_all = |record: &&&Record| {
        record.position().is_some_and(|mine| bounds.iter().all(|other| mine.includes(other)))
    };
    let others_open = |record: &Record| {
        let others = look.memory.holders.values().filter(|other| other.holder != record.holder);
        others.into_iter().any(|other| !other.open.is_empty() && !follows(look, other))
    };
    let all_heard = !look.states.values().any(|state| matches!(state, AppState::Unknown(_)));
    let mut below = Vec::new();
    for record in lost.iter().filter(holds_all).filter(|_| all_heard) {
        if let Some(here) = record.position().filter(|here| !includes_base(look, here)) {
            below.push((*record, below_base(look, record, here)));
            continue;
        }
        // Its replica may have other data by now.
        let Some(name) = look.home(&record.holder) else { continue };
        if *look.state(name) == AppState::Stopped && record.open.is_empty() && !others_open(record) {
            return draft.run_alone(name, Command::Seed, Cause::Answer);
        }
    }
    for record in lost {
        let name = &record.replica;
        let keys = [(KeyKind::AcceptLoss, name.to_string())];
        if let Some((_, reason)) = below.iter().find(|(other, _)| other.holder == record.holder) {
            draft.hold_replica(name, reason.clone(), &keys);
            continue;
        }
        let why = format!(
            "recovery.failover is {:?}, and no secondary holds all that it held",
            look.target().failover
        );
        draft.hold_replica(name, Reason::NoPromotion(name.clone(), why), &keys);
    }
    Flow::On
}

/// It answers Secondary, its open starts are those that made it so, and none is to change that.
fn follows(look: &Look<'_>, record: &Record) -> bool {
    let Some(name) = look.home(&record.holder) else { return false };
    let made_it =
        |start: &Start| look.is_here(start, name) && start.confirmed && start.kind != StartKind::Promote;
    *look.state(name) == AppState::Secondary && record.open.iter().all(made_it)
}

/// A member whose last answer was Primary, and is not so in this round, with an open start.
pub(crate) fn may_be_alive<'b>(look: &'b Look<'_>) -> Option<&'b Record> {
    let holders = look.memory.holders.values();
    let mut open = holders.filter(|record| !record.open.is_empty() && record.last == Some(Role::Primary));
    open.find(|record| look.home(&record.holder).is_none() || !look.state(&record.replica).is_running())
}

/// Primaries of this epoch that do not run, and are not given up.
fn lost_primaries<'b>(look: &'b Look<'_>) -> impl Iterator<Item = &'b Record> {
    let epoch = look.epoch();
    look.memory.holders.values().filter(move |record| {
        let was = record.confirmed == epoch && record.last == Some(Role::Primary) && !record.joining;
        was && !record.is_behind()
            && !record.waived
            && !record.ended
            && !look.state(&record.replica).is_running()
    })
}

fn is_promoting(look: &Look<'_>) -> bool {
    let unconfirmed =
        |start: &Start| !start.confirmed && matches!(start.kind, StartKind::Promote | StartKind::Seed);
    look.memory.holders.values().flat_map(|record| &record.open).any(unconfirmed)
}

#[cfg(test)]
mod tests {
    use crate::decision::Verdict;
    use crate::fixture::{container, memory, name, record, stopped_set};
    use crate::memory::Base;
    use crate::observation::{Command, Role, Status};
    use crate::position::History;
    use crate::record::{Reading, Taken};
    use crate::target::Failover;
    use crate::timer::{Age, Timer};
    use crate::{Memory, Observation, Plan, Position, Record, Step, decide};

    /// Member 0 was primary and is stopped at `primary`; 1 and 2 follow, at least at those positions.
    fn headless(primary: u64, followers: [u64; 2]) -> (Observation, Memory) {
        let mut seen = stopped_set(3).answers(1, 0).answers(2, 0);
        (seen.target.has_secondary, seen.target.primaries) = (true, 1);
        for ordinal in 1..3 {
            seen.pod_mut(ordinal).active = Some(true);
            seen.pod_mut(ordinal).role = Some(Role::Secondary);
        }
        let mut old = record(0).confirmed_in(1).at(primary);
        old.last = Some(Role::Primary);
        let follower = |n: u32, at: u64| -> Record {
            let mut record = record(n).confirmed_in(1).open_start(&format!("a{n}"));
            let reading = Reading::At(Position::Ordinal(at));
            record.running = Some(Taken {
                reading,
                starts: 1,
                container: container(n),
                outage: 1,
                facts: Vec::new(),
                raw: String::new(),
            });
            record
        };
        (seen, memory([old, follower(1, followers[0]), follower(2, followers[1])]))
    }

    fn orders(seen: &mut Observation, order: &[u32]) {
        let answer = order.iter().map(|n| name(*n)).collect();
        seen.verdicts.primaries = Some(Verdict::Proposed { answer, why: String::new() });
    }

    fn started(plan: &Plan) -> Vec<String> {
        let text = |step: &Step| match step {
            Step::Run(run) if run.command.is_start() => Some(format!("{:?} {}", run.command, run.replica)),
            _ => None,
        };
        plan.steps.iter().filter_map(text).collect()
    }

    #[test]
    fn a_secondary_that_holds_all_of_the_old_primary_is_promoted() {
        let (mut seen, known) = headless(5, [4, 7]);
        orders(&mut seen, &[2]);
        assert_eq!(started(&decide(&seen, &known)), ["Promote x-2"]);
    }

    #[test]
    fn if_none_does_the_old_primary_itself_is_started() {
        let (mut seen, known) = headless(9, [4, 7]);
        orders(&mut seen, &[2]);
        assert_eq!(started(&decide(&seen, &known)), ["Seed x-0"]);
    }

    #[test]
    fn an_old_primary_that_lacks_what_the_epoch_began_with_waits_for_a_person() {
        for (base, reason) in [
            (Position::Ordinal(10), "BelowBase"),
            (Position::History(History::up_to("a", 3)), "BaseOfOtherKind"),
        ] {
            let (mut seen, mut known) = headless(9, [4, 7]);
            orders(&mut seen, &[2]);
            known.epoch.base = Some(Base { position: base, outage: 1 });
            let plan = decide(&seen, &known);
            assert_eq!(started(&plan), [""; 0], "{reason}");
            let hold = plan.holds.iter().find(|hold| hold.reason.name() == reason).unwrap();
            seen.target.keys = hold.keys.clone();
            assert_eq!(started(&decide(&seen, &plan.memory)), ["Promote x-2"], "{reason}: it is given up");
        }
    }

    #[test]
    fn of_several_old_primaries_one_starts_that_holds_what_the_others_have() {
        let (mut seen, mut known) = headless(9, [4, 7]);
        orders(&mut seen, &[1]);
        seen = seen.answers(2, 7);
        seen.pod_mut(2).active = Some(false);
        seen.pod_mut(2).role = Some(Role::Stopped);
        let other = record(2).confirmed_in(1).at(12);
        known.holders.insert(other.holder.clone(), Record { last: Some(Role::Primary), ..other });
        assert_eq!(started(&decide(&seen, &known)), ["Seed x-2"]);
        let line = |lineage: &str| Reading::At(Position::History(History::up_to(lineage, 9)));
        for (ordinal, lineage) in [(0, "a"), (2, "b")] {
            let record = known.holders.get_mut(&crate::fixture::holder(ordinal)).unwrap();
            record.reading.as_mut().unwrap().reading = line(lineage);
        }
        known.holders.get_mut(&crate::fixture::holder(1)).unwrap().running.as_mut().unwrap().reading =
            line("a");
        assert!(started(&decide(&seen, &known)).is_empty(), "they have parted");
    }

    #[test]
    fn another_claim_in_the_place_of_the_old_primary_is_not_started_for_it() {
        let (mut seen, known) = headless(9, [4, 7]);
        orders(&mut seen, &[2]);
        seen.replicas.get_mut(&name(0)).unwrap().claims[0].uid = "another".into();
        let plan = decide(&seen, &known);
        assert!(started(&plan).is_empty());
        assert!(plan.holds.iter().any(|hold| hold.reason.name() == "NoPromotion" && !hold.keys.is_empty()));
    }

    #[test]
    fn a_primary_that_cannot_be_read_holds_the_failover_unless_the_loss_is_accepted() {
        let (mut seen, mut known) = headless(9, [4, 7]);
        orders(&mut seen, &[2]);
        seen.replicas.get_mut(&name(0)).unwrap().pod = None;
        known.holders.get_mut(&crate::fixture::holder(0)).unwrap().reading = None;
        let plan = decide(&seen, &known);
        assert!(started(&plan).is_empty());
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "NoPromotion").unwrap();
        let mut allowed = seen.clone();
        allowed.target.keys = hold.keys.clone();
        assert_eq!(started(&decide(&allowed, &plan.memory)), ["Promote x-2"]);
        seen.target.failover = Failover::AllowLoss;
        assert_eq!(started(&decide(&seen, &known)), ["Promote x-2"]);
        seen.target.failover = Failover::Never;
        assert!(started(&decide(&seen, &known)).is_empty());
    }

    #[test]
    fn nobody_is_promoted_while_the_old_primary_may_be_alive() {
        let (mut seen, mut known) = headless(5, [4, 7]);
        orders(&mut seen, &[2]);
        let alive = record(0).confirmed_in(1).open_start("a0");
        known.holders.insert(alive.holder.clone(), Record { last: Some(Role::Primary), ..alive });
        assert!(started(&decide(&seen, &known)).is_empty());
    }

    #[test]
    fn secondaries_are_read_before_one_is_promoted() {
        let (mut seen, mut known) = headless(5, [4, 7]);
        orders(&mut seen, &[1, 2]);
        known.holders.values_mut().for_each(|record| record.running = None);
        let plan = decide(&seen, &known);
        let reads =
            plan.steps.iter().filter(|s| matches!(s, Step::Run(run) if run.command == Command::Read)).count();
        assert_eq!((reads, started(&plan).len()), (2, 0));
    }

    #[test]
    fn once_the_old_primary_is_given_up_every_other_follower_is_waited_for() {
        let (mut seen, mut known) = headless(9, [4, 7]);
        orders(&mut seen, &[1]);
        known.holders.get_mut(&crate::fixture::holder(0)).unwrap().waived = true;
        seen = seen.answers(2, 7);
        seen.pod_mut(2).active = Some(false);
        seen.pod_mut(2).role = Some(Role::Stopped);
        let stopped = record(2).confirmed_in(1).at(7);
        known.holders.insert(stopped.holder.clone(), Record { last: Some(Role::Secondary), ..stopped });
        let mut away = (seen.clone(), known.clone());
        away.0.replicas.get_mut(&name(2)).unwrap().pod = None;
        away.1.holders.get_mut(&crate::fixture::holder(2)).unwrap().reading = None;
        let plan = decide(&away.0, &away.1);
        assert!(started(&plan).is_empty(), "its pod is away, and it was never read");
        let mut silent = seen.clone();
        silent.pod_mut(2).status = Status::Silent("lost".to_owned());
        assert!(started(&decide(&silent, &away.1)).is_empty(), "it was not heard");
        let plan = decide(&seen, &known);
        assert!(started(&plan).is_empty(), "it holds more than the one that runs");
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "NoPromotion").unwrap();
        seen.target.keys = hold.keys.clone();
        assert_eq!(started(&decide(&seen, &plan.memory)), ["Promote x-1"]);
    }
    #[test]
    fn a_running_follower_that_cannot_be_read_is_asked_again_later_and_not_at_once() {
        let (mut seen, mut known) = headless(5, [4, 7]);
        orders(&mut seen, &[2]);
        known.holders.get_mut(&crate::fixture::holder(0)).unwrap().waived = true;
        let second = known.holders.get_mut(&crate::fixture::holder(1)).unwrap();
        second.running.as_mut().unwrap().reading = Reading::Unreadable("no".to_owned());
        let reads = |plan: &Plan| {
            plan.steps.iter().any(|s| matches!(s, Step::Run(run) if run.command == Command::Read))
        };
        let plan = decide(&seen, &known);
        assert!(started(&plan).is_empty() && !reads(&plan), "it may hold more than the others");
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "NoPromotion").unwrap();
        let mut later = seen.clone();
        later.ages.insert(Timer::Unreadable(name(1), container(1)), Age::Ripe);
        assert!(reads(&decide(&later, &known)));
        seen.target.keys = hold.keys.clone();
        assert_eq!(started(&decide(&seen, &plan.memory)), ["Promote x-2"]);
    }
}
