//! Positions with the outage and the reader of each, by which bare numbers are compared.

use planner::Position;
use planner::measure::Measure;

use super::Data;
use crate::explain::known::{Known, Read};

impl Data {
    /// What was read of a replica's data in the last outage, whatever was started since.
    pub(in crate::explain) fn read_in_last_outage(&self, replica: &str) -> Option<Known> {
        let taken = self.record(replica)?.reading.as_ref()?;
        let is_of = self.memory.as_ref().is_some_and(|memory| memory.outages == taken.measure.outage);
        Known::of(taken, Read::BeforeItsStart).filter(|_| is_of)
    }

    /// A position that was read in the last outage. Who read it is known if it is written down of some data too.
    pub(in crate::explain) fn in_last_outage(&self, position: Position) -> Known {
        let outage = self.memory.as_ref().map_or(0, |memory| memory.outages);
        let is_it = |(at, measure): &(&Position, &Measure)| **at == position && measure.outage == outage;
        let found = self.measured().find(is_it).map(|(_, measure)| measure.clone());
        Known { position, read: Read::Stands, measure: found.unwrap_or_default() }
    }

    /// What the newest epoch began with, where that is known.
    pub(in crate::explain) fn base(&self) -> Option<Known> {
        let base = self.memory.as_ref()?.epoch.base.as_ref()?;
        let (position, measure) = (base.position.clone(), base.measure.clone());
        Some(Known { position, read: Read::BeforeItsStart, measure })
    }

    /// Every position that is written down, what epoch and starts began from first.
    fn measured(&self) -> impl Iterator<Item = (&Position, &Measure)> {
        let base = self.memory.iter().filter_map(|memory| memory.epoch.base.as_ref());
        let starts = self.records().flat_map(|record| &record.open);
        let taken = self.records().filter_map(|record| record.reading.as_ref());
        base.map(|base| (&base.position, &base.measure))
            .chain(starts.filter_map(|start| Some((start.from.as_ref()?, &start.measure))))
            .chain(taken.filter_map(|taken| Some((taken.position()?, &taken.measure))))
    }
}
