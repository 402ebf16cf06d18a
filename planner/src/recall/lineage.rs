//! A database that makes a new lineage by itself: nobody can hold any more what its epoch began with.

use crate::look::Look;
use crate::plan::News;
use crate::position::Position;
use crate::record::Record;

/// The base of an epoch is dropped when all data was read at rest and none of it names a source of the
/// base. Where somebody still names one, or was not read, the old lineage may be the better one: the
/// base stays, and a person decides.
pub(super) fn drop_outlived_base(look: &mut Look<'_>, news: &mut Vec<News>) {
    if look.memory.outage.is_some() && is_outlived(look) {
        look.memory.epoch.base = None;
        news.push(News::LineageChanged);
    }
}

fn is_outlived(look: &Look<'_>) -> bool {
    let Some(Position::History(base)) = look.memory.epoch.base.as_ref().map(|base| &base.position) else {
        return false;
    };
    let counts = |record: &&Record| !record.ended && !record.waived && !record.is_new();
    let parted = |record: &Record| match record.position() {
        Some(Position::History(here)) => !here.0.is_empty() && !here.shares_source(base),
        _ => false,
    };
    let mut all = look.memory.holders.values().filter(counts).peekable();
    !base.0.is_empty() && all.peek().is_some() && all.all(parted)
}

#[cfg(test)]
mod tests {
    use super::super::recall;
    use crate::fixture::{measure, memory, record, stopped_set};
    use crate::memory::{Base, Outage};
    use crate::observation::Status;
    use crate::plan::News;
    use crate::position::{History, Position};
    use crate::record::{Reading, Record};

    fn reads(ordinal: u32, source: &str) -> Record {
        record(ordinal).confirmed_in(2).reads(Reading::At(Position::History(History::up_to(source, 9))))
    }

    /// Whether the base, of lineage `a`, is dropped in an outage of such a set.
    fn dropped(second: Record) -> bool {
        let mut known = memory([reads(0, "b"), second]);
        known.outage = Some(Outage::default());
        known.epoch.base =
            Some(Base { position: Position::History(History::up_to("a", 5)), measure: measure(1) });
        let seen = stopped_set(2);
        let (look, news) = recall(&seen, &known);
        assert_eq!(news.contains(&News::LineageChanged), look.memory.epoch.base.is_none());
        look.memory.epoch.base.is_none()
    }

    #[test]
    fn the_base_goes_only_when_nobody_can_hold_any_of_it() {
        let older = |mut record: Record| {
            record.confirmed = 1;
            record
        };
        let joining = |mut record: Record| {
            record.joining = true;
            record
        };
        let waived = |mut record: Record| {
            record.waived = true;
            record
        };
        assert!(dropped(reads(1, "b")), "both are of another lineage");
        assert!(!dropped(reads(1, "a")), "the other still is of it");
        assert!(!dropped(record(1).confirmed_in(2)), "the other was not read");
        assert!(!dropped(record(1).confirmed_in(2).reads(Reading::Empty)), "lost data is no lineage");
        assert!(!dropped(older(reads(1, "a"))), "it may be the only copy");
        assert!(!dropped(joining(reads(1, "a"))), "it may have been spared");
        assert!(dropped(waived(reads(1, "a"))), "it was given up");
        assert!(dropped(record(1).starts(0).reads(Reading::Empty)), "new data was never part of it");
        let nothing = Reading::At(Position::History(History::default()));
        assert!(!dropped(record(1).confirmed_in(2).reads(nothing)), "no transactions are of no lineage");
    }

    #[test]
    fn while_somebody_may_serve_nothing_is_concluded() {
        let mut known = memory([reads(0, "b"), reads(1, "b")]);
        known.epoch.base =
            Some(Base { position: Position::History(History::up_to("a", 5)), measure: measure(1) });
        let mut seen = stopped_set(2);
        assert!(recall(&seen, &known).0.memory.epoch.base.is_none(), "all rest");
        seen.pod_mut(1).status = Status::Silent("lost".to_owned());
        assert!(recall(&seen, &known).0.memory.epoch.base.is_some(), "one was not heard");
    }
}
