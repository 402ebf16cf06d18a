use super::*;

fn mutant(name: &str) -> Mutant {
    Mutant { name: format!("planner/src/lib.rs: {name}"), line: "mod draft;".to_owned() }
}

fn fates(caught: &[&str], missed: &[&str], late: &[&str]) -> Fates {
    let tested = |names: &[&str]| names.iter().map(|name| ((*name).to_owned(), mutant(name))).collect();
    Fates { caught: tested(caught), missed: tested(missed), late: tested(late) }
}

#[test]
fn who_was_late_once_counts_as_what_becomes_of_it_when_it_is_tested_again() {
    let justified = Justified::of(vec![mutant("told")]);
    let first = fates(&["e"], &["a"], &["b", "told", "c", "d"]);
    assert_eq!(first.asked_again(&justified).collect::<Vec<_>>(), ["b", "c", "d"]);
    let all = first.after(fates(&["b", "e", "not asked for"], &["c"], &["d"]), &justified);
    assert_eq!(all, fates(&["e", "b"], &["a", "c"], &["told", "d"]));
}

#[test]
fn a_mutant_that_was_late_once_and_missed_then_is_left() {
    let justified = Justified::of(Vec::new());
    let all = fates(&["a"], &[], &["b"]).after(fates(&[], &["b"], &[]), &justified);
    assert!(judge(all, &justified).is_err_and(|error| error.to_string().contains("planner/src/lib.rs: b")));
    assert!(judge(fates(&["a"], &[], &["b"]), &justified).is_ok());
    counts::taken(&counts::file(counts::MAIN)).expect("only what was counted here");
}

#[test]
fn a_mutant_is_asked_for_by_its_very_name() {
    let name = "planner/src/a.rs:2:7: replace || with && in <impl A for B<'_>>::b -> Vec<[u8; 2]>";
    let pattern = r"planner/src/a\.rs:2:7: replace \|\| with && in <impl A for B<'_>>::b -> Vec<\[u8; 2\]>";
    assert_eq!(escaped(name), pattern);
}
