//! Members seen running: what that proves.

use crate::app_state::AppState;
use crate::look::Look;
use crate::names::{AttemptId, BootId, GroupId, ReplicaName};
use crate::observation::{Role, Status};
use crate::ordering::is_headless;
use crate::plan::News;
use crate::recall::fold::fold;
use crate::recall::line::goes_on;
use crate::recall::loss::begin_without;
use crate::recall::opening::{end_outage_of_followers, is_of, joined_ends_outage, open_epoch};
use crate::recall::parting::set_apart;
use crate::recall::takeover::has_taken_over;
use crate::rules::alone::is_last_before_rollout;
use crate::start::{Lock, Start, StartKind, origin};

/// Seen Primary or Secondary = confirmed, however its command ended.
pub(super) fn confirm_running(look: &mut Look<'_>, news: &mut Vec<News>) {
    let running: Vec<ReplicaName> = look.running().cloned().collect();
    for name in &running {
        write_start_of_found(look, name);
    }
    if two_groups(look).is_some() {
        set_apart(look);
        return;
    }
    open_epoch(look, &running, news);
    begin_without(look, news);
    end_outage_of_followers(look);
    if joined_ends_outage(look) || look.epoch() == 0 {
        return;
    }
    for name in running.iter().filter(|name| belongs(look, name)).cloned().collect::<Vec<_>>() {
        confirm(look, &name, news);
    }
}

/// Two running members that name different groups. One of an older epoch is no group beside the newest: it is stopped.
pub(crate) fn two_groups(look: &Look<'_>) -> Option<(ReplicaName, ReplicaName)> {
    let is_older = |name: &ReplicaName| !look.was_paused && !is_of(look, name, look.epoch());
    let named = look.running().filter(|name| !is_older(name));
    let mut named = named.filter_map(|name| Some((name, group(look, name)?)));
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
    let Some(holder) = look.holder(name).cloned() else { return };
    let (now, by_hand) = (look.measure(), look.was_paused);
    let Some(record) = look.memory.holders.get_mut(&holder) else { return };
    let (from, measure) = origin(record.standing(), now);
    if record.open.iter().any(|start| start.container == *container) {
        return;
    }
    record.starts += 1;
    record.open.push(Start {
        // One that was closed may be found again in its container.
        attempt: AttemptId(format!("found-{container}-{}", record.starts)),
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
        opens: by_hand,
        from,
        measure,
    });
}

/// Whether a running member is of the newest epoch: it was, we made it so, nothing is known of its past, or it goes on
/// where that epoch began. One of an older epoch that came up by itself is not.
fn belongs(look: &Look<'_>, name: &ReplicaName) -> bool {
    is_of(look, name, look.epoch()) || goes_on(look, name)
}

fn confirm(look: &mut Look<'_>, name: &ReplicaName, news: &mut Vec<News>) {
    let epoch = look.epoch();
    let role = if *look.state(name) == AppState::Primary { Role::Primary } else { Role::Secondary };
    let Some(container) = look.pod(name).and_then(|pod| pod.live_container()).cloned() else { return };
    let Some(holder) = look.holder(name).cloned() else { return };
    // While no primary lives, what a person gave up of a follower stays given up; so does what ends in a rollout.
    let may_stay_given_up = is_headless(look) || is_last_before_rollout(look, name);
    let boot = boot_of(look, name).cloned();
    // Until it is known whether it leads alone, it is not forgotten that it followed.
    let leads_unbidden = has_taken_over(look, name, epoch);
    let seen = look.seen;
    let Some(record) = look.memory.holders.get_mut(&holder) else { return };
    let brought_up =
        |start: &Start| start.container == container && !start.confirmed && confirms(role, start.kind);
    if record.joining || record.open.iter().any(brought_up) {
        news.push(News::Joined(name.clone()));
    }
    if record.confirmed < epoch {
        // What bounded it before is of the former epoch.
        record.running = None;
    }
    record.confirmed = epoch;
    record.joining = false;
    record.left = false;
    record.parted = None;
    record.waived &= may_stay_given_up;
    record.tried = None;
    record.stop_tried = None;
    if !leads_unbidden {
        record.last = Some(role);
    }
    for start in record.open.iter_mut().filter(|start| start.container == container) {
        start.confirmed |= confirms(role, start.kind);
        // It may have been written when this boot was not told yet.
        start.boot = boot.clone().unwrap_or_else(|| start.boot.clone());
    }
    fold(&mut record.open, &container, |start| start.is_late(seen));
    end_former_holders(look, name, &holder);
}

/// The boot in which a member runs, where nodes may be seen.
fn boot_of<'a>(look: &Look<'a>, name: &ReplicaName) -> Option<&'a BootId> {
    let node = look.pod(name)?.node.as_ref()?;
    look.seen.nodes.get(node).map(|node| &node.boot).filter(|boot| !boot.0.is_empty())
}

