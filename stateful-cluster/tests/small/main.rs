//! A small cluster in which every order of events is explored, breadth first: each state is asked whether an identity
//! was given twice, whether more are alive than may be, whether a claim went that is mounted or was to stay,
//! and whether it settles once nothing fails any more.

mod world;

use std::collections::{HashSet, VecDeque};

use world::{Fault, Limits, World};

const ONE_LOSS: Limits = Limits { births: 2, crashes: 0, losses: 1, releases: 0, stale: false };
const ONE_LOSS_AND_A_CRASH: Limits = Limits { crashes: 1, ..ONE_LOSS };

/// Every state that can be reached; the first that is wrong ends the test with the way to it.
fn explore(limits: Limits, beginning: &World) -> usize {
    let mut known = HashSet::from([beginning.clone()]);
    let mut open = VecDeque::from([(beginning.clone(), Vec::new())]);
    while let Some((world, way)) = open.pop_front() {
        for (event, next) in world.events(&limits) {
            if !known.insert(next.clone()) {
                continue;
            }
            let way: Vec<_> = way.iter().cloned().chain([event]).collect();
            if let Some(wrong) = next.wrong().or_else(|| next.settled().err()) {
                panic!("{wrong}\n{}\n{next:#?}", way.join("\n"));
            }
            open.push_back((next, way));
        }
    }
    known.len()
}

/// A world is explored to its end, and is as large as it was.
fn is_sound(limits: Limits, beginning: World, at_least: usize) {
    let states = explore(limits, &beginning);
    assert!(states >= at_least, "{states} states");
}

#[test]
fn two_replicas_whose_operator_dies_never_have_an_identity_twice() {
    is_sound(Limits { births: 2, crashes: 1, losses: 0, releases: 0, stale: false }, World::new(2), 1000);
}

#[test]
fn one_replica_whose_owner_decides_loses_nothing_that_was_not_given_up() {
    let limits = Limits { births: 2, crashes: 1, losses: 1, releases: 1, stale: false };
    is_sound(limits, World::new(1).owned(), 1000);
}

#[test]
fn one_replica_whose_claims_stay_loses_none() {
    is_sound(ONE_LOSS, World::new(1).retaining(), 100);
}

#[test]
#[should_panic(expected = "is deleted and was to stay")]
fn an_operator_that_is_not_told_that_claims_stay_is_found() {
    explore(ONE_LOSS, &World::new(1).retaining().with(Fault::Empties));
}

#[test]
#[should_panic(expected = "is deleted and was to stay")]
fn an_operator_that_does_not_see_who_mounts_a_claim_is_found() {
    explore(ONE_LOSS, &World::new(1).with(Fault::Blind));
}

#[test]
#[should_panic(expected = "has lost its claim")]
fn an_operator_that_is_not_told_that_an_owner_decides_is_found() {
    explore(ONE_LOSS, &World::new(1).owned().with(Fault::Unasked));
}

#[test]
#[should_panic(expected = "was made twice")]
fn an_operator_that_sends_a_promise_again_is_found() {
    explore(ONE_LOSS_AND_A_CRASH, &World::new(1).with(Fault::SentAnew));
}

#[test]
#[should_panic(expected = "NewIdentity")]
fn a_generator_that_repeats_itself_is_refused_by_the_audit() {
    explore(ONE_LOSS_AND_A_CRASH, &World::new(1).with(Fault::NamesAnew));
}

mod full {
    use super::*;

    #[test]
    fn one_replica_that_is_decided_on_stale_looks_never_has_an_identity_twice() {
        is_sound(Limits { births: 2, crashes: 0, losses: 1, releases: 0, stale: true }, World::new(1), 1000);
    }

    #[test]
    fn one_replica_whose_operator_dies_never_has_an_identity_twice() {
        is_sound(ONE_LOSS_AND_A_CRASH, World::new(1), 1000);
    }
}
