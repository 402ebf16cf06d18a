//! Who becomes primary in place of another.

use super::breach::{Breach, Rule};
use super::closing::is_as_told;
use super::evidence::{Evidence, Member, State};
use super::extent::Extent;
use super::led::{last_role, may_lead_yet};
use super::owed::standing;
use super::went_back::went_back;
use crate::observation::{Command, Role};
use crate::plan::Run;
use crate::position::Position;
use crate::record::{Reading, Record};
use crate::start::Start;
use crate::target::Failover;

/// 4.2: no Promote while the start of a member whose last answer was Primary, and is not so in this
/// round, is open. 4.7: fence before promote; a running secondary is promoted that includes what the
/// old primary is known to hold, unless `AllowLoss`, or all that is known where that one is given up;
/// without `AllowLoss` nobody replaces an old primary whose position went back; and never more primaries
/// than are wanted.
pub(super) fn before_promotion(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    for run in evidence.runs() {
        let Some(member) = evidence.member(&run.replica) else { continue };
        let turning = match run.command {
            Command::Promote | Command::Demote => {
                evidence.members.iter().find_map(|one| turns(evidence, one))
            }
            Command::Follow => turns(evidence, member),
            _ => None,
        };
        if let Some(what) = turning {
            found.push(Breach::at(Rule::Fence, &run.replica, what));
            continue;
        }
        let what = match run.command {
            Command::Promote => refused(evidence, member),
            Command::Demote if member.state != State::Primary => Some("is no primary to demote".into()),
            Command::Seed | Command::Join => too_many(evidence),
            _ => None,
        };
        if let Some(what) = what {
            found.push(Breach::at(Rule::Fence, &run.replica, what));
        }
    }
}

/// A running member was told to lead or to follow, does not answer so, and may yet.
fn turns(evidence: &Evidence<'_>, member: &Member<'_>) -> Option<String> {
    let before = evidence.past(member.holder.as_ref()?);
    let turning = |start: &&Start| {
        let is_here = member.container() == Some(&start.container) && before.knew(start);
        is_here && !start.confirmed && !is_as_told(member.state, start.kind) && !evidence.is_late(start)
    };
    let open = &evidence.record_of(member).filter(|_| member.state.serves())?.open;
    let start = open.iter().find(turning)?;
    Some(format!("{:?} of {} may take effect yet", start.kind, member.name))
}

fn refused(evidence: &Evidence<'_>, member: &Member<'_>) -> Option<String> {
    if member.state != State::Secondary {
        return Some(format!("answers {:?}", member.state));
    }
    let lost = lost_primaries(evidence, member);
    if let Some(record) = lost.iter().find(|record| !record.open.is_empty()) {
        return Some(format!("a start of the old primary {} is open", record.replica));
    }
    if let Some(record) = may_lead_yet(evidence, member) {
        return Some(format!("{} may lead yet", record.replica));
    }
    let failover = evidence.seen.target.failover;
    let replaces = !lost.is_empty() && !evidence.anybody(|state| state == State::Primary);
    match failover {
        Failover::Never if replaces => Some("nobody is to be promoted".into()),
        Failover::NoKnownLoss if replaces => {
            let own = evidence.record_of(member);
            let beyond = lost.iter().find(|record| !own.is_some_and(|own| includes(evidence, own, record)));
            beyond
                .map(|record| format!("does not include what {} held", record.replica))
                .or_else(|| {
                    let back = lost.iter().find(|record| went_back(evidence, record))?;
                    Some(format!("replaces {}, whose position went back", back.replica))
                })
                .or_else(|| too_many(evidence))
        }
        Failover::Never | Failover::NoKnownLoss if !evidence.anybody(|state| state == State::Primary) => {
            beyond_followers(evidence, member).or_else(|| too_many(evidence))
        }
        _ => too_many(evidence),
    }
}

/// The old primary is given up: what any other member of the newest epoch holds that does not run is
/// then all that is known.
fn beyond_followers(evidence: &Evidence<'_>, promoted: &Member<'_>) -> Option<String> {
    let newest = evidence.plan.memory.epoch.number;
    let own = evidence.record_of(promoted)?;
    let mut others = evidence.plan.memory.holders.values().filter(|record| {
        let given_up = record.waived || record.ended || record.joining;
        record.confirmed == newest
            && record.holder != own.holder
            && !given_up
            && !evidence.serves(&record.holder)
    });
    let beyond = others.find(|record| !is_behind(evidence, record) && !includes(evidence, own, record))?;
    Some(format!("does not include what {} holds", beyond.replica))
}

/// It stopped while another served, and gave a bare number since, which says nothing beside those of others.
fn is_behind(evidence: &Evidence<'_>, record: &Record) -> bool {
    let taken = standing(evidence, record).map(|taken| &taken.reading);
    record.left && matches!(taken, Some(Reading::At(Position::Ordinal(_))))
}

/// Members of the newest epoch whose last answer was Primary, and is not so in this round, or who may have led unseen.
pub(super) fn lost_primaries<'a>(evidence: &Evidence<'a>, promoted: &Member<'_>) -> Vec<&'a Record> {
    let newest = evidence.plan.memory.epoch.number;
    let records = evidence.plan.memory.holders.values();
    records
        .filter(|record| Some(&record.holder) != promoted.holder.as_ref())
        .filter(|record| {
            !evidence.serves(&record.holder) && last_role(evidence, &record.holder) == Some(Role::Primary)
        })
        .filter(|record| {
            let given_up = record.waived || record.ended || record.joining || is_behind(evidence, record);
            !record.open.is_empty() || record.confirmed == newest && !given_up
        })
        .collect()
}

/// What the secondary is known to hold at least includes the standing reading of the old primary.
pub(super) fn includes(evidence: &Evidence<'_>, own: &Record, lost: &Record) -> bool {
    let Some(theirs) = standing(evidence, lost) else { return false };
    let own = own.running.as_ref().and_then(Extent::of);
    own.zip(Extent::of(theirs)).is_some_and(|(own, theirs)| own.includes(theirs))
}

/// Primaries that run, and that this plan makes. Where every member is one, those that leave run
/// beside those that come.
fn too_many(evidence: &Evidence<'_>) -> Option<String> {
    if evidence.seen.target.all_primaries() {
        return None;
    }
    let running = evidence.members.iter().filter(|member| member.state == State::Primary).count();
    let makes = |run: &&Run| matches!(run.command, Command::Seed | Command::Join | Command::Promote);
    let wanted = evidence.seen.target.primaries as usize;
    let all = running + evidence.runs().filter(makes).count();
    (all > wanted).then(|| format!("{all} primaries, and {wanted} are wanted"))
}
