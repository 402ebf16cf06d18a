//! What is told of members that are away.

use super::*;

/// The status of a set of which these are waited for, and another takes the place of `rss-x-1` at a time.
fn waiting_for(reasons: Vec<Why>) -> SetStatus {
    let hold =
        |reason| Hold { scope: Scope::Replica("rss-x-1".into()), reason, keys: Vec::new(), cause: None };
    let successions = BTreeMap::from([("rss-x-1".into(), at(1_800_000_000))]);
    waiting_with(reasons.into_iter().map(hold).collect(), successions)
}

/// The status of a set with these holds.
fn waiting_with(holds: Vec<Hold>, successions: BTreeMap<ReplicaName, Timestamp>) -> SetStatus {
    let world = answering([0, 7]);
    report(&Told {
        target: &Target::parse(&world.0.set).unwrap(),
        observation: &world.1,
        plan: &planned(1, holds),
        previous: &SetStatus::default(),
        remembered: &planner::Memory::default(),
        policy: &Judge::builtin(LargestInteger::default()),
        candidate: None,
        readiness: None,
        successions: &successions,
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

#[test]
fn what_can_be_corrected_stands_before_what_is_waited_for_and_is_said_once() {
    let (lost, cause) = (|| ReplicaName::from("rss-x-1"), "FailedCreate: exceeded quota");
    let down = || format!("there is no pod: {cause}");
    for (reason, words) in [
        (Why::Unread(lost(), None), "FailedCreate: exceeded quota; the position of rss-x-1 is not known yet"),
        (
            Why::NotRunning(lost(), down()),
            "rss-x-1 has no running container: there is no pod: FailedCreate: exceeded quota",
        ),
    ] {
        let mut hold = Hold { scope: Scope::Replica(lost()), reason, keys: Vec::new(), cause: None };
        hold.cause = Some(cause.to_owned());
        let status = waiting_with(vec![hold], BTreeMap::new());
        assert_eq!(status.holds[0].message.as_deref(), Some(words));
        assert_eq!(status.holds[0].cause.as_deref(), Some(cause));
    }
}
