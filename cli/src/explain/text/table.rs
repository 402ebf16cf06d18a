//! The members, one a line.

use std::fmt::{self, Formatter};

use super::Span;
use crate::explain::known::Read;
use crate::explain::member::Member;

/// Characters of a position in the table; `-o json` has all of it.
const POSITION: usize = 40;

/// Characters of a source's name.
const SOURCE: usize = 8;

pub(in crate::explain) fn table(members: &[Member], f: &mut Formatter<'_>) -> fmt::Result {
    if members.is_empty() {
        return Ok(());
    }
    let head = ["REPLICA", "STATE", "FOR", "POSITION", "LINEAGE", "READ", "VERDICT"].map(str::to_owned);
    let rows: Vec<_> = [head].into_iter().chain(members.iter().map(row)).collect();
    let wide = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    for row in &rows {
        let cells: Vec<String> = row
            .iter()
            .enumerate()
            .map(|(column, cell)| format!("{cell:width$}", width = wide(column)))
            .collect();
        writeln!(f, "  {}", cells.join("  ").trim_end())?;
    }
    Ok(())
}

fn row(member: &Member) -> [String; 7] {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    let position = member.position.as_deref().map(short);
    let bound = if member.read == Some(Read::WhileItRan) { "at least " } else { "" };
    [
        member.name.clone(),
        member.state.clone(),
        member.seconds.map(|seconds| Span(seconds).to_string()).unwrap_or_default(),
        or_none(position.map(|position| format!("{bound}{position}"))),
        or_none(member.lineage.as_deref().and_then(lineage)),
        or_none(member.read.map(|read| read.to_string())),
        or_none(member.verdict.as_ref().map(|verdict| verdict.to_string())),
    ]
}

/// A position in few characters: of one history from its beginning on, the last number.
pub(in crate::explain) fn short(position: &str) -> String {
    let of_one = position.rsplit_once(':').filter(|(source, _)| !source.contains([',', ' ']));
    let last = of_one.and_then(|(_, interval)| match interval.split_once('-')? {
        ("0" | "1", last) => Some(last),
        _ => None,
    });
    let text = last.unwrap_or(position);
    match text.char_indices().nth(POSITION) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn lineage(sources: &[String]) -> Option<String> {
    match sources {
        [] => None,
        [one] => Some(one.chars().take(SOURCE).collect()),
        more => Some(format!("{} sources", more.len())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_as_short_as_it_can_be_and_never_says_less_than_it_is() {
        let uuid = "be9916a8-0b9d-11f0-a3f1-3f0d5f8f7c11";
        let long = format!("{uuid}:5-9:11-20");
        for (whole, expected) in [
            ("17", "17"),
            (&format!("{uuid}:0-8812"), "8812"),
            ("0-1:1-7", "7"),
            ("0-1:3-7", "0-1:3-7"),
            ("0-1:1-7,0-2:1-3", "0-1:1-7,0-2:1-3"),
            ("0-1:1-7:9", "0-1:1-7:9"),
            (&long, "be9916a8-0b9d-11f0-a3f1-3f0d5f8f7c11:5-9…"),
            ("unreadable: a: 1-2", "unreadable: a: 1-2"),
        ] {
            assert_eq!(short(whole), expected);
        }
        assert_eq!(lineage(&[uuid.to_owned()]).as_deref(), Some("be9916a8"));
        assert_eq!(lineage(&["a".to_owned(), "b".to_owned()]).as_deref(), Some("2 sources"));
    }
}
