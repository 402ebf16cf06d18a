//! What a person allowed.

use super::breach::{Breach, Rule};
use super::evidence::Evidence;
use crate::key::Key;
use crate::plan::News;

/// 4.10: a key is bound to the facts, used once, and recorded: one that is spoken of was given, one that
/// is told as used fits, and one that still stands in the resource is not forgotten. One that does not
/// fit is told as refused, and opens nothing.
pub(super) fn open_once(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let given = &evidence.seen.target.keys;
    let (before, after) = (&evidence.memory.used_keys, &evidence.plan.memory.used_keys);
    for text in after.difference(before) {
        let refused = evidence.plan.news.contains(&News::KeyRefused(text.clone()));
        let is_sound = |key: &Key| &key.text() == text && (refused != evidence.opens(key));
        if !given.iter().any(is_sound) {
            found.push(Breach::of_set(Rule::Key, format!("{text} was not given, or does not fit")));
        }
    }
    for text in before.difference(after) {
        if given.iter().any(|key| &key.text() == text) {
            found.push(Breach::of_set(Rule::Key, format!("{text} could be used again")));
        }
    }
}
