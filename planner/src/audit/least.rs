//! Who goes where identities are given once: whoever holds least, by the audit's own test.

use super::evidence::{Evidence, Member, State};
use super::extent::Extent;
use super::join::is_expendable;
use super::loss::is_lost;
use super::owed::{Debt, debt, is_untouched, standing};
use super::size::{is_lost_primary, stays};
use crate::names::ReplicaName;
use crate::position::Position;
use crate::record::{Reading, Record};
use crate::target::Identities;

/// It may be one of those that the resource does not want: so many others may be before it.
pub(super) fn may_go(evidence: &Evidence<'_>, member: &Member<'_>) -> bool {
    let size = evidence.seen.target.replicas;
    match evidence.seen.target.identities {
        Identities::Numbered => member.replica.ordinal >= size,
        Identities::GivenOnce => {
            !has_place(evidence, member)
                || count(evidence, |other| !is_before(evidence, member, other)) > u64::from(size)
        }
    }
}

/// It may be one of those that are wanted: not so many others have to be before it.
pub(super) fn may_stay(evidence: &Evidence<'_>, member: &Member<'_>) -> bool {
    let size = evidence.seen.target.replicas;
    match evidence.seen.target.identities {
        Identities::Numbered => member.replica.ordinal < size,
        Identities::GivenOnce => {
            has_place(evidence, member)
                && count(evidence, |other| is_before(evidence, other, member)) < u64::from(size)
        }
    }
}

/// How many that have a place are so.
fn count(evidence: &Evidence<'_>, is: impl Fn(&Member<'_>) -> bool) -> u64 {
    evidence.members.iter().filter(|member| has_place(evidence, member) && is(member)).count() as u64
}

fn is_released(evidence: &Evidence<'_>, name: &ReplicaName) -> bool {
    evidence.seen.workload.as_ref().is_some_and(|workload| workload.released.contains(name))
}

/// It was not given up, and has a pod or a claim that nobody has told to end.
fn has_place(evidence: &Evidence<'_>, member: &Member<'_>) -> bool {
    let claims = &member.replica.claims;
    let is_ending = member.pod().is_none_or(|pod| pod.terminating)
        && claims.iter().all(|claim| claim.terminating)
        && (member.pod().is_some() || !claims.is_empty());
    !is_released(evidence, member.name) && !is_ending
}

/// One serves and the other does not; or neither does, and it is known to hold all of the other's data, and more.
fn is_before(evidence: &Evidence<'_>, first: &Member<'_>, second: &Member<'_>) -> bool {
    match (first.state.serves(), second.state.serves()) {
        (true, other) => !other,
        (false, true) => false,
        (false, false) => {
            let (mine, theirs) = (held(evidence, first), held(evidence, second));
            mine.covers(&theirs) && !theirs.covers(&mine)
        }
    }
}

/// What a member that rests holds, as far as is known.
enum Held<'a> {
    /// Nothing was ever in it.
    New,
    /// It was read, and there is nothing.
    Nothing,
    /// This much.
    This(Extent<'a>),
    /// Something, or nothing.
    Unknown,
}

fn held<'a>(evidence: &Evidence<'a>, member: &Member<'a>) -> Held<'a> {
    let Some(record) = evidence.record_of(member) else { return Held::New };
    let Some(taken) = standing(evidence, record) else { return Held::Unknown };
    let is_new = is_untouched(evidence, record);
    match &taken.reading {
        Reading::Empty | Reading::At(Position::Ordinal(0)) if is_new => Held::New,
        Reading::Empty => Held::Nothing,
        Reading::At(position) => Held::This(Extent { position, measure: &taken.measure }),
        Reading::Unreadable(_) => Held::Unknown,
    }
}

impl Held<'_> {
    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (_, Self::New) => true,
            (Self::Nothing | Self::This(_), Self::Nothing) => true,
            (Self::This(mine), Self::This(other)) => mine.includes(*other),
            _ => false,
        }
    }
}

/// 4.8: nobody is given up that holds more than one that stays, whose data nobody would ever read again, or beyond those
/// that are too many.
pub(super) fn gives_up(evidence: &Evidence<'_>, to: u32, released: &[ReplicaName]) -> Option<String> {
    if to != evidence.seen.target.replicas {
        return Some(format!("{to} are not as many as are wanted"));
    }
    if to == 0 && !released.is_empty() {
        return Some("a set that is only to rest gives nobody up".to_owned());
    }
    let stays = |member: &Member<'_>| !released.contains(member.name);
    let left = count(evidence, stays);
    // Others take the place of who is lost.
    let is_lost = |member: &Member<'_>| is_replaced(evidence, member);
    let ends_one = released.iter().any(|name| evidence.member(name).is_none_or(|member| !is_lost(member)));
    if ends_one && left < u64::from(to) {
        return Some(format!("{left} would be left, and {to} are wanted"));
    }
    released.iter().find_map(|name| {
        let holds_least =
            |member| count(evidence, |other| stays(other) && is_before(evidence, member, other)) == 0;
        let what = match evidence.member(name) {
            None => "is not known",
            Some(_) if is_released(evidence, name) => "was given up before",
            Some(member) if !is_lost(member) && !holds_least(member) => {
                "holds more than one that stays, or serves"
            }
            Some(member) => kept_by(evidence, member)?,
        };
        Some(format!("{name} {what}"))
    })
}

/// What of it nobody could ever have again.
fn kept_by(evidence: &Evidence<'_>, member: &Member<'_>) -> Option<&'static str> {
    let record = evidence.record_of(member);
    let open = |record: &Record| !record.open.is_empty();
    match member.state {
        _ if is_replaced(evidence, member) && record.is_some_and(|r| r.waived || r.joining) => None,
        State::Failed => Some("says that it failed"),
        _ if is_lost_primary(evidence, member) => Some("was primary, and nobody has its place"),
        _ if record.is_some_and(open) => Some("has an open start"),
        _ => stays(evidence, member).filter(|_| !is_replaced(evidence, member)).or_else(|| {
            match debt(evidence, record?) {
                Debt::None => is_alone(evidence, member),
                Debt::Holds(extent) if matches!(extent.position, Position::History(_)) => {
                    is_alone(evidence, member)
                }
                Debt::Holds(_) => Some("holds what a bare number cannot tell of later"),
                Debt::Unread => Some("was not read"),
                Debt::Lost => Some("had data that nobody gave up"),
            }
        }),
    }
}

/// It was lost for so long that another one may take its place, which mounts nothing of its: whatever of it may live.
fn is_replaced(evidence: &Evidence<'_>, member: &Member<'_>) -> bool {
    let is_known = evidence.record_of(member).is_some_and(|record| is_lost(evidence, record));
    let target = &evidence.seen.target;
    let is_led = evidence.anybody(|state| state == State::Primary)
        || target.primaries == 0 && evidence.anybody(State::serves);
    target.replace_after.is_some() && is_led && is_known
}

/// It owes no seed anything, or every seed has to include it, and it is none of what the set goes on with.
fn is_alone(evidence: &Evidence<'_>, member: &Member<'_>) -> Option<&'static str> {
    let record = evidence.record_of(member)?;
    let is_free = record.waived || record.ended || is_expendable(evidence, member, record);
    (!is_free).then_some("holds data that nobody else is known to hold")
}
