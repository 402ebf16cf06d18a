//! Records of interfaces that are asked about one member at a time.

use super::*;
use planner::decision::SequenceOutput;

/// What becomes of these members, by the operator's own policy.
fn treated(members: u32) -> Vec<Record> {
    let judge = Judge::builtin(LargestInteger::default());
    for ordinal in 0..members {
        let replica = name(ordinal);
        let member = Candidate { replica, ordinal, position: None, created_at: None, facts: Vec::new() };
        judge.decider.decisions().unwrap().replicas(&member, &[name(99)]);
    }
    judge.decider.take_records()
}

/// As if the policy had trapped on what each of these members printed.
fn unread(members: u32, stdout: &str) -> Vec<Record> {
    let judge = Judge::builtin(LargestInteger::default());
    for ordinal in 0..members {
        let (code, stderr, truncated) = (0, stdout, false);
        let output = SequenceOutput { replica: &name(ordinal), code, stdout, stderr, truncated };
        judge.decider.decisions().unwrap().sequence(&output);
    }
    let trapped = |record| Record { outcome: Outcome::Failed("it trapped".into()), ..record };
    judge.decider.take_records().into_iter().map(trapped).collect()
}

fn subjects(kept: &[Decision]) -> Vec<String> {
    let subject = |one: &Decision| {
        let input = &one.0["input"];
        let name = input["member"]["name"].as_str().or(input["output"]["replica"].as_str());
        name.unwrap().to_owned()
    };
    kept.iter().map(subject).collect()
}

#[test]
fn what_is_decided_again_about_each_of_many_members_is_not_written_again() {
    for (many, records) in [(10, treated(10)), (10, unread(10, "?")), (100, treated(100))] {
        let first = told_of(many, &Plan::default(), &records, Vec::new());
        assert_eq!(told_of(many, &Plan::default(), &records, first.clone()), first, "{many} members");
        assert!(many > 10 || first.len() == 10, "{}", first.len());
    }
}

#[test]
fn a_member_has_one_record_and_those_of_members_that_left_go_first() {
    let held = told_of(10, &Plan::default(), &treated(10), Vec::new());
    let mut other = treated(1);
    other[0].outcome = Outcome::Failed("it trapped".into());
    let kept = told_of(10, &Plan::default(), &other, held);
    assert_eq!((kept.len(), subjects(&kept)[9].as_str()), (10, "rss-x-0"));
    let kept = told_of(3, &Plan::default(), &treated(3), kept);
    assert_eq!(subjects(&kept).len(), 8, "a few of those that left stay");
    assert!((0..3).all(|ordinal| subjects(&kept).contains(&name(ordinal).0)));
}

#[test]
fn failures_over_large_outputs_are_cut_and_say_so_and_none_displaces_another() {
    let seed = told_of(5, &seeding(), &asked(&[1, 1], &[]), Vec::new());
    let records = unread(5, &"\u{1}".repeat(64 << 10));
    let kept = told_of(5, &Plan::default(), &records, seed);
    assert_eq!(interfaces(&kept)[0], "seed@0.1.0");
    assert_eq!(subjects(&kept[1..]).len(), 5, "one for each member");
    assert!(kept[1..].iter().all(|one| one.0["cut"].as_u64().unwrap() > 128 << 10));
    assert_eq!(told_of(5, &Plan::default(), &records, kept.clone()), kept);
    let few = told_of(5, &Plan::default(), &unread(5, "some lines"), Vec::new());
    assert!(few.iter().all(|one| one.0.get("cut").is_none()), "a small one is whole");
}