/// A member that still answers what it was before says nothing of a promotion or demotion.
fn confirms(role: Role, kind: StartKind) -> bool {
    match kind {
        StartKind::Promote => role == Role::Primary,
        StartKind::Demote => role == Role::Secondary,
        StartKind::Seed | StartKind::Join | StartKind::Follow | StartKind::Found => true,
    }
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
    use crate::fixture::{confirmed, holder, memory, name, record, running};
    use crate::start::{Start, StartKind};
    use crate::{Memory, decide};

    #[test]
    fn a_start_that_was_written_when_its_boot_was_not_told_yet_is_not_taken_for_one_of_the_boot_before() {
        let mut known = memory([record(0).confirmed_in(1).open_start("seed")]);
        known.holders.values_mut().for_each(|record| record.open[0].boot = "before".into());
        let seen = running(1);
        let plan = decide(&seen, &known);
        let open = &plan.memory.holders[&holder(0)].open;
        let boot = &seen.nodes.values().next().unwrap().boot;
        assert_eq!(
            open.iter().map(|start| (&start.attempt.0[..], &start.boot)).collect::<Vec<_>>(),
            [("seed", boot)]
        );
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
        let mut wrong = plan;
        wrong.memory.holders.values_mut().for_each(|record| record.open.clear());
        assert!(crate::audit(&seen, &known, &wrong).is_err(), "its container runs");
    }

    #[test]
    fn a_running_set_that_nobody_knows_is_adopted_and_nothing_is_done_to_it() {
        let plan = decide(&running(3), &Memory::default());
        assert_eq!((plan.memory.epoch.number, confirmed(&plan.memory)), (1, vec![1, 1, 1]));
        assert!(plan.memory.holders.values().all(|record| record.open.len() == 1), "each may be alive");
        assert!(plan.news.contains(&crate::plan::News::Adopted(name(0))), "{:?}", plan.news);
        let known = plan.memory;
        assert_eq!(decide(&running(3), &known).memory, known, "and nothing changes after that");
    }

    #[test]
    fn what_is_found_again_in_its_container_is_a_start_of_its_own() {
        let mut seen = running(1);
        let mut known = decide(&seen, &Memory::default()).memory;
        let found = &mut known.holders.get_mut(&holder(0)).unwrap().open[0];
        found.joining_before = true;
        let before = found.attempt.clone();
        // A kubelet's report is newer than what was told of the container before.
        seen.terminated.insert(found.container.clone());
        let plan = decide(&seen, &known);
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()));
        let open = &plan.memory.holders[&holder(0)].open;
        assert_eq!((open.len(), open[0].kind, open[0].attempt == before), (1, StartKind::Found, false));
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
        seen.in_groups(["a", "b"]);
        let plan = decide(&seen, &Memory::default());
        assert_eq!(plan.memory.epoch.number, 0);
        assert_eq!(plan.holds[0].reason.name(), "TwoGroups");
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

    /// What is known of the second member, which answers this beside one of epoch 2 that answers that, and whether it is told that
    /// it joined.
    fn seen_beside(other: i32, code: i32, mine: crate::Record) -> (crate::Record, bool) {
        let mut seen = running(2).answers(0, other).answers(1, code);
        (seen.target.has_secondary, seen.target.primaries) = (true, 1);
        let plan = decide(&seen, &memory([record(0).confirmed_in(2).open_start("a"), mine]));
        let joined = plan.news.contains(&crate::plan::News::Joined(name(1)));
        (plan.memory.of(&name(1)).next().unwrap().clone(), joined)
    }

    #[test]
    fn who_was_brought_up_is_told_once_and_a_turn_that_is_not_seen_yet_is_not() {
        let with = |kind: StartKind, confirmed: bool| {
            let mut mine = record(1).confirmed_in(2).open_start("a");
            mine.open[0] = Start { kind, confirmed, ..mine.open[0].clone() };
            mine
        };
        let joining = crate::Record { joining: true, ..with(StartKind::Follow, false) };
        for (sentence, code, mine, joined, confirmed) in [
            ("it joined", 0, joining, true, true),
            ("it was started again", 0, with(StartKind::Follow, false), true, true),
            ("it runs since long", 0, with(StartKind::Follow, true), false, true),
            ("it was told to follow, and did", 0, with(StartKind::Demote, false), true, true),
            ("it was told to follow, and leads yet", 8, with(StartKind::Demote, false), false, false),
            ("it was told to lead, and follows yet", 0, with(StartKind::Promote, false), false, false),
        ] {
            let (known, told) = seen_beside(8, code, mine);
            assert_eq!((told, known.open[0].confirmed), (joined, confirmed), "{sentence}");
        }
    }

    #[test]
    fn what_a_member_said_while_it_ran_is_of_its_epoch() {
        for (epoch, stays) in [(1, false), (2, true)] {
            let mut mine = record(1).confirmed_in(epoch).open_start("a");
            mine.joining = epoch == 1;
            mine.running = record(1).confirmed_in(epoch).at(5).reading;
            let (known, _) = seen_beside(0, 0, mine);
            assert_eq!((known.confirmed, known.running.is_some()), (2, stays), "of epoch {epoch}");
        }
    }
}
