//! What came of all, for people.

use std::fmt;

use operator::policy::record::Build;

use super::{Asked, Compared, Replayed, Report, Taken};
use crate::difference;
use crate::terminal::in_line;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for replayed in &self.records {
            replayed.fmt(f)?;
            if !replayed.passed_over.is_empty() {
                let names = in_line(&replayed.passed_over.join(", "));
                writeln!(f, "  a record has no {names}: passed over")?;
            }
        }
        let of = |wanted| move |one: &&Replayed| matches!(one.taken, Taken::Again { identical, .. } if identical == wanted);
        let (same, others) =
            (self.records.iter().filter(of(true)).count(), self.records.iter().filter(of(false)).count());
        let missing = self.records.iter().filter(|one| matches!(one.taken, Taken::Missing { .. })).count();
        let first = match same + others {
            0 => "nothing was compared:".to_owned(),
            taken => format!("{same} of {taken} decisions are the same,"),
        };
        let unread = self.records.iter().filter(|one| matches!(one.taken, Taken::NoRecord { .. })).count();
        let not_taken = self.records.len() - same - others - missing - unread;
        let rest = [
            (missing, "lack their component"),
            (not_taken, "could not be taken again"),
            (unread, "are no records"),
        ];
        let rest = rest.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
        let rest = rest.collect::<Vec<_>>().join(", ");
        f.write_str(format!("{first} {rest}").trim_end_matches([' ', ',']))
    }
}

impl fmt::Display for Replayed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, interface, about, taken, .. } = self;
        let about = about.as_ref().map(|about| format!(" ({})", in_line(about))).unwrap_or_default();
        let interface = interface.as_deref().unwrap_or_default();
        let (identical, then, here, fuel) = match taken {
            Taken::Again { identical, then, here, fuel } => (identical, then, here, fuel),
            Taken::Missing { missing } => {
                return writeln!(f, "MISSING {number} {interface}{about}: {}", in_line(missing));
            }
            Taken::NoRecord { no_record } => {
                return writeln!(f, "NO RECORD {number}: {}", in_line(no_record));
            }
            Taken::Not { not_taken } => {
                return writeln!(f, "not taken again {number} {interface}{about}: {}", in_line(not_taken));
            }
        };
        let mark = if *identical { "same   " } else { "DIFFERS" };
        writeln!(f, "{mark} {number} {interface}{about}: {}", fuel_words(*fuel, then.fuel, here.fuel))?;
        if then.outcome != here.outcome {
            writeln!(f, "  - the record, {}", shown(then.by))?;
            writeln!(f, "  + here, {}", shown(here.by))?;
            for line in difference::lines(&then.outcome, &here.outcome) {
                writeln!(f, "  {line}")?;
            }
        }
        Ok(())
    }
}

fn shown(by: Asked) -> String {
    match by {
        Asked::Component { digest } => digest.to_string(),
        Asked::Builtin { builtin } => format!("policy {builtin}"),
        Asked::Unknown {} => "which does not say who was asked".to_owned(),
    }
}

fn fuel_words(fuel: Compared, then: Option<u64>, here: Option<u64>) -> String {
    let units = |fuel: Option<u64>| fuel.map_or_else(|| "none counted".to_owned(), |fuel| fuel.to_string());
    let Build { wasmtime, arch } = Build::this();
    let both = || format!("{} units of fuel then, {} here", units(then), units(here));
    match fuel {
        Compared::Same => format!("{} units of fuel, as then", units(here)),
        Compared::Different => both(),
        Compared::NotCounted => "its fuel was not counted".to_owned(),
        Compared::OtherComponent => format!("{}; it is another component", both()),
        Compared::UnknownComponent => format!("{}; the record does not name its component", both()),
        Compared::UnknownBuild => {
            format!(
                "{}; here runs wasmtime {wasmtime} on {arch}, and the record does not say what ran it",
                both()
            )
        }
        Compared::OtherBuild => format!("{}; here runs wasmtime {wasmtime} on {arch}, there another", both()),
    }
}
