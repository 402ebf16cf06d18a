use super::*;
use crate::policy::Digest;
use crate::policy::answer::{Answer, Ordered, Proposal, Proposed};
use crate::policy::question::{Member, PrimariesInput, SeedInput};
use crate::policy::record::By;
use crate::policy::shadow::queue::Queue;

fn policy(bytes: &[u8]) -> PolicyStatus {
    PolicyStatus { digest: Some(Digest::of(bytes)), image: Some("a/p:1".to_owned()), ..Default::default() }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn record(question: &Question, outcome: Outcome) -> Record {
    Record::new(&Value::Null, question.clone(), outcome, By { name: None, version: None, digest: None })
}

fn members(names: &[&str]) -> Vec<Member> {
    names.iter().map(|name| Member { name: (*name).to_owned(), ..Member::default() }).collect()
}

/// What came of the question who seeds: `decided`, and the candidate's.
fn seeds(tally: &mut Tally, number: u64, decided: &str, said: Option<&str>) {
    let mut candidates = members(&["x-0", "x-1"]);
    candidates[0].created_at = Some(number);
    let question = Question::Seed(SeedInput { candidates });
    let proposed = |name: &str| {
        let proposal = Proposal::Replica(name.to_owned());
        Outcome::Answered(Answer::Seed(Proposed { proposal, why: String::new() }))
    };
    let candidate = said.map_or_else(|| Outcome::Failed("it trapped".to_owned()), proposed);
    hear(tally, &question, proposed(decided), candidate);
}

fn hear(tally: &mut Tally, question: &Question, decided: Outcome, candidate: Outcome) {
    let mut queue = Queue::default();
    assert!(queue.put(&record(question, decided)));
    tally.count(&queue.next().unwrap(), record(question, candidate));
}

fn counts(tally: &Tally) -> [i64; 4] {
    let CandidateStatus { agreed, disagreed, failed, skipped, .. } = tally.status;
    [agreed, disagreed, failed, skipped]
}

/// One of each.
fn counted() -> Tally {
    let mut tally = Tally::new(None, None);
    assert!(!tally.decided_by(&policy(b"decides"), at(1)) && !tally.asks(&policy(b"candidate"), at(1)));
    seeds(&mut tally, 1, "x-0", Some("x-0"));
    seeds(&mut tally, 2, "x-0", Some("x-1"));
    seeds(&mut tally, 3, "x-0", None);
    tally.skip();
    tally
}

#[test]
fn each_question_is_counted_once_and_what_differs_is_kept_with_both_answers() {
    let tally = counted();
    assert_eq!(counts(&tally), [1, 1, 1, 1]);
    let [differs, failed] = &tally.status.disagreements[..] else { panic!() };
    assert_eq!(differs.0["difference"], "seed: x-1; decided was: x-0");
    assert_eq!(differs.0["answer"]["proposal"]["replica"], "x-1");
    assert_eq!(differs.0["decided"]["answer"]["proposal"]["replica"], "x-0");
    assert_eq!(failed.0["failure"], "it trapped");
    let again = Record::deserialize(&*differs.0).unwrap();
    assert_eq!(again.question.interface(), Interface::Seed, "it is a record as any other");
}

#[test]
fn another_candidate_or_another_policy_or_other_settings_begin_at_nothing() {
    let set = |bytes: &[u8]| {
        let settings = serde_json::from_value(json!({"k": 1})).unwrap();
        PolicyStatus { settings: Some(settings), ..policy(bytes) }
    };
    let (candidate, decides) = (policy(b"candidate"), policy(b"decides"));
    for (one, other) in [
        (policy(b"new"), decides.clone()),
        (set(b"candidate"), decides.clone()),
        (candidate.clone(), policy(b"new")),
        (candidate.clone(), set(b"decides")),
    ] {
        let mut tally = counted();
        assert_ne!(tally.asks(&one, at(9)), tally.decided_by(&other, at(9)), "one of them is another");
        assert_eq!((counts(&tally), tally.status.disagreements.len()), ([0; 4], 0));
        assert_eq!(tally.status.since, Some(Time(at(9))));
    }
    let mut tally = counted();
    let renamed = PolicyStatus { image: Some("b/p:2".to_owned()), ..candidate };
    assert!(!tally.asks(&renamed, at(9)) && !tally.decided_by(&decides, at(9)));
    assert_eq!((counts(&tally), tally.status.since.clone()), ([1; 4], Some(Time(at(1)))));
    assert_eq!(tally.status.image.as_deref(), Some("b/p:2"));
}

#[test]
fn what_is_told_reads_back_as_it_was_written() {
    let mut tally = Tally::new(None, None);
    tally.asks(&policy(b"candidate"), Timestamp::new(7, 123_456_789).unwrap());
    let told = tally.tell(Instant::now()).unwrap();
    let read: CandidateStatus = serde_json::from_value(json!(told)).unwrap();
    assert_eq!(read, told, "or each look would write it anew");
}

#[test]
fn a_new_leader_goes_on_with_what_the_status_tells() {
    let mut before = counted();
    let told = before.tell(Instant::now());
    let mut tally = Tally::new(told.clone(), Some(policy(b"decides")));
    assert!(!tally.decided_by(&policy(b"decides"), at(9)) && !tally.asks(&policy(b"candidate"), at(9)));
    assert_eq!(tally.tell(Instant::now()), told, "nothing is to be written");
    let mut queue = Queue::knowing(&tally);
    let known: Vec<Question> = tally.questions().collect();
    assert_eq!(known.len(), 2);
    for question in &known {
        assert!(queue.put(&record(question, Outcome::Failed(String::new()))));
    }
    assert!(queue.is_empty(), "what stands there is not asked again");
    seeds(&mut tally, 9, "x-0", Some("x-0"));
    assert_eq!(tally.tell(Instant::now()).unwrap().agreed, 2);
}

#[test]
fn numbers_that_go_up_are_told_now_and_then_and_the_first_difference_at_once() {
    let mut tally = Tally::new(None, None);
    let began = Instant::now();
    assert_eq!(tally.tell(began), None, "of nobody there is nothing to tell");
    tally.asks(&policy(b"candidate"), at(1));
    let told = |tally: &mut Tally, after: Duration| {
        let told = tally.tell(began + after).unwrap();
        [told.agreed, told.disagreed, told.failed]
    };
    assert_eq!(told(&mut tally, Duration::ZERO), [0, 0, 0]);
    seeds(&mut tally, 1, "x-0", Some("x-0"));
    assert_eq!(told(&mut tally, Duration::ZERO), [1, 0, 0], "the first of its kind");
    seeds(&mut tally, 2, "x-0", Some("x-0"));
    assert_eq!(told(&mut tally, OFTEN / 2), [1, 0, 0]);
    assert_eq!(told(&mut tally, OFTEN), [2, 0, 0]);
    seeds(&mut tally, 3, "x-0", Some("x-1"));
    assert_eq!(told(&mut tally, OFTEN), [2, 1, 0]);
    seeds(&mut tally, 4, "x-0", Some("x-1"));
    assert_eq!(told(&mut tally, OFTEN), [2, 1, 0]);
    seeds(&mut tally, 5, "x-0", None);
    assert_eq!(told(&mut tally, OFTEN), [2, 2, 1]);
    assert!(!tally.is_news(began + OFTEN * 9), "and nothing twice");
}

#[test]
fn a_bounded_number_is_kept_and_no_kind_drives_out_another() {
    let mut tally = counted();
    let ordered = |names: &[&str]| {
        let ordering = names.iter().map(|name| (*name).to_owned()).collect();
        Outcome::Answered(Answer::Primaries(Ordered { ordering, why: String::new() }))
    };
    for number in 0..9 {
        let name = format!("x-{number}");
        let question = Question::Primaries(PrimariesInput { members: members(&[&name]) });
        for _ in 0..2 {
            hear(&mut tally, &question, ordered(&[&name]), ordered(&["x-0", "x-1"]));
        }
    }
    let of = |tally: &Tally, kind: &str| {
        tally.status.disagreements.iter().filter(|one| one.0["interface"] == kind).count()
    };
    assert_eq!((of(&tally, "primaries@0.1.0"), of(&tally, "seed@0.1.0")), (2, 2));
    for number in 10..20 {
        seeds(&mut tally, number, "x-0", Some("x-1"));
    }
    assert_eq!((of(&tally, "primaries@0.1.0"), of(&tally, "seed@0.1.0")), (2, 4));
}

#[test]
fn large_records_drive_out_old_ones_and_never_fill_the_resource() {
    let mut tally = counted();
    for number in 0..3 {
        let name = format!("x-{number}-{}", "y".repeat(MOST_BYTES / 3));
        let question = Question::Primaries(PrimariesInput { members: members(&[&name]) });
        hear(&mut tally, &question, Outcome::Failed(String::new()), Outcome::Failed(name));
        let bytes: usize = tally.status.disagreements.iter().map(|one| one.0.to_string().len()).sum();
        assert!(bytes <= MOST_BYTES, "{bytes}");
    }
    assert_eq!(tally.status.failed, 4);
    let kept = tally.status.disagreements.len();
    let name = "y".repeat(MOST_BYTES);
    let question = Question::Primaries(PrimariesInput { members: members(&[&name]) });
    hear(&mut tally, &question, Outcome::Failed(String::new()), Outcome::Failed(name));
    assert_eq!((tally.status.failed, tally.status.disagreements.len()), (5, kept), "it costs no other");
}
