//! Members that the resource no longer wants leave one by one, the last place first: stopped, read, and
//! only then their pods go. Where identities are given once, they go together with their names.

use crate::app_state::AppState;
use crate::draft::{Draft, Flow};
use crate::hold::Reason;
use crate::key::KeyKind;
use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::{Command, Pod, Workload};
use crate::ordering::is_headless;
use crate::places::{is_released, standing};
use crate::plan::{Cause, Step};
use crate::position::Position;
use crate::recall::loss::{is_lost, may_replace};
use crate::record::Record;
use crate::rules::join::{Admission, admission, is_superseded};
use crate::rules::renew::STOPPED_GRACE;
use crate::rules::size::{awaited, needed};
use crate::seeding::{Owed, never_had_a_volume, owed};
use crate::start::StartKind;
use crate::timer::Timer;

pub(crate) fn leave(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    let Some(workload) = look.seen.workload.as_ref().filter(|_| !is_divided(look)) else { return Flow::On };
    let wanted = look.target().replicas;
    let size = size(look, workload);
    if size <= wanted || needed(look) > wanted {
        return Flow::On;
    }
    if !may_leave(look) {
        if let Some(name) = leaving(look, size).next().filter(|_| look.memory.outage.is_none()) {
            draft.hold_replica(name, Reason::LastServer(name.clone()), &[]);
        }
        return Flow::On;
    }
    if wanted == 0 && look.epoch() > 0 && draft.plan.memory.restore_replicas.is_none() {
        draft.plan.memory.restore_replicas = Some(workload.replicas);
    }
    let mut leaving: Vec<&ReplicaName> = leaving(look, size).collect();
    leaving.sort_by_key(|name| std::cmp::Reverse(look.place(name)));
    for name in leaving {
        if !has_left(draft, name) {
            return Flow::On;
        }
    }
    if look.is_numbered() { take_away(draft, size) } else { give_up(draft, workload, size) }
}

/// Its members are on two workloads: whoever makes pods for names counts no numbers, and one of its own would go for each.
fn is_divided(look: &Look<'_>) -> bool {
    !look.is_numbered() && !look.seen.elsewhere.is_empty()
}

/// How many have a place: also those that nobody has given up, whatever number is asked for.
fn size(look: &Look<'_>, workload: &Workload) -> u32 {
    let standing = if look.is_numbered() { 0 } else { standing(look) };
    workload.replicas.max(standing)
}

/// Size and names in one step. Of a set that is only to rest nobody is given up: none would come back to its claims.
fn give_up(draft: &mut Draft<'_>, workload: &Workload, size: u32) -> Flow {
    let (look, to) = (draft.look, draft.look.target().replicas);
    if to == 0 {
        return Flow::On;
    }
    let (if_from, cause) = (workload.replicas, Cause::Size);
    let released = leaving(look, size).filter(|name| !is_released(look, name)).cloned().collect();
    draft.alone(Step::Resize { to, if_from, released, cause })
}

/// The StatefulSet deletes a pod with its whole grace period, and a kubelet that has begun to wait for
/// that is not hurried any more. So who was read at rest is deleted first, in the same round: until the
/// pod is gone the new size is known.
fn take_away(draft: &mut Draft<'_>, size: u32) -> Flow {
    let look = draft.look;
    if !draft.plan.steps.is_empty() {
        return Flow::Enough;
    }
    for name in leaving(look, size).filter(|name| is_at_rest(look, name)) {
        let Some(pod) = look.pod(name) else { continue };
        draft.step(Step::Recycle {
            replica: name.clone(),
            if_pod: pod.uid.clone(),
            grace_seconds: Some(STOPPED_GRACE),
            cause: Cause::Size,
        });
    }
    let (to, released) = (look.target().replicas, Vec::new());
    draft.step(Step::Resize { to, if_from: size, released, cause: Cause::Size });
    Flow::Enough
}

/// It answers Stopped, was read after its last start, and no command of ours runs there.
fn is_at_rest(look: &Look<'_>, name: &ReplicaName) -> bool {
    let container = look.pod(name).and_then(Pod::live_container);
    *look.state(name) == AppState::Stopped
        && look.record(name).is_some_and(|record| record.standing().is_some())
        && container.is_some_and(|container| look.under_way(container).is_none())
}

