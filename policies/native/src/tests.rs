use super::*;
use largest_integer::LargestInteger;
use policy_sdk::{NoSettings, Policy};

#[test]
fn a_position_goes_there_and_back_as_it_is() {
    let mut history = position::History::new();
    for (source, first, last) in [("a", 0, 5), ("a", 7, u64::MAX), ("b", 1, 1)] {
        history.insert(source, first, last);
    }
    for position in [policy_sdk::Position::Ordinal(7), history.into()] {
        assert_eq!(told(&taken(&position)), position);
        assert_eq!(taken(&position).to_string(), position.to_string());
    }
}

#[test]
fn the_default_policy_reads_chooses_and_orders_through_it() {
    let read = |monotonic: bool, stdout: &str| {
        let replica = &ReplicaName("x-0".to_owned());
        let output = SequenceOutput { replica, code: 0, stdout, stderr: "", truncated: false };
        Native(LargestInteger { monotonic }).sequence(&output).reading
    };
    assert_eq!(read(false, "7\n"), Reading::At(Position::Ordinal(7)));
    assert_eq!(read(true, "7\n"), Reading::At(Position::History(History::up_to("integer", 7))));
    assert_eq!(read(false, "\n"), Reading::Empty);
    assert_eq!(read(false, "x"), Reading::Unreadable("not one decimal integer: \"x\"".to_owned()));

    let member = |ordinal: u32, at: u64| Candidate {
        replica: ReplicaName(format!("x-{ordinal}")),
        ordinal,
        created_at: None,
        position: Some(Position::Ordinal(at)),
        facts: Vec::new(),
    };
    let policy = Native(LargestInteger::default());
    let members = [member(0, 3), member(10, 9), member(2, 9)];
    assert!(matches!(policy.seed(&members), Verdict::Proposed { answer, .. } if answer.0 == "x-2"));
    assert!(matches!(policy.seed(&[]), Verdict::Missing(_)));
    let Verdict::Proposed { answer, .. } = policy.primaries(&members) else { panic!("there is an order") };
    assert_eq!(answer.iter().map(|name| name.0.as_str()).collect::<Vec<_>>(), ["x-2", "x-10", "x-0"]);
}

/// Answers with what it was given.
struct Mirror;

impl Policy for Mirror {
    type Settings = NoSettings;
    const NAME: &'static str = "mirror";
    const VERSION: &'static str = "0.1.0";
    const SUMMARY: &'static str = "Tells what it was told.";

    fn new(_: NoSettings) -> Self {
        Self
    }
}

impl Sequence for Mirror {
    fn read(&self, output: &sequence::Output) -> sequence::Answer {
        let stderr = output.stderr.as_str();
        let code = output.exit_code.to_string();
        sequence::Answer::at(policy_sdk::Position::Ordinal(1))
            .with_fact("stderr", stderr)
            .with_fact("code", &code)
    }
}

impl Seed for Mirror {
    fn choose(&self, candidates: &[policy_sdk::Candidate]) -> seed::Answer {
        seed::Answer::refuse(format!("{:?} {:?}", candidates[0].created_at, candidates[0].fact("k")))
    }
}

impl Primaries for Mirror {
    fn order(&self, members: &[policy_sdk::Candidate]) -> policy_sdk::primaries::Answer {
        policy_sdk::primaries::Answer::order(members, "as given")
    }
}

impl Replicas for Mirror {
    fn treat(&self, member: &policy_sdk::Candidate, primaries: &[String]) -> replicas::Answer {
        match primaries {
            [] => replicas::Answer::hold(format!("{} has nobody to follow", member.name)),
            [first, ..] if *first == member.name => replicas::Answer::leave_stopped("it is one"),
            [first, ..] => replicas::Answer::follow(first, "the first"),
        }
    }
}

#[test]
fn what_a_member_is_and_what_becomes_of_it_are_told_whole() {
    let policy = Native(Mirror);
    let replica = &ReplicaName("x-1".to_owned());
    let output = SequenceOutput { replica, code: 3, stdout: "", stderr: "e", truncated: false };
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(policy.sequence(&output).facts, [pair("code", "3"), pair("stderr", "e")]);
    let member = Candidate {
        replica: ReplicaName("x-1".to_owned()),
        ordinal: 1,
        created_at: Some(5),
        position: None,
        facts: vec![pair("k", "v")],
    };
    assert_eq!(
        policy.seed(std::slice::from_ref(&member)),
        Verdict::Missing("Some(5) Some(\"v\")".to_owned())
    );
    let treated = |primaries: &[&str]| {
        let names: Vec<_> = primaries.iter().map(|name| ReplicaName((*name).to_owned())).collect();
        let Verdict::Proposed { answer, .. } = policy.replicas(&member, &names) else { panic!("it answers") };
        answer
    };
    assert_eq!(treated(&[]), Treatment::Hold("x-1 has nobody to follow".to_owned()));
    assert_eq!(treated(&["x-1"]), Treatment::LeaveStopped);
    let follow = Some(ReplicaName("x-0".to_owned()));
    assert_eq!(treated(&["x-0", "x-2"]), Treatment::RunSecondary { follow });
}
