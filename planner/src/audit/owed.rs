//! Whose reading a seed must have, and what it says.

use super::evidence::{Evidence, Member};
use super::extent::Extent;
use super::went_back::went_back;
use crate::measure::Measure;
use crate::position::Position;
use crate::record::{HolderId, Reading, Record, Taken};

/// What one holder adds to an outage (4.3).
pub(super) enum Debt<'a> {
    /// It adds nothing.
    None,
    /// It was not read.
    Unread,
    /// It held data, and has none to read.
    Lost,
    /// It holds this much.
    Holds(Extent<'a>),
}

/// Section 2, Reading: taken of a stopped member after the last start on its data, all starts closed;
/// void when another container of it was seen. Starts that this very plan promises do not count yet.
pub(super) fn standing<'a>(evidence: &Evidence<'a>, record: &'a Record) -> Option<&'a Taken> {
    let taken = record.reading.as_ref()?;
    let past = evidence.past(&record.holder);
    let promised = record.open.iter().filter(|start| !past.knew(start)).count();
    let place = evidence.place_of(&record.holder);
    let stands = record.open.len() == promised
        && taken.starts.checked_add(promised as u64) == Some(record.starts)
        && place.and_then(Member::container).is_none_or(|now| now == &taken.container)
        && !place.is_some_and(|member| member.state.serves());
    stands.then_some(taken)
}

/// The same, also where its container is new in this look: that makes nothing new of data that nothing was started on
/// since it was read.
pub(super) fn read_before<'a>(evidence: &Evidence<'a>, record: &'a Record) -> Option<&'a Taken> {
    let before = || evidence.past(&record.holder).newest()?.reading.as_ref();
    let is_of_now = |taken: &&Taken| record.open.is_empty() && taken.starts == record.starts;
    standing(evidence, record).or_else(|| before().filter(is_of_now))
}

/// Whether nobody of this set ever started or confirmed it: a claim that came with or without data.
pub(super) fn is_untouched(evidence: &Evidence<'_>, record: &Record) -> bool {
    let past = evidence.past(&record.holder);
    past.all().all(|old| old.confirmed == 0 && old.starts == 0)
}

/// 4.3: a holder confirmed in the newest epoch, not joining, adds its standing reading; none = wait;
/// Empty or Unreadable = lost data of that holder. A claim without a record that is neither unbound,
/// Empty nor 0 counts as confirmed; a pod or container without one began with nothing, once an epoch
/// is known. Others add nothing, nor does a bare number of one that left.
pub(super) fn debt<'a>(evidence: &Evidence<'a>, record: &'a Record) -> Debt<'a> {
    let newest = evidence.plan.memory.epoch.number;
    let past = evidence.past(&record.holder);
    let untouched = is_untouched(evidence, record);
    let joining = past.newest().is_some_and(|old| old.joining) && record.joining;
    if record.ended || record.waived || joining {
        return Debt::None;
    }
    let confirmed = record.confirmed == newest && newest > 0;
    if !confirmed && !untouched {
        return Debt::None;
    }
    let taken = standing(evidence, record);
    match taken.map(|taken| (&taken.reading, taken)) {
        _ if untouched && evidence.place_of(&record.holder).is_none() => Debt::None,
        _ if untouched && is_without_data(evidence, record) => Debt::None,
        _ if untouched && newest > 0 && !evidence.seen.target.has_claims() => Debt::None,
        None => Debt::Unread,
        Some((Reading::At(Position::Ordinal(_)), _)) if record.left => Debt::None,
        Some((Reading::At(Position::Ordinal(0)) | Reading::Empty, _)) if untouched => Debt::None,
        Some((Reading::At(Position::Ordinal(_)), taken)) if !is_of_now(evidence, &taken.measure) => {
            Debt::Unread
        }
        // What else it held nobody knows.
        Some((Reading::At(_), _)) if went_back(evidence, record) => Debt::Lost,
        Some((Reading::At(position), taken)) => Debt::Holds(Extent { position, measure: &taken.measure }),
        Some((Reading::Empty | Reading::Unreadable(_), _)) => Debt::Lost,
    }
}

/// Whether it was read in the last outage, by who reads now.
pub(super) fn is_of_now(evidence: &Evidence<'_>, measure: &Measure) -> bool {
    let now = &evidence.seen.reader;
    measure.outage == evidence.plan.memory.outages && now.is_some() && measure.reader == *now
}

/// A claim without a volume, or a pod or container that never ran: there is nothing to read.
fn is_without_data(evidence: &Evidence<'_>, record: &Record) -> bool {
    match (&record.holder, evidence.place_of(&record.holder)) {
        (HolderId::Claims(_), Some(member)) => member.replica.claims.iter().all(|claim| !claim.bound),
        (_, Some(member)) => member.container().is_none(),
        (_, None) => false,
    }
}
