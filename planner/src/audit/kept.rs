//! What is known of a start while it is open.

use super::breach::{Breach, Rule};
use super::closing::{has_ended, is_as_told};
use super::evidence::{Evidence, State};
use crate::key::KeyKind;
use crate::observation::Fate;
use crate::record::Record;
use crate::start::Start;

/// 4.2: what a start is closed by is what is written of it, so it stays as it was promised. Its container is another
/// only where it is said to have begun in that, and its boot is written anew with it, or while its member runs by it: none
/// outlives a boot. That it began, ended or came up is written where that was seen.
pub(super) fn as_it_was_promised(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    for record in evidence.plan.memory.holders.values().filter(|record| !record.open.is_empty()) {
        let past = evidence.past(&record.holder);
        for start in &record.open {
            let known = past.own().flat_map(|record| &record.open);
            let known: Vec<&Start> = known.filter(|known| known.attempt == start.attempt).collect();
            let what = known.first().and_then(|first| changed(evidence, record, start, first, &known));
            if let Some(what) = what {
                let what = format!("{} is written with another {what}", start.attempt);
                found.push(Breach::at(Rule::Unpromised, &record.replica, what));
            }
        }
    }
}

/// What is not as any record knew it, and was not seen either.
fn changed(
    evidence: &Evidence<'_>,
    record: &Record,
    start: &Start,
    first: &Start,
    known: &[&Start],
) -> Option<&'static str> {
    let was = |is_same: fn(&Start, &Start) -> bool| known.iter().any(|known| is_same(known, start));
    match () {
        () if (&start.pod, &start.node) != (&first.pod, &first.node) => Some("place"),
        () if !was(|a, b| a.container == b.container) && !evidence.came_late(first, &start.container) => {
            Some("container")
        }
        () if start.kind != first.kind => Some("kind"),
        () if (&start.from, &start.measure) != (&first.from, &first.measure) => Some("beginning"),
        () if start.joining_before != first.joining_before => Some("past"),
        () if start.opens != first.opens => Some("epoch"),
        () if !was(|a, b| a.boot == b.boot) && !is_boot_of_now(evidence, record, start, first) => {
            Some("boot")
        }
        () if !was(|a, b| a.confirmed == b.confirmed) && !is_seen(evidence, record, start) => Some("answer"),
        () if !was(|a, b| a.began == b.began) && !has_begun(evidence, start) => Some("course"),
        () if !was(|a, b| a.ended == b.ended) && !is_over(evidence, start) => Some("end"),
        () => None,
    }
}

/// Its member runs in its container, or it came late into that one, and so does that node's boot of this look.
fn is_boot_of_now(evidence: &Evidence<'_>, record: &Record, start: &Start, first: &Start) -> bool {
    let node = evidence.seen.nodes.get(&start.node);
    (runs_here(evidence, record, start).is_some() || start.container != first.container)
        && node.is_some_and(|node| node.boot == start.boot && !node.boot.0.is_empty())
}

/// Its member answers as what this start makes of it. A person's word about its pod says so of any answer.
fn is_seen(evidence: &Evidence<'_>, record: &Record, start: &Start) -> bool {
    let vouched = || evidence.key(KeyKind::AssertFenced, Some(&start.pod.0)).is_some();
    let runs = runs_here(evidence, record, start);
    start.confirmed && runs.is_some_and(|state| is_as_told(state, start.kind) || vouched())
}

/// How its member is, where that runs in the container of this start.
fn runs_here(evidence: &Evidence<'_>, record: &Record, start: &Start) -> Option<State> {
    let member = evidence.place_of(&record.holder)?;
    let here = member.container() == Some(&start.container) && member.state.serves();
    here.then_some(member.state)
}

fn has_begun(evidence: &Evidence<'_>, start: &Start) -> bool {
    let began = matches!(evidence.seen.fates.get(&start.attempt), Some(Fate::Began | Fate::Over));
    start.began && (began || has_ended(evidence, &start.attempt))
}

fn is_over(evidence: &Evidence<'_>, start: &Start) -> bool {
    start.ended && has_ended(evidence, &start.attempt)
}
