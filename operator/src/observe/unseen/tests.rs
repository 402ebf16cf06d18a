use super::*;
use crate::observe::fixture::{claim, objects, with_start};
use crate::observe::records;
use planner::Memory;

#[test]
fn a_pod_that_a_start_was_sent_to_is_asked_for_if_the_cache_does_not_show_it() {
    let (objects, gone) = (objects(), Gone::default());
    let asked = |pod: &str| unseen(&objects, &[with_start(pod, "n0")], &gone);
    assert!(asked("p0").is_empty(), "the cache shows it");
    assert_eq!(
        asked("p9"),
        BTreeMap::from([("p9".into(), "rss-x-0".into())]),
        "another pod has its name, or the cache is old"
    );
}

#[test]
fn a_start_that_only_the_claim_knows_is_asked_for_too() {
    let mut objects = objects();
    objects.claims.insert("rss-x-0".into(), vec![claim("k0", Some(&with_start("p9", "n0")))]);
    let records = records(&objects, &Memory::default());
    assert_eq!(unseen(&objects, &records, &Gone::default()).len(), 1);
}

#[test]
fn a_pod_that_is_gone_is_asked_for_once() {
    let gone = Gone(BTreeSet::from(["p9".into()]));
    assert!(unseen(&objects(), &[with_start("p9", "n0")], &gone).is_empty());
}
