//! Members seen running: what that proves, and when it opens an epoch.

use crate::app_state::AppState;
use crate::look::{Look, holder_of};
use crate::memory::Epoch;
use crate::names::{AttemptId, ContainerId, GroupId, ReplicaName};
use crate::observation::{Role, Status};
use crate::ordering::is_headless;
use crate::plan::News;
use crate::recall::line::of_the_new_line;
use crate::record::Record;
use crate::start::{Lock, Start, StartKind, origin};

/// Seen Primary or Secondary = confirmed, however its command ended.
pub(super) fn confirm_running(look: &mut Look<'_>, news: &mut Vec<News>) {
    let running: Vec<ReplicaName> = look.running().cloned().collect();
    for name in &running {
        write_start_of_found(look, name);
    }
    if two_groups(look).is_some() {
        return;
    }
    open_epoch(look, &running, news);
    if look.epoch() == 0 {
        return;
    }
    for name in running.iter().filter(|name| belongs(look, name)).cloned().collect::<Vec<_>>() {
        confirm(look, &name, news);
    }
}

/// Two running members that name different groups.
pub(crate) fn two_groups(look: &Look<'_>) -> Option<(ReplicaName, ReplicaName)> {
    let mut named = look.running().filter_map(|name| Some((name, group(look, name)?)));
    let (first, its_group) = named.next()?;
    named.find(|(_, other)| *other != its_group).map(|(second, _)| (first.clone(), second.clone()))
}

fn group<'a>(look: &Look<'a>, name: &ReplicaName) -> Option<&'a GroupId> {
    match &look.pod(name)?.status {
        Status::Answer(answer) => answer.group.as_ref(),
        _ => None,
    }
}

/// A member that runs without an open start gets one: it is alive, and that must not be forgotten.
fn write_start_of_found(look: &mut Look<'_>, name: &ReplicaName) {
    let Some(pod) = look.pod(name) else { return };
    let (Some(container), Some(node)) = (pod.live_container(), pod.node.as_ref()) else { return };
    let Some(boot) = look.seen.nodes.get(node).map(|node| node.boot.clone()) else { return };
    let Some(holder) = look.seen.replicas.get(name).and_then(|r| holder_of(r, look.target())) else { return };
    let now = look.measure();
    let Some(record) = look.memory.holders.get_mut(&holder) else { return };
    let (from, measure) = origin(record.standing(), now);
    if record.open.iter().any(|start| start.container == *container) {
        return;
    }
    record.starts += 1;
    record.open.push(Start {
        attempt: AttemptId(format!("found-{container}")),
        kind: StartKind::Found,
        pod: pod.uid.clone(),
        container: container.clone(),
        node: node.clone(),
        boot,
        lock: Lock::NotHeld,
        confirmed: true,
        began: true,
        ended: true,
        said: String::new(),
        joining_before: record.joining,
        from,
        measure,
    });
}

/// A seed, a promotion after a lost primary, and a set found running after an outage begin a new epoch. Its base is by
/// the measure by which it was read: another policy may decide by now.
fn open_epoch(look: &mut Look<'_>, running: &[ReplicaName], news: &mut Vec<News>) {
    let opener = running.iter().find(|name| opens(look, name)).cloned();
    let is_new_to_us = look.memory.outage.is_some() || look.epoch() == 0;
    let adopted = running.first().filter(|_| is_new_to_us).cloned();
    let Some(name) = opener.or(adopted) else { return };
    let Some(start) = last_start(look, &name).cloned() else { return };
    let members = of_the_new_line(look, running, &name, &start);
    let number = look.epoch() + 1;
    look.memory.epoch = Epoch { number, base: start.base() };
    look.memory.outage = None;
    look.memory.restore_replicas = None;
    news.push(News::EpochOpened(number, name.clone()));
    if start.kind == StartKind::Found {
        news.push(News::Adopted(name));
    }
    for (_, record) in look.memory.holders.iter_mut().filter(|(holder, _)| members.contains(holder)) {
        record.confirmed = number;
        record.joining = false;
    }
}

fn last_start<'a>(look: &'a Look<'_>, name: &ReplicaName) -> Option<&'a Start> {
    let container = look.pod(name)?.live_container()?;
    look.record(name)?.open.iter().rev().find(|start| start.container == *container)
}

fn opens(look: &Look<'_>, name: &ReplicaName) -> bool {
    let new = |start: &Start| match start.kind {
        StartKind::Seed => !start.confirmed,
        StartKind::Promote => !start.confirmed && start.from.is_some(),
        _ => false,
    };
    *look.state(name) == AppState::Primary && last_start(look, name).is_some_and(new)
}

