//! What the volumes held when their databases were started, and whether a row that is missing may be.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use e2e::writers::Rows;

/// A database was seen that was not seen before.
#[derive(Clone, Copy, Debug)]
struct Start {
    /// When, in milliseconds since 1970.
    at: u64,
    /// How far its data reached.
    from: Option<u64>,
}

/// Every start of a round, by member. Each script that starts a database reads its volume first, under the volume lock,
/// and names what it found in the command line: so this is known from the data alone, before a join can overwrite any of it,
/// and the operator has no part in it.
#[derive(Debug, Default)]
pub(crate) struct Starts {
    of: BTreeMap<String, Vec<Start>>,
    /// When a database last began a cluster: nobody served just before.
    last_outage: Option<u64>,
}

// === impl Starts ===

impl Starts {
    pub(crate) fn add(&mut self, name: &str, from: Option<u64>, begins: bool, at: u64) {
        self.of.entry(name.to_owned()).or_default().push(Start { at, from });
        if begins {
            self.last_outage = Some(at);
        }
    }

    /// Of acknowledged rows that members lack those that were lost by the database itself: no volume held them when it was
    /// opened again after an outage. Any other is an error: the members lack different rows, nobody ever stopped serving, the
    /// row was written after that, some volume reached as far, or what a volume held is not known. Of the one whose data was
    /// destroyed nothing is asked, nor does it count what its volume held.
    ///
    /// It does not find that a volume held a row that was the last one there, and is known to have been committed by a later
    /// place than its own: another client's came between.
    pub(crate) fn own_loss(&self, missing: &BTreeMap<String, Rows>, destroyed: Option<&str>) -> Result<Rows> {
        let rows = missing.values().next().cloned().unwrap_or_default();
        ensure!(missing.values().all(|other| *other == rows), "members lack different rows: {missing:?}");
        if rows.is_empty() {
            return Ok(rows);
        }
        let outage = self.last_outage.unwrap_or_default();
        let kept = || missing.keys().filter(|name| Some(name.as_str()) != destroyed);
        let starts = |name: &String| self.of.get(name).map(Vec::as_slice).unwrap_or_default();
        let held = kept().flat_map(starts).filter_map(|start| start.from).max();
        let (own, lost): (Rows, Rows) =
            rows.into_iter().partition(|(_, row)| row.at < outage && Some(row.committed) > held);
        ensure!(lost.is_empty(), "volumes held up to {held:?}; rows are missing: {lost:?}; {self:?}");
        let is_known = |name: &&String| {
            let starts = starts(name);
            starts.iter().all(|start| start.from.is_some()) && starts.iter().any(|start| start.at >= outage)
        };
        let unknown: Vec<_> = kept().filter(|name| !is_known(name)).collect();
        ensure!(
            unknown.is_empty(),
            "what {unknown:?} held is not known; {own:?} may have been there; {self:?}"
        );
        Ok(own)
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Result;
    use e2e::writers::{Rows, Written};

    use super::Starts;

    const MEMBERS: [&str; 3] = ["a", "b", "c"];
    /// When the outage was over.
    const THEN: u64 = 1_000;

    /// Member a begins a cluster, and the others join it; each from its position.
    fn outage(positions: [Option<u64>; 3]) -> Starts {
        let mut starts = Starts::default();
        for (name, from) in MEMBERS.into_iter().zip(positions) {
            starts.add(name, from, name == "a", THEN);
        }
        starts
    }

    /// All members lack a row that was acknowledged then, when so much had been committed.
    fn judged(starts: &Starts, committed: u64, at: u64, destroyed: Option<&str>) -> Result<Rows> {
        let rows = Rows::from([(7, Written { committed, at })]);
        let missing = MEMBERS.map(|name| (name.to_owned(), rows.clone()));
        starts.own_loss(&missing.into(), destroyed)
    }

    #[test]
    fn only_a_row_that_no_volume_held_after_an_outage_is_the_databases_own_loss() {
        let known = outage([Some(90), Some(100), Some(80)]);
        let own = judged(&known, 101, 999, None);
        assert_eq!(own.expect("no volume reached as far").len(), 1);
        assert!(judged(&known, 100, 999, None).is_err(), "one that joined held it");
        assert!(judged(&known, 101, THEN, None).is_err(), "it was written after the outage");
        assert!(judged(&Starts::default(), 101, 999, None).is_err(), "somebody always served");
    }

    #[test]
    fn what_a_volume_held_that_was_not_read_is_no_excuse_unless_it_was_destroyed() {
        let unread = outage([Some(90), None, Some(80)]);
        assert!(judged(&unread, 101, 999, None).is_err(), "it may have held the row");
        assert!(judged(&unread, 101, 999, Some("c")).is_err(), "another was destroyed");
        assert!(judged(&unread, 101, 999, Some("b")).is_ok());
        let mut again = outage([Some(90), Some(100), Some(80)]);
        again.add("a", Some(90), true, THEN + 1);
        assert!(judged(&again, 101, 999, None).is_err(), "the others were not seen since");
        let destroyed = outage([Some(90), Some(100), Some(80)]);
        assert!(judged(&destroyed, 95, 999, Some("b")).is_ok(), "it was destroyed with the data");
    }

    #[test]
    fn members_that_lack_different_rows_have_parted() {
        let rows = Rows::from([(7, Written { committed: 101, at: 999 })]);
        let missing = [("a".to_owned(), rows), ("b".to_owned(), Rows::new())];
        let parted = outage([Some(90); 3]).own_loss(&missing.into(), None);
        assert!(parted.is_err_and(|error| error.to_string().contains("different")));
    }
}
