//! What is remembered is given up only where the evidence says so.

use super::breach::{Breach, Rule};
use super::closing::never_began;
use super::evidence::{Evidence, Member, State};
use super::extent::Extent;
use super::loss::is_given_up;
use super::owed::standing;
use super::past::Past;
use super::takeover;
use crate::key::KeyKind;
use crate::measure::Measure;
use crate::observation::Command;
use crate::record::{HolderId, Record};
use crate::target::Identities;
use crate::timer::Timer;

/// Section 2, Holder: what was promised of data goes with that data only: a claimless holder ends
/// with its pod or container, a replaced one when the new one of its replica is confirmed.
pub(super) fn nothing_is(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    if evidence.memory.paused && !evidence.plan.memory.paused && !takeover::is_clear(evidence) {
        found.push(Breach::of_set(Rule::Forgotten, "that people had the set for themselves".to_owned()));
    }
    for old in evidence.remembered() {
        let past = evidence.past(&old.holder);
        let kept = evidence.after(&old.holder);
        let what = match kept {
            _ if past.starts() == 0 && past.confirmed() == 0 => None,
            None => (!was_over(&past) && !is_over(evidence, old)).then_some("is forgotten"),
            Some(new) if new.ended && past.own().all(|record| !record.ended) => {
                (!is_over(evidence, old)).then_some("is taken for gone")
            }
            Some(new) if new.starts < past.starts() => Some("has had more starts"),
            Some(new) if new.confirmed < past.confirmed() => Some("was confirmed in a later epoch"),
            Some(_) => None,
        };
        let what = what.or_else(|| changed(evidence, &past, kept?));
        if let Some(what) = what {
            found.push(Breach::at(Rule::Forgotten, &old.replica, format!("{} {what}", old.holder)));
        }
    }
}

/// What excuses data from being read: each has its own evidence (section 2, Holder; 4.6; 4.10).
fn changed(evidence: &Evidence<'_>, past: &Past<'_>, new: &Record) -> Option<&'static str> {
    let old = past.newest()?;
    let state = evidence.place_of(&new.holder).map(|member| member.state);
    let serves = state.is_some_and(State::serves);
    let another = || evidence.members.iter().any(|m| m.name != &new.replica && m.state.serves());
    let away = matches!(state, None | Some(State::Stopped | State::Down));
    let waived = past.own().any(|record| record.waived);
    let left = past.own().any(|record| record.left);
    let over = || new.open.iter().all(|start| !past.knew(start));
    let key = || evidence.key(KeyKind::AcceptLoss, Some(&new.replica.0)).is_some();
    let errant = || evidence.key(KeyKind::AcceptErrant, Some(&new.replica.0)).is_some();
    match () {
        () if new.waived && !waived && !key() && !is_given_up(evidence, new) => {
            Some("is given up, and nobody said so")
        }
        () if new.waived && !waived && state.is_some() && gives_up_what_is_gone(evidence, new) => {
            Some("is given up with what was there before it")
        }
        () if new.left && !left && !(away && over() && another()) => Some("is said to have left"),
        () if new.joining && !past.own().any(|r| r.joining) && !is_joined(evidence, new) && !errant() => {
            Some("is said to be replaced, and is not")
        }
        () if old.joining && !new.joining && !serves && !is_taken_back(evidence, past) => {
            Some("was being replaced, and was not seen to run")
        }
        () => None,
    }
}

/// What its replica had before is not there any more, and is given up by the same word.
fn gives_up_what_is_gone(evidence: &Evidence<'_>, here: &Record) -> bool {
    let is_gone =
        |other: &Record| other.replica == here.replica && evidence.place_of(&other.holder).is_none();
    let was_given_up = |other: &Record| evidence.past(&other.holder).own().any(|record| record.waived);
    let mut others = evidence.plan.memory.holders.values();
    others.any(|other| is_gone(other) && other.waived && !was_given_up(other))
}

