//! The choice of a seed, in a line and one more for each that was not offered.

use std::fmt::{self, Display, Formatter};

use super::short;
use crate::explain::at::At;
use crate::explain::known::Read;
use crate::explain::seed::{Beside, NotOffered, Seed};

impl Display for Seed {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.offered.iter().map(|one| one.name.as_str()).collect();
        let held = self.offered.iter().find_map(|one| one.position.as_deref());
        let at = self.at.as_deref().map(|at| format!(" at {at}")).unwrap_or_default();
        write!(f, "  seed     ")?;
        match (&self.proposed, self.refused_because.is_empty()) {
            (Some(name), true) => write!(f, "{name}")?,
            (Some(name), false) => write!(f, "{name} was proposed")?,
            (None, _) => write!(f, "nobody")?,
        }
        write!(f, "{at}, of {}", names.join(", "))?;
        held.map_or(Ok(()), |held| write!(f, " with {}", short(held)))?;
        if !self.why.is_empty() {
            write!(f, ": {}", self.why)?;
        }
        match &self.by {
            Some(by) => writeln!(f, " (policy {by})")?,
            None => writeln!(f, " (it is not recorded by whom)")?,
        }
        self.refused_because.iter().try_for_each(|why| writeln!(f, "           refused because {why}"))?;
        self.not_offered.iter().try_for_each(|one| writeln!(f, "           {one}"))
    }
}

impl Display for NotOffered {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { name, last_read, last_known, beside } = self;
        write!(f, "{name} was not offered: ")?;
        let Some(read) = last_read else { return unread(f, last_known.as_ref()) };
        write!(f, "last read at {}, ", short(read))?;
        match beside {
            Beside::BehindBy(extent) if extent.transactions.is_some() => write!(f, "behind by {extent}"),
            Beside::BehindBy(_) => write!(f, "behind"),
            Beside::Same => write!(f, "the same; why is not recorded"),
            Beside::AheadBy(extent) => write!(f, "ahead by {extent}; why is not recorded"),
            Beside::TriedAsSeed => write!(f, "it was tried as seed"),
            Beside::GivenUp => write!(f, "it was given up by AcceptLoss"),
            Beside::Parted { lacks, alone } => write!(f, "lacks {lacks}, alone holds {alone}"),
            Beside::NotCompared => write!(f, "which cannot be compared"),
        }
    }
}

/// What is known of one that was not read in the outage, and why that does not count.
fn unread(f: &mut Formatter<'_>, last: Option<&At>) -> fmt::Result {
    write!(f, "no position of it from that outage is kept")?;
    let Some(last) = last else { return Ok(()) };
    write!(f, "; it was {last}")?;
    match last.read {
        Read::Stands | Read::EarlierInOutage => Ok(()),
        Read::WhileItRan => write!(f, ", and may hold more"),
        Read::BeforeItsStart => write!(f, ", and may hold more, or less, since"),
    }
}
