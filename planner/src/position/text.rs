//! Positions as text for people. A source is written once, as MySQL writes it: `NAME:1-5:7`.

use std::fmt;

use super::{History, Interval, Position};

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ordinal(n) => write!(f, "{n}"),
            Self::History(history) => history.fmt(f),
        }
    }
}

/// Each source with its intervals.
impl fmt::Display for History {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (source, intervals)) in self.0.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(f, "{comma}{source}")?;
            intervals.iter().try_for_each(|interval| write!(f, ":{interval}"))?;
        }
        Ok(())
    }
}

/// A single number stands for the interval of that number alone.
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, last } = self;
        if first == last { write!(f, "{first}") } else { write!(f, "{first}-{last}") }
    }
}

#[cfg(test)]
mod tests {
    use super::super::LONGEST;
    use super::*;
    use std::collections::BTreeMap;

    fn history(intervals: &[(u64, u64)]) -> Position {
        let intervals = intervals.iter().map(|&(first, last)| Interval { first, last }).collect();
        Position::History(History(BTreeMap::from([
            ("a:tag".to_owned(), intervals),
            ("b".to_owned(), Vec::new()),
        ])))
    }

    #[test]
    fn each_source_is_written_once_with_its_intervals() {
        assert_eq!(history(&[(1, 5), (7, 7)]).to_string(), "a:tag:1-5:7,b");
        assert_eq!(Position::Ordinal(7).to_string(), "7");
    }

    #[test]
    fn fifteen_hundred_intervals_as_a_server_prints_them_have_room() {
        let many: Vec<_> = (0..1500).map(|n| (n * 1000, n * 1000 + 150)).collect();
        assert!(history(&many).to_string().len() < LONGEST / 2);
    }
}
