//! What the policy was told in this outage of data that is read as something else by now.

use std::collections::BTreeMap;

use operator::api::SetStatus;
use operator::policy::question::Question;
use operator::policy::record::Record as Asked;
use planner::{Position, Record};

use super::Data;
use crate::explain::known::{Compared, Known, Read};
use crate::explain::seed;

/// What each replica held when the policy was last asked about it since nobody serves. Another one reads in its own way.
pub(super) fn positions(status: &SetStatus) -> BTreeMap<String, Position> {
    let mut positions = BTreeMap::new();
    let active = status.policy.as_ref().and_then(|policy| policy.digest.as_ref());
    let is_active = |record: &Asked| record.policy.as_ref().and_then(|by| by.digest.as_ref()) == active;
    for record in seed::asked_in_outage(status).filter(is_active) {
        let Question::Seed(input) = record.question else { continue };
        for (name, position) in input.candidates.into_iter().filter_map(|one| Some((one.name, one.position?)))
        {
            positions.entry(name).or_insert(position);
        }
    }
    positions
}

impl Data {
    /// What is known best of some data, or what the policy was told of it in this outage, whichever is more: not where the
    /// replica has other data by now, of which nobody knows whether the policy was told of that.
    pub(in crate::explain) fn ever_known(&self, record: &Record) -> Option<Known> {
        let is_it = self.is_outage() && record.confirmed > 0 && self.is_current(record);
        let told = || Some(self.offered.get(&record.replica.0).filter(|_| is_it)?.clone());
        let earlier = || Some(Known { read: Read::EarlierInOutage, ..self.in_last_outage(told()?) });
        let is_more = |earlier: &Known, known: &Known| matches!(earlier.compared(known), Compared::Ahead(_));
        match (self.known(record), earlier()) {
            (Some(known), Some(earlier)) if is_more(&earlier, &known) => Some(earlier),
            (known, earlier) => known.or(earlier),
        }
    }
}
