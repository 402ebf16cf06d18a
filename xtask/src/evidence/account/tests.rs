use super::*;

/// The commit of this source.
fn commit(source: &str) -> Commit {
    Commit { name: "1".to_owned(), source: source.to_owned() }
}

fn entry(source: &str, part: &str, round: &str, counts: &[(Figure, u64)]) -> Entry {
    let counts = counts.iter().copied().collect();
    Entry { source: source.into(), part: part.into(), round: round.into(), ok: true, counts }
}

/// All that there should be, of source `a`.
fn everything() -> Vec<Entry> {
    let stages = Stage::ALL.iter().map(|stage| entry("a", &stage.part(), "", &[]));
    let counts = FIGURES.map(|(figure, _)| (figure, 400_000));
    let parts = Part::value_variants().iter().flat_map(|part| {
        let rounds = part.rounds_asked();
        let each = counts.map(|(figure, number)| (figure, number / rounds.len() as u64));
        rounds.into_iter().map(move |round| entry("a", &part.part(), &round, &each)).collect::<Vec<_>>()
    });
    stages.chain(parts).collect()
}

#[test]
fn with_everything_it_is_whole_and_without_any_one_of_it_it_is_not() {
    let all = everything();
    let account = Account::of(&commit("a"), &all);
    assert!(account.is_whole(), "{account}");
    for line in [
        "simulate-shell     ok, 20 rounds, 100000 seeds\n",
        "exhaust            ok, 42 rounds, 966 beginnings\n",
    ] {
        assert!(account.to_string().contains(line), "{line}{account}");
    }
    for left_out in 0..all.len() {
        let mut some = all.clone();
        let part = some.remove(left_out).part;
        let account = Account::of(&commit("a"), &some);
        let line = account.to_string().lines().find(|line| line.starts_with(&part)).map(str::to_owned);
        assert!(!account.is_whole() && line.is_some_and(|line| line.contains("missing: ")), "{part}");
    }
}

#[test]
fn what_another_source_showed_counts_for_nothing() {
    let account = Account::of(&commit("b"), &everything());
    assert!(!account.is_whole());
    let text = account.to_string();
    assert!(text.contains("stories, operator              missing"), "{text}");
    assert!(text.ends_with(&format!("not counted: {}", everything().len())), "{text}");
}

#[test]
fn what_nobody_counted_is_missing_and_not_zero() {
    let mut all = everything();
    for entry in &mut all {
        entry.counts.remove(&Figure::Lost);
    }
    let account = Account::of(&commit("a"), &all);
    assert!(!account.is_whole() && account.sum(Figure::Lost).is_none());
    all.push(entry("a", "soak walk", "again", &[(Figure::Lost, 0)]));
    assert!(Account::of(&commit("a"), &all).is_whole());
}

#[test]
fn a_round_that_is_run_again_is_not_counted_twice_and_what_failed_once_failed() {
    let mut all = everything();
    let before = Account::of(&commit("a"), &all).sum(Figure::States);
    let again = all.iter().find(|entry| entry.part == "soak walk").cloned().expect("it is among all");
    all.push(again.clone());
    let account = Account::of(&commit("a"), &all);
    assert_eq!(account.sum(Figure::States), before);
    assert!(account.is_whole(), "{account}");
    all.extend([Entry { ok: false, ..again.clone() }, again.clone()]);
    let account = Account::of(&commit("a"), &all);
    assert_eq!(account.sum(Figure::States), before);
    assert!(!account.is_whole(), "it was only lucky");
    assert!(account.to_string().contains(&format!("FAILED {}", again.round)), "{account}");
}

#[test]
fn beside_what_failed_is_the_command_that_runs_it_alone_again() {
    let mut all = everything();
    let parts = [("soak walk", "500 to 999"), ("soak simulate", "5000 to 9999"), ("test unit", "")];
    let failed = parts.map(|(part, round)| Entry { ok: false, ..entry("a", part, round, &[]) });
    all.extend(failed);
    all.push(Entry { ok: false, ..entry("a", "soak walk", "of another time", &[]) });
    let text = Account::of(&commit("a"), &all).to_string();
    let cargo = "cargo run --quiet --package simulator --bin";
    for lines in [
        "test unit               FAILED\n  alone: cargo xtask test --only unit\n".to_owned(),
        format!("FAILED 5000 to 9999\n  5000 to 9999, alone: {cargo} simulate -- --from 5000 --count 5000\n"),
        format!(
            "FAILED 500 to 999, of another time\n  500 to 999, alone: {cargo} exhaust -- --walk 500 --count 500\n"
        ),
    ] {
        assert!(text.contains(&lines), "{lines}\n{text}");
    }
}