/// Someone who stays serves: those who leave are not needed any more.
fn may_leave(look: &Look<'_>) -> bool {
    let wanted = look.target().replicas;
    let stays = |name: &ReplicaName| look.place(name) < wanted && look.is_confirmed(name);
    wanted == 0 || look.running().any(stays)
}

/// While a primary is to be found among secondaries, any of them may be the one that holds most.
fn may_be_promoted(look: &Look<'_>, name: &ReplicaName) -> bool {
    is_headless(look) && *look.state(name) == AppState::Secondary
}

/// It was seeded a short while ago, and alone leads: those that follow it may not have what it holds yet, and would have
/// to wait for it again.
fn leads_yet(look: &Look<'_>, name: &ReplicaName) -> bool {
    leads_by_a_seed(look, name) && !look.is_ripe(&Timer::Well(name.clone()))
}

fn leads_by_a_seed(look: &Look<'_>, name: &ReplicaName) -> bool {
    let target = look.target();
    let is_led = target.replicas > 0 && target.has_secondary && !target.all_primaries();
    let seeded =
        look.record(name).is_some_and(|record| record.open.iter().any(|start| start.kind == StartKind::Seed));
    is_led && seeded && look.live_primaries().eq([name])
}

/// Members beyond the wanted size that are on their way, and within how many seconds: each has its own time after those
/// before it, the highest first, and who is to run well for a while has that besides. Who stays for now is not late; nor
/// is anybody whose identity is given once.
pub(crate) fn on_their_way<'b>(
    look: &'b Look<'_>,
    size: u32,
    well: u64,
) -> impl Iterator<Item = (&'b ReplicaName, u64)> {
    let may = look.is_numbered() && may_leave(look) && needed(look) <= look.target().replicas;
    let timeouts = look.target().timeouts;
    leaving(look, size).filter(move |name| may && !may_be_promoted(look, name)).map(move |name| {
        let turn = u64::from(size.saturating_sub(look.place(name)));
        let rest = if leads_by_a_seed(look, name) { well } else { 0 };
        (name, turn.saturating_mul(timeouts.stop + timeouts.sequence).saturating_add(rest))
    })
}

/// Members beyond the wanted size that still have, or are to have, a pod.
fn leaving<'b>(look: &'b Look<'_>, size: u32) -> impl Iterator<Item = &'b ReplicaName> {
    look.in_places(look.target().replicas..size)
}

/// Stopped, its starts closed and its reading taken; or all that took longer than it may, and it can be had again. Of who is
/// lost nothing can be had, and what was started of it may live: it goes once nobody needs what it held.
pub(crate) fn has_left(draft: &mut Draft<'_>, name: &ReplicaName) -> bool {
    let look = draft.look;
    let is_awaited = awaited(look).any(|record| look.home(&record.holder) == Some(name));
    if is_awaited || may_be_promoted(look, name) || leads_yet(look, name) {
        draft.hold_replica(name, Reason::LastServer(name.clone()), &[]);
        return false;
    }
    if look.is_numbered() && look.is_ripe(&Timer::Leaving(name.clone())) {
        return true;
    }
    let record = look.record(name);
    let is_open = record.is_some_and(|record| !record.open.is_empty());
    if let Some(record) = record.filter(|record| may_replace(look) && is_lost(look, record)) {
        return record.waived || record.joining || (!is_open && owes_nothing(draft, name));
    }
    let was_ever_confirmed = record.is_some_and(|record| record.confirmed > 0);
    let is_read = record.is_none_or(|record| record.standing().is_some());
    match look.state(name) {
        AppState::Primary | AppState::Secondary | AppState::Failed(_) => {
            draft.run(name, Command::Stop, Cause::Size);
            draft.hold_replica(name, Reason::UnderWay(name.clone(), Command::Stop), &[]);
            false
        }
        AppState::Stopped if is_open => false,
        AppState::Stopped if !is_read => {
            draft.run(name, Command::Read, Cause::Answer);
            draft.hold_replica(name, Reason::Unread(name.clone(), None), &[]);
            false
        }
        AppState::Stopped => look.is_numbered() || owes_nothing(draft, name),
        AppState::Down(_) if look.is_numbered() => !is_open && (is_read || !was_ever_confirmed),
        AppState::Down(_) => !is_open && owes_nothing(draft, name),
        AppState::Unknown(_) => false,
    }
}

