//! A join replaces data: whose it may replace.

use super::breach::{Breach, Rule};
use super::evidence::{Evidence, Member, State};
use super::extent::Extent;
use super::least::may_stay;
use super::owed::{is_untouched, standing};
use super::takeover::is_superseded;
use super::went_back::lost_by;
use crate::key::KeyKind;
use crate::memory::{Epoch, Memory};
use crate::observation::Command;
use crate::plan::Run;
use crate::position::Position;
use crate::record::{Reading, Record, Taken};

/// 4.6: a join destroys the joiner's data, so its holder is of the current epoch, or inside `base`, or
/// new or joining; a waived one is read first and lies inside `base`, and one that parted inside that of the epoch it parted from; `AcceptErrant` opens the rest. A
/// live primary of this epoch is seen in the same round (not asked with `primaries: 0`), and the member
/// answers Stopped.
pub(super) fn destroys_nothing(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let joins = |run: &&Run| match run.command {
        Command::Join => true,
        Command::Follow => !evidence.member(&run.replica).is_some_and(|at| at.state.serves()),
        _ => false,
    };
    for run in evidence.runs().filter(joins) {
        if let Some(what) = refused(evidence, run) {
            found.push(Breach::at(Rule::Join, &run.replica, what));
        }
    }
    let most = evidence.seen.target.parallel_joins.max(1) as usize;
    if evidence.runs().filter(joins).count() > most {
        found.push(Breach::of_set(Rule::Join, format!("more than {most} at once")));
    }
}

fn refused(evidence: &Evidence<'_>, run: &Run) -> Option<&'static str> {
    let target = &evidence.seen.target;
    let member = evidence.member(&run.replica)?;
    let Some(record) = evidence.record_of(member) else { return Some("whose data it is is not known") };
    match () {
        () if member.state != State::Stopped => Some("does not answer Stopped"),
        () if !may_stay(evidence, member) => Some("is not wanted"),
        () if run.command == Command::Follow && !target.has_secondary => Some("has no command to follow"),
        () if target.primaries > 0 && !evidence.has_live_primary() => Some("has no live primary to join"),
        () if !is_expendable(evidence, member, record) => Some("holds data of its own"),
        () => None,
    }
}

/// Its data is of the set's history, or nobody's, or a person lets it go.
pub(super) fn is_expendable(evidence: &Evidence<'_>, member: &Member<'_>, record: &Record) -> bool {
    let past = evidence.past(&record.holder);
    let memory = &evidence.plan.memory;
    let known = past.newest();
    let is_of_epoch = record.confirmed == memory.epoch.number && memory.epoch.number > 0;
    let is_theirs = record.parted.is_none() && !is_superseded(evidence, record);
    let current = is_of_epoch && !record.waived && is_theirs;
    let joining = known.is_some_and(|old| old.joining);
    let unread = || match standing(evidence, record) {
        Some(taken) => is_inside_base(record.parted.as_ref().unwrap_or(&memory.epoch), taken),
        None => false,
    };
    let without_volume = || {
        is_untouched(evidence, record)
            && (!evidence.seen.target.has_claims() || member.replica.claims.iter().all(|claim| !claim.bound))
    };
    if !joining && !record.waived && lost_by(evidence, record).is_some_and(|held| !began_with(memory, held)) {
        return evidence.key(KeyKind::AcceptErrant, Some(&member.name.0)).is_some();
    }
    current
        || joining
        || unread()
        || without_volume()
        || evidence.key(KeyKind::AcceptErrant, Some(&member.name.0)).is_some()
}

/// The newest epoch began with this history.
fn began_with(memory: &Memory, held: &Position) -> bool {
    let base =
        memory.epoch.base.as_ref().map(|base| Extent { position: &base.position, measure: &base.measure });
    base.is_some_and(|base| {
        matches!(held, Position::History(_))
            && base.includes(Extent { position: held, measure: base.measure })
    })
}

/// No more than an epoch began with.
pub(super) fn is_inside_base(epoch: &Epoch, taken: &Taken) -> bool {
    match &taken.reading {
        Reading::Empty | Reading::At(Position::Ordinal(0)) => true,
        Reading::Unreadable(_) => false,
        Reading::At(position) => epoch.base.as_ref().is_some_and(|base| {
            let base = Extent { position: &base.position, measure: &base.measure };
            base.includes(Extent { position, measure: &taken.measure })
        }),
    }
}

impl Evidence<'_> {
    /// Seen Primary in this look, and confirmed in the newest epoch.
    pub(super) fn has_live_primary(&self) -> bool {
        let newest = self.plan.memory.epoch.number;
        self.members.iter().any(|member| {
            member.state == State::Primary
                && newest > 0
                && self.record_of(member).is_some_and(|record| record.confirmed == newest)
        })
    }
}
