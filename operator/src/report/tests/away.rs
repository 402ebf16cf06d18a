//! What is told of members that are away.

use super::*;

/// The status of a set of which these are waited for, and another takes the place of `rss-x-1` at a time.
fn waiting_for(reasons: Vec<Why>) -> SetStatus {
    let world = answering([0, 7]);
    let hold = |reason| Hold { scope: Scope::Replica("rss-x-1".into()), reason, keys: Vec::new() };
    report(&Told {
        target: &Target::parse(&world.0.set).unwrap(),
        observation: &world.1,
        plan: &planned(1, reasons.into_iter().map(hold).collect()),
        previous: &SetStatus::default(),
        remembered: &planner::Memory::default(),
        policy: &Judge::builtin(LargestInteger::default()),
        candidate: None,
        readiness: None,
        successions: &BTreeMap::from([("rss-x-1".into(), at(1_800_000_000))]),
        records: &[],
        installation: &Installation::default(),
        trouble: None,
        now: at(1),
    })
}

#[test]
fn who_is_away_is_told_with_the_time_at_which_another_takes_its_place() {
    const UNTIL: &str =
        "; if it is away until 2027-01-15T08:00:00Z (recovery.replaceAfter), another member takes its place";
    let (lost, other) = (|| ReplicaName::from("rss-x-1"), || ReplicaName::from("rss-x-0"));
    let why = || "no node".to_owned();
    for (reason, is_told) in [
        (Why::Unread(lost(), None), true),
        (Why::NotRunning(lost(), why()), true),
        (Why::Unheard(lost(), why()), true),
        (Why::Unread(other(), None), false),
        (Why::Failing(lost(), why()), false),
    ] {
        let status = waiting_for(vec![reason.clone()]);
        let words = format!("{reason}{}", if is_told { UNTIL } else { "" });
        assert_eq!(status.holds[0].message.as_deref(), Some(&words[..]));
        let at_work = get(&status.conditions, ConditionType::Reconciling).unwrap();
        assert_eq!(at_work.message, words, "the condition says the same");
    }
}
