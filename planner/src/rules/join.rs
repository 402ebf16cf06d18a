//! A join replaces the joiner's data by that of the live primaries: only data that is theirs, or
//! that nobody needs, may be replaced.

use crate::app_state::AppState;
use crate::decision::{Treatment, Verdict};
use crate::draft::{Draft, Flow};
use crate::hold::Reason;
use crate::key::KeyKind;
use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::{Command, Pod};
use crate::ordering::{members, possible_primaries, primaries_away_in};
use crate::plan::Cause;
use crate::position::Position;
use crate::recall::takeover::has_taken_over;
use crate::record::Record;
use crate::rules::seed::reread;
use crate::start::StartKind;
use crate::veto;
use crate::went_back::went_back;

pub(crate) fn join(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    let waiting: Vec<&ReplicaName> = look.seen.replicas.keys().filter(|name| waits(look, name)).collect();
    if waiting.is_empty() || look.epoch() == 0 && look.target().primaries > 0 {
        return Flow::On;
    }
    if look.live_primaries().next().is_none() && look.target().primaries > 0 {
        for name in waiting {
            draft.hold_replica(name, Reason::NoPrimary(name.clone()), &[]);
        }
        return Flow::On;
    }
    match veto::order(look, &members(look)) {
        Err(reason) => draft.hold(reason, &[]),
        Ok(order) => {
            for name in order.iter().filter(|name| waiting.contains(name)) {
                if is_superseded(look, name) {
                    draft.hold_replica(name, Reason::NoPrimary(name.clone()), &[]);
                } else {
                    admit(draft, name);
                }
            }
        }
    }
    Flow::On
}

/// Stopped, wanted, and nothing of it may be alive.
fn waits(look: &Look<'_>, name: &ReplicaName) -> bool {
    let closed = look.record(name).is_some_and(|record| record.open.is_empty() && !record.lock_busy);
    let live = look.pod(name).is_some_and(|pod: &Pod| pod.guarded && pod.live_container().is_some());
    *look.state(name) == AppState::Stopped && look.place(name) < look.target().replicas && closed && live
}

/// It led, and another leads in its place unbidden, in an epoch that is still to begin: what it holds may be no part of
/// that.
pub(crate) fn is_superseded(look: &Look<'_>, name: &ReplicaName) -> bool {
    let led = primaries_away_in(look, look.epoch()).any(|record| record.replica == *name);
    led && look.running().any(|leader| has_taken_over(look, leader, look.epoch()))
}

fn admit(draft: &mut Draft<'_>, name: &ReplicaName) {
    let look = draft.look;
    let Some(record) = look.record(name) else { return };
    match admission(look, record) {
        Admission::Unread => {
            draft.run(name, Command::Read, Cause::Answer);
            draft.hold_replica(name, Reason::Unread(name.clone(), None), &[]);
        }
        Admission::Errant => {
            // One that gave no position may be anybody's: it is asked again now and then.
            reread(draft, record);
            draft.hold_replica(
                name,
                Reason::Errant(name.clone()),
                &[(KeyKind::AcceptErrant, name.to_string())],
            );
        }
        Admission::WentBack(reason) => {
            draft.hold_replica(name, reason, &[(KeyKind::AcceptErrant, name.to_string())]);
        }
        Admission::Granted => start(draft, name),
    }
}

/// Whether a member's data may be done without: replaced by a join, or given up with its name.
pub(crate) enum Admission {
    /// It is of this set's history, or nobody's.
    Granted,
    /// It was not read.
    Unread,
    /// Nobody else is known to hold it.
    Errant,
    /// It shows less than it held, and the epoch did not begin with all of that.
    WentBack(Reason),
}

/// docs/safety.md 4.6.
pub(crate) fn admission(look: &Look<'_>, record: &Record) -> Admission {
    let of_epoch =
        look.epoch() > 0 && record.confirmed == look.epoch() && !record.waived && record.parted.is_none();
    // A bare number says nothing of the numbers of another outage.
    let began_with = |held: &Position| {
        let base = look.memory.epoch.base.as_ref().filter(|base| !base.position.is_ordinal());
        base.is_some_and(|base| base.position.includes(held))
    };
    let back = went_back(&look.memory, record).filter(|back| !began_with(back.held));
    if let Some(back) = back.filter(|_| !record.joining && !record.waived) {
        return Admission::WentBack(back.reason(&record.replica));
    }
    let claimless_new = !look.target().has_claims() && record.confirmed == 0 && record.starts == 0;
    if record.joining || of_epoch || claimless_new {
        return Admission::Granted;
    }
    let Some(taken) = record.standing() else { return Admission::Unread };
    let is_nobodys = record.is_new() || taken.reading == crate::Reading::Empty;
    let line = record.parted.as_ref().unwrap_or(&look.memory.epoch);
    let is_theirs = || line.base.as_ref().is_some_and(|base| base.includes(taken));
    if is_nobodys || is_theirs() { Admission::Granted } else { Admission::Errant }
}

