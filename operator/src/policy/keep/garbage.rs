//! What is not needed any more.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use k8s_openapi::jiff::Timestamp;

use super::object::{Annotations, kept_for, namespaces, unused_since};
use crate::policy::Digest;

/// For how long a policy that no set uses is kept: a set that was deleted by mistake may come back, and one that has
/// just brought its policy does not name it in its status yet.
pub const GRACE: Duration = Duration::from_secs(3600);

/// Which policies the sets name, each with the namespace of the set.
pub type InUse = BTreeSet<(String, Digest)>;

/// What to do about one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Nothing.
    Leave,
    /// Set these annotations; without a value they go.
    Annotate(BTreeMap<String, Option<String>>),
    /// Nobody has it any more.
    Delete,
}

/// `covers`: the namespaces whose sets are all known. Others are another operator's to judge.
pub(super) fn next(
    annotations: &Annotations,
    digest: Option<Digest>,
    in_use: &InUse,
    covers: impl Fn(&str) -> bool,
    now: Timestamp,
) -> Next {
    let mut changes = BTreeMap::new();
    let mut left = 0;
    for namespace in namespaces(annotations) {
        let used = digest.is_some_and(|digest| in_use.contains(&(namespace.to_owned(), digest)));
        let mark = annotations.get(&unused_since(namespace));
        let since = mark.and_then(|mark| mark.parse::<Timestamp>().ok()).filter(|since| *since <= now);
        left += 1;
        if !covers(namespace) {
            continue;
        }
        match since {
            _ if used && mark.is_some() => drop(changes.insert(unused_since(namespace), None)),
            _ if used => {}
            None => drop(changes.insert(unused_since(namespace), Some(now.to_string()))),
            Some(since) if now.duration_since(since).unsigned_abs() >= GRACE => {
                left -= 1;
                changes.extend([(unused_since(namespace), None), (kept_for(namespace), None)]);
            }
            Some(_) => {}
        }
    }
    match (left, changes.is_empty()) {
        (0, _) => Next::Delete,
        (_, true) => Next::Leave,
        (_, false) => Next::Annotate(changes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_700_000_000;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn annotations(kept: &[(&str, Option<i64>)]) -> Annotations {
        let each = kept.iter().flat_map(|(namespace, since)| {
            let mark = since.map(|since| (unused_since(namespace), at(since).to_string()));
            std::iter::once((kept_for(namespace), "host/p".to_owned())).chain(mark)
        });
        each.collect()
    }

    fn judged(kept: &[(&str, Option<i64>)], used_in: &[&str]) -> Next {
        let digest = Digest::of(b"component");
        let in_use = used_in.iter().map(|namespace| ((*namespace).to_owned(), digest)).collect();
        next(&annotations(kept), Some(digest), &in_use, |namespace| namespace != "theirs", at(NOW))
    }

    fn changed(changes: &[(String, Option<&str>)]) -> Next {
        Next::Annotate(changes.iter().map(|(key, value)| (key.clone(), value.map(str::to_owned))).collect())
    }

    #[test]
    fn what_is_used_is_left() {
        assert_eq!(judged(&[("a", None)], &["a"]), Next::Leave);
        assert_eq!(judged(&[("a", Some(NOW - 9999))], &["a"]), changed(&[(unused_since("a"), None)]));
    }

    #[test]
    fn what_is_not_used_is_marked_and_goes_after_a_while() {
        let marked = at(NOW).to_string();
        assert_eq!(judged(&[("a", None)], &[]), changed(&[(unused_since("a"), Some(&marked))]));
        assert_eq!(judged(&[("a", Some(NOW - 3599))], &[]), Next::Leave);
        assert_eq!(judged(&[("a", Some(NOW - 3600))], &[]), Next::Delete);
    }

    #[test]
    fn a_mark_of_a_clock_that_was_ahead_is_made_anew() {
        let marked = at(NOW).to_string();
        assert_eq!(judged(&[("a", Some(NOW + 60))], &[]), changed(&[(unused_since("a"), Some(&marked))]));
    }

    #[test]
    fn a_namespace_loses_its_right_alone() {
        let gone = changed(&[(unused_since("a"), None), (kept_for("a"), None)]);
        assert_eq!(judged(&[("a", Some(NOW - 3600)), ("b", None)], &["b"]), gone);
    }

    #[test]
    fn a_set_of_another_namespace_does_not_keep_it_for_this_one() {
        assert_eq!(judged(&[("a", Some(NOW - 3600))], &["b"]), Next::Delete);
    }

    #[test]
    fn what_another_operator_looks_after_is_left_to_it() {
        assert_eq!(judged(&[("theirs", None)], &[]), Next::Leave);
        assert_eq!(judged(&[("theirs", Some(NOW - 9999))], &[]), Next::Leave);
    }

    #[test]
    fn what_nobody_has_goes() {
        assert_eq!(judged(&[], &[]), Next::Delete);
    }
}
