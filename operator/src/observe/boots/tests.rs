use super::*;
use crate::observe::fixture::{claim, objects, with_start};
use crate::observe::records;

fn cached(boot: &str) -> BTreeMap<NodeName, BootId> {
    BTreeMap::from([("n0".into(), boot.into())])
}

fn asked(boots: &Boots, cached: &BTreeMap<NodeName, BootId>, places: &[&str]) -> Vec<String> {
    let written = BTreeSet::from([("n0".into(), "b".into())]);
    let places = places.iter().map(|name| NodeName::from(*name)).collect();
    boots.doubtful(cached, &written, &places).into_iter().map(|name| name.0).collect()
}

fn memory(record: &Record) -> Memory {
    Memory { holders: [(record.holder.clone(), record.clone())].into(), ..Memory::default() }
}

#[test]
fn a_node_is_asked_for_where_the_cache_shows_another_boot_than_that_of_a_start() {
    let boots = Boots::default();
    assert_eq!(asked(&boots, &cached("other"), &[]), ["n0"]);
    assert!(asked(&boots, &cached("b"), &[]).is_empty());
    assert!(asked(&boots, &cached(""), &[]).is_empty(), "it shows none, and that proves nothing");
    assert!(asked(&boots, &BTreeMap::new(), &[]).is_empty(), "a node that is gone proves nothing");
}

#[test]
fn a_boot_that_the_api_server_called_over_is_asked_about_once() {
    let boots = Boots { over: BTreeSet::from([("n0".into(), "b".into())]), ..Boots::default() };
    assert!(asked(&boots, &cached("other"), &[]).is_empty());
}

#[test]
fn a_node_is_asked_for_while_the_cache_is_behind_what_was_told_before_a_promise() {
    let boots = Boots { told: BTreeMap::from([("n0".into(), "c".into())]), ..Boots::default() };
    assert_eq!(asked(&boots, &cached("b"), &[]), ["n0"]);
}

#[test]
fn a_node_that_the_cache_does_not_show_is_asked_for_where_a_pod_runs() {
    assert_eq!(asked(&Boots::default(), &cached("b"), &["n0", "n1"]), ["n1"]);
    assert_eq!(places(&objects()), BTreeSet::from(["n0".into()]));
}

#[test]
fn the_boots_of_starts_are_found_on_claims_too() {
    let mut objects = objects();
    let of = |objects: &Objects| written(&records(objects, &Memory::default()));
    assert!(of(&objects).is_empty());
    objects.claims.insert("rss-x-0".into(), vec![claim("k0", Some(&with_start("p9", "n0")))]);
    assert_eq!(of(&objects), BTreeSet::from([("n0".into(), "b".into())]));
}

#[test]
fn only_a_boot_that_is_to_be_written_is_asked_for_before_a_promise() {
    let seen = crate::observe::fixture::look(&objects(), &Memory::default(), Default::default());
    let known = with_start("p0", "n0");
    let mut changed = known.clone();
    changed.open[0].boot = "c".into();
    let planned = |record: &Record| Plan { memory: memory(record), ..Plan::default() };
    let asked = |before: &Memory, after: &Record| new(&seen, before, &planned(after)).len();
    assert_eq!(asked(&memory(&known), &known), 0, "it stands there already");
    assert_eq!(asked(&Memory::default(), &known), 1, "a start that is new");
    assert_eq!(asked(&memory(&known), &changed), 1, "a start that is written with another boot");
}