/// Whether a running member is of the newest epoch: it was, we made it so, or nothing is known
/// of its past. One of an older epoch that came up by itself is not.
fn belongs(look: &Look<'_>, name: &ReplicaName) -> bool {
    let ours = |record: &Record| record.joining || record.confirmed == look.epoch() || record.confirmed == 0;
    look.record(name).is_some_and(ours)
}

fn confirm(look: &mut Look<'_>, name: &ReplicaName, news: &mut Vec<News>) {
    let epoch = look.epoch();
    let role = if *look.state(name) == AppState::Primary { Role::Primary } else { Role::Secondary };
    let Some(container) = look.pod(name).and_then(|pod| pod.live_container()).cloned() else { return };
    let Some(holder) = look.seen.replicas.get(name).and_then(|r| holder_of(r, look.target())) else { return };
    let headless = is_headless(look);
    let Some(record) = look.memory.holders.get_mut(&holder) else { return };
    let brought_up =
        |start: &Start| start.container == container && !start.confirmed && confirms(role, start.kind);
    if record.joining || record.open.iter().any(brought_up) {
        news.push(News::Joined(name.clone()));
    }
    record.confirmed = epoch;
    record.joining = false;
    record.left = false;
    // While no primary lives, what a person gave up of a follower stays given up.
    record.waived &= headless;
    record.tried = None;
    record.stop_tried = None;
    record.last = Some(role);
    for start in record.open.iter_mut().filter(|start| start.container == container) {
        start.confirmed |= confirms(role, start.kind);
    }
    fold(&mut record.open, &container);
    end_former_holders(look, name, &holder);
}

/// A member that still answers what it was before says nothing of a promotion or demotion.
fn confirms(role: Role, kind: StartKind) -> bool {
    match kind {
        StartKind::Promote => role == Role::Primary,
        StartKind::Demote => role == Role::Secondary,
        StartKind::Seed | StartKind::Join | StartKind::Follow | StartKind::Found => true,
    }
}

/// What only turned a running member is part of the start that made it, once it is over; its lock is
/// asked again. Two records made one do not tell the order of their starts, but their kinds do.
fn fold(open: &mut Vec<Start>, container: &ContainerId) {
    let here = |start: &Start| start.container == *container;
    let over = open.iter().filter(|start| here(start)).all(|start| start.ended);
    if over && open.iter().filter(|start| here(start)).count() > 1 {
        let kept = made_by(open, container).cloned();
        open.retain(|start| !here(start) || Some(&start.attempt) == kept.as_ref());
        open.iter_mut().filter(|start| here(start)).for_each(|start| start.lock = Lock::Unasked);
    }
}

/// The start that a member runs by in this container; the others only turned it.
pub(super) fn made_by<'a>(open: &'a [Start], container: &ContainerId) -> Option<&'a AttemptId> {
    let turns = |start: &&Start| match start.kind {
        StartKind::Seed | StartKind::Join | StartKind::Found => 0,
        StartKind::Follow => 1,
        StartKind::Promote | StartKind::Demote => 2,
    };
    let here = open.iter().filter(|start| start.container == *container);
    here.min_by_key(turns).map(|start| &start.attempt)
}

/// The replica's new data is confirmed: what it had before is of no more use, but its starts stay open.
fn end_former_holders(look: &mut Look<'_>, name: &ReplicaName, holder: &crate::record::HolderId) {
    for (other, record) in &mut look.memory.holders {
        if record.replica == *name && other != holder {
            record.ended = true;
        }
    }
    look.memory.holders.retain(|_, record| !record.ended || !record.open.is_empty());
}

#[cfg(test)]
mod tests {
    use crate::fixture::{answer, memory, name, record, start, stopped_set};
    use crate::measure::Measure;
    use crate::memory::Outage;
    use crate::observation::Status;
    use crate::start::StartKind;
    use crate::{Memory, Observation, Position, Record, decide};

    fn running(size: u32) -> Observation {
        (0..size).fold(stopped_set(size), |seen, ordinal| seen.answers(ordinal, 0))
    }

    fn confirmed(memory: &Memory) -> Vec<u64> {
        (0..3).filter_map(|n| memory.of(&name(n)).next().map(|record| record.confirmed)).collect()
    }

    #[test]
    fn a_running_set_that_nobody_knows_is_adopted_and_nothing_is_done_to_it() {
        let plan = decide(&running(3), &Memory::default());
        assert_eq!((plan.memory.epoch.number, confirmed(&plan.memory)), (1, vec![1, 1, 1]));
        assert!(plan.memory.holders.values().all(|record| record.open.len() == 1), "each may be alive");
        let known = plan.memory;
        assert_eq!(decide(&running(3), &known).memory, known, "and nothing changes after that");
    }

