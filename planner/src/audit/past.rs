//! What was remembered of one holder before this look: in status, and on its claims.

use super::evidence::Evidence;
use crate::record::{HolderId, Record};
use crate::start::Start;

/// Every record of one holder.
pub(super) struct Past<'a> {
    status: Option<&'a Record>,
    claims: Vec<&'a Record>,
    /// On its claims, but naming other data: it may be that data restored (section 2, Holder).
    restored: Vec<&'a Record>,
}

impl<'a> Past<'a> {
    pub(super) fn of(evidence: &Evidence<'a>, holder: &HolderId) -> Self {
        let status = evidence.memory.holders.get(holder);
        let place = evidence.place_of(holder);
        let on_claims = place.map(|member| member.replica.claims.as_slice()).unwrap_or_default();
        let (mut claims, restored): (Vec<_>, Vec<_>) = on_claims
            .iter()
            .filter_map(|claim| claim.record.as_ref())
            .partition(|record| &record.holder == holder);
        if place.is_none() && status.is_none() {
            // Of data that is nowhere any more, and that the status forgot, a claim may tell that was made from it.
            let all = evidence.members.iter().flat_map(|member| &member.replica.claims);
            claims.extend(
                all.filter_map(|claim| claim.record.as_ref()).filter(|record| &record.holder == holder),
            );
        }
        Self { status, claims, restored }
    }

    /// The records of this very data.
    pub(super) fn own(&self) -> impl Iterator<Item = &'a Record> {
        self.status.into_iter().chain(self.claims.iter().copied())
    }

    /// The records of this data, and of data that it may be restored from.
    pub(super) fn all(&self) -> impl Iterator<Item = &'a Record> {
        self.own().chain(self.restored.iter().copied())
    }

    /// What it may be restored from.
    pub(super) fn restored(&self) -> &[&'a Record] {
        &self.restored
    }

    /// The record that counts: the greater (epoch that it was confirmed in, starts), of equal ones that of a claim, for
    /// claims are written before the status.
    pub(super) fn newest(&self) -> Option<&'a Record> {
        self.own().max_by_key(|record| rank(record))
    }

    /// How many starts it had.
    pub(super) fn starts(&self) -> u64 {
        self.own().map(|record| record.starts).max().unwrap_or(0)
    }

    /// The newest epoch that it was confirmed in.
    pub(super) fn confirmed(&self) -> u64 {
        self.own().map(|record| record.confirmed).max().unwrap_or(0)
    }

    /// Starts that were open, each once, with all that any record knows of it. Where it may run is as the record says that
    /// counts, and its lock as the one with the most starts says, for each of them makes it unknown again.
    pub(super) fn open(&self) -> Vec<Start> {
        let mut records: Vec<&Record> = self.own().collect();
        records.sort_by_key(|record| rank(record));
        let mut united: Vec<(u64, Start)> = Vec::new();
        for (starts, start) in records.into_iter().flat_map(|r| r.open.iter().map(|start| (r.starts, start)))
        {
            match united.iter_mut().find(|(_, known)| known.attempt == start.attempt) {
                None => united.push((starts, start.clone())),
                Some((asked, known)) => {
                    (known.container, known.boot) = (start.container.clone(), start.boot.clone());
                    known.confirmed |= start.confirmed;
                    known.began |= start.began;
                    known.ended |= start.ended;
                    (*asked, known.lock) = (*asked, known.lock).max((starts, start.lock));
                }
            }
        }
        united.into_iter().map(|(_, start)| start).collect()
    }

    /// Whether this start was known before this look.
    pub(super) fn knew(&self, start: &Start) -> bool {
        self.all().flat_map(|record| &record.open).any(|known| known.attempt == start.attempt)
    }
}

fn rank(record: &Record) -> (u64, u64) {
    (record.confirmed, record.starts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::record;

    /// A record of one start, of which it knows how it went, or nothing.
    fn of_start(knows: bool) -> Record {
        let mut record = record(1).open_start("join");
        let start = &mut record.open[0];
        (start.confirmed, start.began, start.ended) = (knows, knows, knows);
        record
    }

    #[test]
    fn of_a_start_in_two_records_all_is_known_that_either_knows() {
        for (by_status, by_claim) in [(false, false), (false, true), (true, false), (true, true)] {
            let (status, claim) = (of_start(by_status), of_start(by_claim));
            let past = Past { status: Some(&status), claims: vec![&claim], restored: Vec::new() };
            assert_eq!(past.open(), of_start(by_status || by_claim).open, "{by_status}, {by_claim}");
        }
    }
}
