use std::path::PathBuf;

use super::survived::Mutant;
use super::*;

fn mutant(name: &str) -> Mutant {
    Mutant { name: format!("planner/src/lib.rs: {name}"), line: "mod draft;".to_owned() }
}

fn outcomes(caught: &[&str], missed: &[&str], late: &[&str]) -> Outcomes {
    let tested = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), mutant(name))).collect();
    Outcomes { caught: tested(caught), missed: tested(missed), late: tested(late) }
}

fn counts_file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("rss-mutants-{name}-{}", std::process::id()))
}

#[test]
fn the_second_test_of_a_mutant_that_timed_out_decides() {
    let justified = Justified::of(vec![mutant("with a reason")]);
    let first = outcomes(&["e"], &["a"], &["b", "with a reason", "c", "d"]);
    assert_eq!(first.to_repeat(&justified).collect::<Vec<_>>(), ["b", "c", "d"]);
    let all = first.repeated(outcomes(&["b", "e", "not repeated"], &["c"], &["d"]), &justified);
    assert_eq!(all, outcomes(&["e", "b"], &["a", "c"], &["with a reason", "d"]));
}

#[test]
fn a_round_fails_with_each_mutant_that_no_test_finds() {
    let (justified, file) = (Justified::of(Vec::new()), counts_file("not-found"));
    let all = outcomes(&["a"], &[], &["b"]).repeated(outcomes(&[], &["b"], &[]), &justified);
    let error = judge(all, &justified, &file).expect_err("a mutant is left");
    std::fs::remove_file(&file).expect("counts were written");
    assert!(error.to_string().contains("planner/src/lib.rs: b"), "{error:#}");
}

#[test]
fn a_round_counts_each_mutant_once() {
    let (justified, file) = (Justified::of(vec![mutant("c"), mutant("d")]), counts_file("counts"));
    judge(outcomes(&["a"], &["c"], &["b", "d"]), &justified, &file).expect("no mutant is left");
    let sums = counts::read(&file).expect("counts were written");
    std::fs::remove_file(&file).expect("counts were written");
    let sums: Vec<_> = sums.iter().map(|(name, number)| format!("{number} {name}")).collect();
    assert_eq!(
        sums,
        [
            "1 mutants found by a test",
            "0 mutants not found",
            "2 mutants with a reason in planner/mutants.txt",
            "1 mutants with tests that do not end"
        ]
    );
}

#[test]
fn the_expression_for_a_mutant_matches_its_exact_name() {
    let name = "planner/src/a.rs:2:7: replace || with && in <impl A for B<'_>>::b -> Vec<[u8; 2]>";
    let pattern = r"planner/src/a\.rs:2:7: replace \|\| with && in <impl A for B<'_>>::b -> Vec<\[u8; 2\]>";
    assert_eq!(escaped(name), pattern);
}