    #[test]
    fn a_seed_seen_primary_opens_an_epoch_with_what_it_held() {
        let mut seeding: Record = record(0).confirmed_in(1);
        let mut promised = start(0, "seed");
        (promised.kind, promised.confirmed, promised.from) =
            (StartKind::Seed, false, Some(Position::Ordinal(9)));
        seeding.open.push(promised);
        let mut known = memory([seeding, record(1).confirmed_in(1)]);
        known.outage = Some(Outage::default());
        let plan = decide(&stopped_set(2).answers(0, 0), &known);
        assert_eq!(plan.memory.epoch.number, 2);
        assert_eq!(plan.memory.epoch.base.unwrap().position, Position::Ordinal(9));
        assert_eq!(plan.memory.outage, None);
        let confirmed: Vec<u64> = plan.memory.holders.values().map(|record| record.confirmed).collect();
        assert_eq!(confirmed, [2, 1], "the other has to be brought in");
    }

    #[test]
    fn what_an_epoch_began_with_is_of_the_outage_and_the_reader_by_which_it_was_read() {
        let mut seeding: Record = record(0).confirmed_in(1);
        let mut promised = start(0, "seed");
        (promised.kind, promised.confirmed, promised.from) =
            (StartKind::Seed, false, Some(Position::Ordinal(9)));
        promised.measure = Measure { outage: 4, reader: Some("another".into()) };
        let read = promised.measure.clone();
        seeding.open.push(promised);
        let mut known = memory([seeding]);
        (known.outage, known.outages) = (Some(Outage::default()), 5);
        let plan = decide(&stopped_set(1).answers(0, 0), &known);
        assert_eq!(
            plan.memory.epoch.base.unwrap().measure,
            read,
            "one more was counted while it came up, and another reads by now"
        );
    }

    #[test]
    fn a_set_that_healed_itself_is_adopted_in_a_new_epoch() {
        let mut known = memory([0, 1, 2].map(|n| record(n).confirmed_in(4).at(7)));
        known.outage = Some(Outage::default());
        let plan = decide(&running(3), &known);
        assert_eq!((plan.memory.epoch.number, confirmed(&plan.memory)), (5, vec![5, 5, 5]));
    }

    #[test]
    fn a_member_of_an_older_epoch_that_came_up_by_itself_is_not_confirmed() {
        let known = memory([record(0).confirmed_in(2).open_start("a"), record(1).confirmed_in(1)]);
        let plan = decide(&running(2), &known);
        assert_eq!(plan.memory.of(&name(1)).next().unwrap().confirmed, 1);
    }

    #[test]
    fn two_groups_confirm_nobody_and_hold() {
        let mut seen = running(2);
        for (ordinal, group) in [(0, "a"), (1, "b")] {
            let Status::Answer(mut given) = answer(ordinal, 0) else { panic!("an answer") };
            given.group = Some(group.into());
            seen.pod_mut(ordinal).status = Status::Answer(given);
        }
        let plan = decide(&seen, &Memory::default());
        assert_eq!(plan.memory.epoch.number, 0);
        assert_eq!(plan.holds[0].reason.name(), "TwoGroups");
    }

    #[test]
    fn what_made_a_member_is_kept_whatever_the_order_of_its_starts() {
        for order in [["seed", "follow"], ["follow", "seed"]] {
            let mut turned = record(0).confirmed_in(1).open_start(order[0]).open_start(order[1]);
            for start in &mut turned.open {
                start.kind = if start.attempt.0 == "seed" { StartKind::Seed } else { StartKind::Follow };
            }
            let plan = decide(&running(1), &memory([turned]));
            let open: Vec<String> =
                plan.memory.of(&name(0)).flat_map(|r| &r.open).map(|s| s.attempt.0.clone()).collect();
            assert_eq!(open, ["seed"]);
        }
    }

    #[test]
    fn what_a_follower_may_hold_stays_given_up_only_until_a_primary_lives() {
        let waived = |code: i32| {
            let mut seen = running(2).answers(0, code);
            (seen.target.has_secondary, seen.target.primaries) = (true, 1);
            let mut given_up = record(1).confirmed_in(1).open_start("a");
            given_up.waived = true;
            let known = memory([record(0).confirmed_in(1).open_start("b"), given_up]);
            decide(&seen, &known).memory.of(&name(1)).any(|record| record.waived)
        };
        assert!(waived(0), "both follow nobody");
        assert!(!waived(8), "it follows a primary");
    }

    #[test]
    fn a_promotion_that_ended_is_folded_into_the_start_of_its_member() {
        let mut promoted = record(0).confirmed_in(1).open_start("join").open_start("promote");
        promoted.open[1].kind = StartKind::Promote;
        promoted.open[1].confirmed = false;
        let plan = decide(&running(1), &memory([promoted]));
        let open: Vec<String> =
            plan.memory.of(&name(0)).flat_map(|r| &r.open).map(|s| s.attempt.0.clone()).collect();
        assert_eq!(open, ["join"]);
    }
}