/// As primary or as secondary, within the number of joins that may run at once.
fn start(draft: &mut Draft<'_>, name: &ReplicaName) {
    let look = draft.look;
    if under_way(draft) >= look.target().parallel_joins as usize {
        draft.hold_replica(name, Reason::JoinsBusy(name.clone()), &[]);
        return;
    }
    let promised = draft.plan.steps.iter().filter(|step| is_join(step)).count();
    let primaries = possible_primaries(look) + promised;
    if look.target().all_primaries() || primaries < look.target().primaries as usize {
        draft.run(name, Command::Join, Cause::Answer);
        return;
    }
    match look.seen.verdicts.replicas.get(name) {
        Some(Verdict::Proposed { answer: Treatment::RunSecondary { follow }, .. }) => {
            match veto::leader(look, name, follow.as_ref()) {
                Ok(leader) => draft.follow(name, leader, Cause::Answer),
                Err(reason) => draft.hold_replica(name, reason, &[]),
            }
        }
        Some(
            Verdict::Proposed { answer: Treatment::LeaveStopped, why }
            | Verdict::Proposed { answer: Treatment::Hold(_), why },
        ) => {
            draft.hold_replica(name, Reason::PolicyHolds(name.clone(), why.clone()), &[]);
        }
        Some(Verdict::Missing(why)) => {
            draft.hold_replica(name, Reason::PolicyHolds(name.clone(), why.clone()), &[])
        }
        None => draft.hold_replica(
            name,
            Reason::PolicyHolds(name.clone(), "it was not asked yet".to_owned()),
            &[],
        ),
    }
}

fn is_join(step: &crate::Step) -> bool {
    matches!(step, crate::Step::Run(run) if run.command == Command::Join)
}

/// Joins that are not confirmed yet and still hold their place: one past its timeout frees it.
fn under_way(draft: &Draft<'_>) -> usize {
    let look = draft.look;
    let holds_place = |start: &&crate::start::Start| {
        let joins = matches!(start.kind, StartKind::Join | StartKind::Follow) && !start.confirmed;
        joins && !start.is_late(look.seen)
    };
    draft.plan.memory.holders.values().flat_map(|record| &record.open).filter(holds_place).count()
}

#[cfg(test)]
mod table;
#[cfg(test)]
mod tests {
    use crate::decision::{Treatment, Verdict};
    use crate::fixture::{container, measure, memory, name, record, stopped_set};
    use crate::memory::Base;
    use crate::observation::{Command, Role};
    use crate::position::History;
    use crate::record::Reading;
    use crate::timer::{Age, Timer};
    use crate::{Memory, Observation, Plan, Position, Record, Step, decide};

    /// Member 0 serves in epoch 2, which began at 9; member 1 waits.
    fn set(waiting: Record) -> (Observation, Memory) {
        let mut seen = stopped_set(2).answers(0, 0);
        seen.pod_mut(0).active = Some(true);
        seen.pod_mut(0).role = Some(Role::Primary);
        seen.verdicts.primaries =
            Some(Verdict::Proposed { answer: vec![name(0), name(1)], why: String::new() });
        let mut known = memory([record(0).confirmed_in(2).open_start("a"), waiting]);
        known.epoch.base = Some(Base { position: Position::Ordinal(9), measure: measure(1) });
        (seen, known)
    }

    fn joined(plan: &Plan) -> bool {
        plan.steps.iter().any(
            |step| matches!(step, Step::Run(run) if run.command == Command::Join && run.replica == name(1)),
        )
    }

    #[test]
    fn only_data_that_is_theirs_or_nobodys_is_replaced() {
        let mut joining = record(1).confirmed_in(1);
        joining.joining = true;
        let mut waived = record(1).confirmed_in(2).at(12);
        waived.waived = true;
        let cases = [
            ("of the current epoch", record(1).confirmed_in(2), true),
            ("new", record(1).reads(Reading::Empty), true),
            ("joining before", joining, true),
            ("of an older epoch, inside the base", record(1).confirmed_in(1).at(8), true),
            ("of an older epoch, beyond the base", record(1).confirmed_in(1).at(10), false),
            ("of an older epoch, not read", record(1).confirmed_in(1), false),
            ("without a record, with data beyond", record(1).at(10), false),
            ("unreadable", record(1).confirmed_in(1).reads(Reading::Unreadable("x".into())), false),
            ("given up, beyond the base", waived, false),
        ];
        for (sentence, waiting, expected) in cases {
            let (seen, known) = set(waiting);
            assert_eq!(joined(&decide(&seen, &known)), expected, "{sentence}");
        }
    }