/// Nobody will mount its claims again: its data is of no account any more, or is known as a history, which every later
/// seed has to include. A bare number means nothing in the next outage, so others must have gone on without it first.
fn owes_nothing(draft: &mut Draft<'_>, name: &ReplicaName) -> bool {
    let look = draft.look;
    let Some(record) = look.record(name) else { return true };
    let reason = match owed(look, record) {
        Owed::Nothing | Owed::Adds(Position::History(_)) => return is_elsewhere(draft, name, record),
        Owed::Adds(Position::Ordinal(_)) | Owed::Reading => Reason::Unread(name.clone(), None),
        Owed::NeverRead(why) => Reason::Unread(name.clone(), Some(why)),
        Owed::Lost(why) => Reason::LostData(name.clone(), why),
        Owed::WentBack(back) => back.reason(name),
    };
    draft.hold_replica(name, reason, &[(KeyKind::AcceptLoss, name.to_string())]);
    false
}

/// What it holds is of the set's history, or nobody's, by what a join asks; or a person gave it up. Data of an older epoch,
/// or that was not read, owes no seed anything, and may be all that there is of it.
fn is_elsewhere(draft: &mut Draft<'_>, name: &ReplicaName, record: &Record) -> bool {
    let look = draft.look;
    let (hold, key) = match admission(look, record) {
        _ if record.waived || never_had_a_volume(look, record) => return true,
        _ if is_superseded(look, name) => {
            draft.hold_replica(name, Reason::NoPrimary(name.clone()), &[]);
            return false;
        }
        Admission::Granted => return true,
        Admission::Unread => (Reason::Unread(name.clone(), None), KeyKind::AcceptLoss),
        Admission::Errant => (Reason::Errant(name.clone()), KeyKind::AcceptErrant),
        Admission::WentBack(reason) => (reason, KeyKind::AcceptErrant),
    };
    draft.hold_replica(name, hold, &[(key, name.to_string())]);
    false
}

#[cfg(test)]
mod given_once;
#[cfg(test)]
mod leads;
#[cfg(test)]
mod table;
#[cfg(test)]
mod tests {
    use crate::fixture::{memory, name, record, stopped_set};
    use crate::guarantees::attempt;
    use crate::observation::{AttemptState, Command, Role};
    use crate::timer::{Age, Timer};
    use crate::{Memory, Observation, Step, decide, timers};

    fn scaled(from: u32, to: u32, running: u32) -> (Observation, Memory) {
        let mut seen = stopped_set(from);
        seen.target.replicas = to;
        for ordinal in 0..running {
            seen = seen.answers(ordinal, 0);
            seen.pod_mut(ordinal).active = Some(true);
            seen.pod_mut(ordinal).role = Some(Role::Primary);
        }
        let open = |n| {
            if n < running {
                record(n).confirmed_in(1).open_start(&format!("a{n}"))
            } else {
                record(n).confirmed_in(1)
            }
        };
        (seen, memory((0..from).map(open)))
    }

    #[test]
    fn the_highest_stops_first_is_read_and_only_then_do_pods_go() {
        let (seen, known) = scaled(5, 3, 5);
        assert!(
            matches!(&decide(&seen, &known).steps[..], [Step::Run(run)] if run.command == Command::Stop && run.replica == name(4))
        );
        let (seen, known) = scaled(5, 4, 4);
        assert!(
            matches!(&decide(&seen, &known).steps[..], [Step::Run(run)] if run.command == Command::Read && run.replica == name(4))
        );
        let (seen, mut known) = scaled(5, 4, 4);
        let read = record(4).confirmed_in(1).at(3);
        known.holders.insert(read.holder.clone(), read);
        let plan = decide(&seen, &known);
        assert!(
            matches!(&plan.steps[..], [Step::Recycle { replica, grace_seconds: Some(1), .. }, Step::Resize { to: 4, if_from: 5, .. }] if *replica == name(4)),
            "{:?}",
            plan.steps
        );
        assert_eq!(crate::audit::audit(&seen, &known, &plan), Ok(()));
    }

