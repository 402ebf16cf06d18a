use std::fs;

use clap::ValueEnum;

use super::*;

#[test]
fn a_call_goes_on_with_the_first_round_that_did_not_end_well_on_this_commit() {
    let named = |part, numbers: &[u64]| {
        numbers.iter().map(|number| Round { part, number: *number }.name()).collect::<BTreeSet<_>>()
    };
    let next = |part, numbers: &[u64]| Round::next(part, &named(part, numbers)).map(|round| round.number);
    assert_eq!(next(Part::Simulate, &[]), Some(0));
    assert_eq!(next(Part::Simulate, &[0, 1, 3]), Some(2));
    let all = |part: Part| (0..part.asked()).collect::<Vec<_>>();
    assert_eq!(next(Part::Simulate, &all(Part::Simulate)), Some(20), "seeds do not end");
    assert_eq!(next(Part::Exhaust, &all(Part::Exhaust)), None, "beginnings do");
}

#[test]
fn no_two_rounds_of_a_part_have_one_name() {
    for part in Part::value_variants() {
        let names: BTreeSet<_> = Round::first(*part, 40).map(Round::name).collect();
        assert_eq!(names.len(), 40, "{part:?}");
    }
    let faults: Vec<_> = Round::first(Part::Faults, LONG.len() as u64 + 1).map(Round::name).collect();
    assert_eq!(
        (&faults[..LONG.len()], faults[LONG.len()].as_str()),
        (&LONG.map(str::to_owned)[..], "seed 1")
    );
}

#[test]
fn a_round_says_which_of_those_that_are_asked_for_it_is() {
    let place = |number| Round { part: Part::Adversary, number }.place();
    assert_eq!(place(0), "round 1 of the 4 that are asked for");
    assert_eq!(place(3), "round 4 of the 4 that are asked for");
    assert_eq!(place(4), "round 5 beyond the 4 that are asked for");
}

#[test]
fn the_command_that_asks_a_real_api_server_names_its_cluster() {
    let alone = Round { part: Part::Requests, number: 2 }.alone();
    assert_eq!(
        alone,
        "RSS_KUBECONFIG=$(cargo xtask cluster kubeconfig) RSS_SEQUENCES_FROM=200 RSS_SEQUENCES_COUNT=100 \
         cargo test --package api-server --test real"
    );
}

/// What says a round is of seeds is run with each of them.
#[test]
fn every_test_of_long_faults_is_a_round() {
    let folder = workspace::root().join("e2e/tests/faults");
    let mut found = Vec::new();
    for file in fs::read_dir(&folder).expect("a folder of the source").flatten() {
        let (name, text) = (file.file_name(), fs::read_to_string(file.path()).expect("a source file"));
        let module = name.to_string_lossy().trim_end_matches("rs").replace('.', "::");
        if !BY_CHANCE.contains(&module.as_str()) {
            let tests = crate::test::tests_in(&text);
            found.extend(tests.into_iter().map(|test| format!("{module}{test}")));
        }
    }
    found.sort();
    assert_eq!(found, LONG);
}