/// It was known to be gone, and kept for its open starts only: what closed them has its own check.
fn was_over(past: &Past<'_>) -> bool {
    past.own().any(|record| record.ended)
}

fn is_joined(evidence: &Evidence<'_>, record: &Record) -> bool {
    let member = evidence.place_of(&record.holder);
    let joins = |command| matches!(command, Command::Join | Command::Follow);
    evidence.runs().any(|run| joins(run.command) && member.is_some_and(|member| member.name == &run.replica))
}

/// As far as is known before this look's plan, something else takes the place of this data.
pub(super) fn is_being_replaced(evidence: &Evidence<'_>, past: &Past<'_>) -> bool {
    past.newest().is_some_and(|old| old.joining) && !is_taken_back(evidence, past)
}

/// A join that never began replaced nothing.
fn is_taken_back(evidence: &Evidence<'_>, past: &Past<'_>) -> bool {
    past.open().iter().any(|start| !start.joining_before && never_began(evidence, start))
}

/// Whether this data is gone.
fn is_over(evidence: &Evidence<'_>, old: &Record) -> bool {
    match &old.holder {
        HolderId::Pod(uid) => evidence.is_gone(uid),
        HolderId::Container(id) => evidence.members.iter().all(|member| member.container() != Some(id)),
        HolderId::Claims(_) => {
            evidence.place_of(&old.holder).is_none()
                && (is_replaced(evidence, old) || is_made_up_for(evidence, old))
        }
    }
}

/// Nobody else gets its name, it fell behind before, and as many as are wanted serve in the newest epoch.
fn is_made_up_for(evidence: &Evidence<'_>, old: &Record) -> bool {
    let target = &evidence.seen.target;
    let left = evidence.past(&old.holder).own().chain(evidence.after(&old.holder)).any(|record| record.left)
        || evidence.ripe(&Timer::Behind(old.replica.clone()));
    let serves = |member: &&Member<'_>| {
        let is_of_it =
            |record: &Record| record.confirmed == evidence.plan.memory.epoch.number && !record.joining;
        member.state.serves() && evidence.record_of(member).is_some_and(is_of_it)
    };
    let serving = evidence.members.iter().filter(serves).count() as u64;
    let is_whole = target.replicas > 0 && serving >= u64::from(target.replicas);
    target.identities == Identities::GivenOnce && left && is_whole
}

/// Other data of the same replica is confirmed, or is this data restored.
fn is_replaced(evidence: &Evidence<'_>, old: &Record) -> bool {
    let Some(member) = evidence.member(&old.replica) else { return false };
    let Some(now) = evidence.record_of(member).filter(|now| now.holder != old.holder) else { return false };
    let confirmed = now.confirmed > 0 && now.confirmed == evidence.plan.memory.epoch.number;
    confirmed && member.state.serves() || is_restored(evidence, now, old)
}

/// Its claims are copies of that data, and were read to hold all that it was last read to hold. The claims of a copy tell
/// of its original until its own record is written there, and that record from then on.
fn is_restored<'a>(evidence: &Evidence<'a>, now: &'a Record, old: &Record) -> bool {
    let past = evidence.past(&now.holder);
    let is_copy = past.restored().iter().any(|record| record.holder == old.holder)
        || past.own().any(|record| record.copied_from.as_ref() == Some(&old.holder));
    is_copy && now.confirmed >= old.confirmed && holds_all(evidence, now, old)
}

/// Numbers of two outages are compared here, for it is one data, but not those of two readers.
fn holds_all<'a>(evidence: &Evidence<'a>, now: &'a Record, old: &Record) -> bool {
    let (Some(mine), Some(last)) = (standing(evidence, now), old.reading.as_ref()) else { return false };
    let measure = Measure { outage: last.measure.outage, ..mine.measure.clone() };
    let mine = Extent::of(mine).map(|mine| Extent { measure: &measure, ..mine });
    mine.zip(Extent::of(last)).is_some_and(|(mine, last)| mine.includes(last))
}