    #[test]
    fn who_is_away_unread_is_waited_for_if_it_ever_served() {
        for (confirmed, goes) in [(1, false), (0, true)] {
            let (mut seen, mut known) = scaled(5, 4, 4);
            seen.replicas.get_mut(&name(4)).unwrap().pod = None;
            known.holders.values_mut().find(|record| record.replica == name(4)).unwrap().confirmed =
                confirmed;
            let plan = decide(&seen, &known);
            let resized = plan.steps.iter().any(|step| matches!(step, Step::Resize { .. }));
            assert_eq!(resized, goes, "confirmed in {confirmed}");
        }
    }

    #[test]
    fn who_leaves_past_its_timeout_keeps_its_grace_unless_it_was_read_at_rest() {
        let (mut seen, mut known) = scaled(5, 4, 4);
        seen.ages.insert(Timer::Leaving(name(4)), Age::Ripe);
        let alone = |seen: &Observation, known: &Memory| {
            matches!(&decide(seen, known).steps[..], [Step::Resize { to: 4, if_from: 5, .. }])
        };
        assert!(alone(&seen, &known), "it was not read");
        let read = record(4).confirmed_in(1).at(3);
        known.holders.insert(read.holder.clone(), read);
        assert!(!alone(&seen, &known), "it was");
        let is_hurried = |step: &Step| matches!(step, Step::Recycle { grace_seconds: Some(1), .. });
        assert!(
            decide(&seen, &known).steps.iter().any(is_hurried),
            "what was read at rest has nothing to end"
        );
        seen.attempts.insert("r".into(), attempt(4, Command::Read, AttemptState::Running));
        assert!(alone(&seen, &known), "a command runs there");
    }

    #[test]
    fn a_secondary_stays_while_a_primary_is_to_be_found_and_no_pause_counts_against_it() {
        let (mut seen, known) = scaled(3, 2, 3);
        seen.target.has_secondary = true;
        let ripe = |mut seen: Observation| {
            seen.ages.insert(Timer::Leaving(name(2)), Age::Ripe);
            seen
        };
        let resizes = |seen: &Observation| {
            decide(seen, &known).steps.iter().any(|step| matches!(step, Step::Resize { .. }))
        };
        let mut asked = known.clone();
        for record in asked.holders.values_mut() {
            record.running = record.clone().at(5).reading;
        }
        let plan = decide(&ripe(seen.clone()), &asked);
        let goes = |step: &Step| match step {
            Step::Run(run) => run.command == Command::Stop,
            step => matches!(step, Step::Resize { .. }),
        };
        assert!(!plan.steps.iter().any(goes), "all answer Secondary: {:?}", plan.steps);
        assert!(plan.holds.iter().any(|hold| hold.reason.name() == "LastServer"));
        let mut led = seen.clone().answers(0, 8);
        led.pod_mut(1).role = Some(Role::Secondary);
        led.pod_mut(2).role = Some(Role::Secondary);
        assert!(resizes(&ripe(led.clone())), "a primary lives");
        assert!(timers(&led, &known).contains_key(&Timer::Leaving(name(2))));
        led.target.paused = true;
        assert!(!timers(&led, &known).contains_key(&Timer::Leaving(name(2))), "nobody could stop it");
    }

    #[test]
    fn a_set_at_zero_refuses_to_come_back_with_fewer() {
        let (seen, known) = scaled(3, 0, 3);
        let plan = decide(&seen, &known);
        assert_eq!(plan.memory.restore_replicas, Some(3));
        let mut seen = stopped_set(0);
        seen.target.replicas = 2;
        let plan = decide(&seen, &plan.memory);
        assert!(plan.steps.is_empty());
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "RestoreSize").unwrap();
        seen.target.keys = hold.keys.clone();
        assert!(matches!(&decide(&seen, &plan.memory).steps[..], [Step::Resize { to: 2, if_from: 0, .. }]));
    }
}