    #[test]
    fn a_number_is_inside_the_base_only_if_one_reader_read_both() {
        let (seen, mut known) = set(record(1).confirmed_in(1).at(8));
        let of = |known: &mut Memory, reader: Option<&str>| {
            known.epoch.base.as_mut().unwrap().measure.reader = reader.map(Into::into);
        };
        for (reader, expected) in [(Some("reader"), true), (Some("another"), false), (None, false)] {
            of(&mut known, reader);
            let plan = decide(&seen, &known);
            assert_eq!(joined(&plan), expected, "by {reader:?}");
            assert_eq!(plan.holds.iter().any(|hold| hold.reason.name() == "Errant"), !expected);
        }
        let history = |last| Position::History(History::up_to("a", last));
        let (seen, mut known) = set(record(1).confirmed_in(1).reads(Reading::At(history(8))));
        known.epoch.base.as_mut().unwrap().position = history(9);
        of(&mut known, Some("another"));
        assert!(joined(&decide(&seen, &known)), "sets of transactions are what they are");
    }

    #[test]
    fn errant_data_is_named_and_joined_with_the_key_only() {
        let (mut seen, known) = set(record(1).confirmed_in(1).at(10));
        let plan = decide(&seen, &known);
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "Errant").unwrap();
        seen.target.keys = hold.keys.clone();
        assert!(joined(&decide(&seen, &plan.memory)));
    }

    #[test]
    fn data_that_gave_no_position_is_asked_again_and_joined_once_it_is_nobodys() {
        let unreadable = || record(1).starts(1).reads(Reading::Unreadable("exit 1".into()));
        for (sentence, age, waiting, reads) in [
            ("after a while", Age::Ripe, unreadable(), true),
            ("not at once", Age::TooSoon(0), unreadable(), false),
            ("not what is known to be outside", Age::Ripe, record(1).confirmed_in(1).at(10), false),
        ] {
            let (mut seen, known) = set(waiting);
            let timer = Timer::Unreadable(name(1), container(1));
            if crate::timers(&seen, &known).contains_key(&timer) {
                seen.ages.insert(timer, age);
            }
            let plan = decide(&seen, &known);
            assert_eq!(
                plan.holds.iter().filter(|hold| hold.reason.name() == "Errant").count(),
                1,
                "{sentence}"
            );
            let read = |step: &Step| matches!(step, Step::Run(run) if run.command == Command::Read);
            assert_eq!(plan.steps.iter().any(read), reads, "{sentence}");
            assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
        }
        let (seen, known) = set(record(1).starts(1).reads(Reading::Empty));
        assert!(joined(&decide(&seen, &known)), "a join of it was promised, and never began");
    }

    #[test]
    fn a_join_is_promised_as_the_destruction_that_it_is() {
        let (seen, known) = set(record(1).confirmed_in(2));
        let plan = decide(&seen, &known);
        let record = plan.memory.of(&name(1)).next().cloned().unwrap();
        assert!(record.joining && record.open.len() == 1);
        assert!(!joined(&decide(&seen, &plan.memory)), "and is not sent twice");
    }

    /// Members 0 and 1 are the primaries; member 2 is to be a secondary that follows this one.
    fn followed(leader: u32) -> Plan {
        let mut seen = stopped_set(3).answers(0, 8).answers(1, 8);
        (seen.target.primaries, seen.target.has_secondary) = (2, true);
        let of_epoch = |n| record(n).confirmed_in(2);
        let known = memory([of_epoch(0).open_start("a"), of_epoch(1).open_start("b"), of_epoch(2)]);
        let answer = (0..3).map(name).collect();
        seen.verdicts.primaries = Some(Verdict::Proposed { answer, why: String::new() });
        let answer = Treatment::RunSecondary { follow: Some(name(leader)) };
        seen.verdicts.replicas.insert(name(2), Verdict::Proposed { answer, why: String::new() });
        decide(&seen, &known)
    }

    #[test]
    fn the_primary_to_follow_is_the_first_argument_and_one_that_runs() {
        let peers = |plan: &Plan| {
            plan.steps.iter().find_map(|step| match step {
                Step::Run(run) if run.command == Command::Follow => Some(run.peers.clone()),
                _ => None,
            })
        };
        assert_eq!(peers(&followed(0)), Some(vec![name(0), name(1)]));
        assert_eq!(peers(&followed(1)), Some(vec![name(1), name(0)]));
        let refused = followed(2);
        assert_eq!(peers(&refused), None);
        assert!(refused.holds.iter().any(|hold| hold.reason.name() == "LeaderRefused"));
    }

    #[test]
    fn nobody_joins_without_a_live_primary() {
        let (mut seen, known) = set(record(1).confirmed_in(2));
        seen.pod_mut(0).status = crate::observation::Status::Silent("lost".to_owned());
        assert!(!joined(&decide(&seen, &known)));
    }
}
