use std::fs;

use clap::ValueEnum;

use super::*;

#[test]
fn a_call_continues_with_the_first_round_that_did_not_pass() {
    let names = |part, numbers: &[u64]| {
        numbers.iter().map(|number| Round { part, number: *number }.name()).collect::<BTreeSet<_>>()
    };
    let next = |part, numbers: &[u64]| Round::next(part, &names(part, numbers)).map(|round| round.number);
    assert_eq!(next(Part::Simulate, &[]), Some(0));
    assert_eq!(next(Part::Simulate, &[0, 1, 3]), Some(2));
    let all = |part: Part| (0..part.rounds_of_a_release()).collect::<Vec<_>>();
    assert_eq!(next(Part::Simulate, &all(Part::Simulate)), Some(20), "there are always more seeds");
    assert_eq!(next(Part::Exhaust, &all(Part::Exhaust)), None, "there are no more beginnings");
}

#[test]
fn each_round_of_a_part_has_its_own_name() {
    for part in Part::value_variants() {
        let names: BTreeSet<_> = Round::first(*part, 40).map(Round::name).collect();
        assert_eq!(names.len(), 40, "{part:?}");
    }
    let faults: Vec<_> = Round::first(Part::Faults, LONG_TESTS.len() as u64 + 1).map(Round::name).collect();
    let (tests, seeds) = faults.split_at(LONG_TESTS.len());
    assert_eq!(tests, LONG_TESTS);
    assert_eq!(seeds, ["seed 1"]);
}

#[test]
fn the_place_of_a_round_is_told_against_the_rounds_of_a_release() {
    let place = |number| Round { part: Part::Adversary, number }.place();
    assert_eq!(place(0), "round 1 of the 4 of a release");
    assert_eq!(place(3), "round 4 of the 4 of a release");
    assert_eq!(place(4), "round 5 beyond the 4 of a release");
}

#[test]
fn the_command_for_a_real_api_server_names_its_cluster() {
    let alone = Round { part: Part::Requests, number: 2 }.alone();
    assert_eq!(
        alone,
        "RSS_KUBECONFIG=$(cargo xtask cluster kubeconfig) RSS_SEQUENCES_FROM=200 RSS_SEQUENCES_COUNT=100 \
         cargo test --package e2e requests::"
    );
}

#[test]
fn the_command_for_stories_of_the_operator_has_all_three_kinds() {
    let alone = Round { part: Part::SimulateShell, number: 1 }.alone();
    let counts: Vec<_> = alone.split("; ").map(|line| line.strip_prefix(SHELL).unwrap_or(line)).collect();
    assert_eq!(
        counts,
        [
            " --from 5000 --count 5000",
            " --from 5000 --count 2500 --identities",
            " --from 5000 --count 250 --on-identities"
        ]
    );
}

/// The other modules of `e2e/tests/faults` run with each seed.
#[test]
fn every_long_test_of_faults_is_a_round() {
    let folder = workspace::root().join("e2e/tests/faults");
    let mut found = Vec::new();
    for file in fs::read_dir(&folder).expect("the folder exists").flatten() {
        let (name, text) = (file.file_name(), fs::read_to_string(file.path()).expect("the file is text"));
        let module = format!("faults::{}", name.to_string_lossy().trim_end_matches("rs").replace('.', "::"));
        if !BY_CHANCE.contains(&module.as_str()) {
            let tests = crate::test::tests_in(&text);
            found.extend(tests.into_iter().map(|test| format!("{module}{test}")));
        }
    }
    found.sort();
    assert_eq!(found, LONG_TESTS);
}
