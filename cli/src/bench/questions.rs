//! What is asked while it is measured: one question for each interface.

use std::path::Path;

use anyhow::{Result, anyhow, ensure};
use operator::policy::Interface;
use operator::policy::answer::{Answer, Proposal, Reading, Said, Treatment};
use operator::policy::question::{
    Member, Output, PrimariesInput, Question, ReplicasInput, SeedInput, SequenceInput,
};
use operator::policy::record::Record;
use planner::position::Position;
use policy_sdk::fixture;

use crate::candidate::Given;
use crate::test;

/// Of a set of three members whose `sequence` prints a bare number.
pub(super) fn of_numbers() -> Vec<Question> {
    let output = Output { replica: name(0), stdout: "4200\n".into(), ..Output::default() };
    set_of_three(SequenceInput { output }, |ordinal| Position::Ordinal(4200 + u64::from(ordinal)))
}

/// The longest of the fixtures in a folder, of those with these settings and an answer that decides something. For an
/// interface without one: three members that hold what is read from the longest output.
///
/// # Errors
/// If a fixture cannot be read, or none has these settings and decides anything.
pub(super) fn of_fixtures(folder: &Path, settings: &Given) -> Result<Vec<Question>> {
    let records = deciding(folder, settings)?;
    let longest = |interface: Interface| {
        let of = records.iter().filter(|record| record.question.interface() == interface);
        of.max_by_key(|record| serde_json::to_string(record).map_or(0, |text| text.len()))
    };
    let mut questions = match longest(Interface::Sequence).and_then(read) {
        Some((input, position)) => set_of_three(input.clone(), |_| position.clone()),
        None => of_numbers(),
    };
    for question in &mut questions {
        if let Some(record) = longest(question.interface()) {
            *question = record.question.clone();
        }
    }
    Ok(questions)
}

fn deciding(folder: &Path, Given(settings): &Given) -> Result<Vec<Record>> {
    let fixtures = fixture::load(folder).map_err(|why| anyhow!(why))?;
    let mut records: Vec<Record> = fixtures.iter().map(test::record).collect::<Result<_>>()?;
    records.retain(|record| {
        record.settings == *settings && record.believed().is_some_and(|answer| refusal(answer).is_none())
    });
    ensure!(
        !records.is_empty(),
        "{}: no fixture with these settings decides anything (--settings, --fixtures)",
        folder.display()
    );
    Ok(records)
}

/// An output, and what is read from it.
fn read(record: &Record) -> Option<(&SequenceInput, &Position)> {
    match (&record.question, record.believed()?) {
        (Question::Sequence(input), Answer::Sequence(Said { reading: Reading::At(found), .. })) => {
            Some((input, &found.position))
        }
        _ => None,
    }
}

/// Why an answer decides nothing: refusing is done sooner than deciding.
pub(super) fn refusal(answer: &Answer) -> Option<&str> {
    match answer {
        Answer::Sequence(Said { reading: Reading::Empty | Reading::Unreadable, why }) => Some(why),
        Answer::Seed(proposed) if proposed.proposal == Proposal::Refuse => Some(&proposed.why),
        Answer::Replicas(treated) if treated.treatment == Treatment::Hold => Some(&treated.why),
        _ => None,
    }
}

fn set_of_three(input: SequenceInput, position: impl Fn(u32) -> Position) -> Vec<Question> {
    let member = |ordinal: u32| Member {
        name: name(ordinal),
        ordinal: Some(ordinal),
        position: Some(position(ordinal)),
        ..Member::default()
    };
    let members: Vec<_> = (0..3).map(member).collect();
    vec![
        Question::Sequence(input),
        Question::Seed(SeedInput { candidates: members.clone() }),
        Question::Primaries(PrimariesInput { members: members.clone() }),
        Question::Replicas(ReplicasInput { member: members[1].clone(), primaries: vec![name(0)] }),
        Question::Check,
    ]
}

fn name(ordinal: u32) -> String {
    format!("rss-db-{ordinal}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(policy: &str, settings: &str) -> Result<Vec<Question>> {
        let policies = Path::new(env!("CARGO_MANIFEST_DIR")).join("../policies");
        of_fixtures(&policies.join(policy).join("fixtures"), &settings.parse().unwrap())
    }

    #[test]
    fn a_policy_of_histories_is_asked_about_its_own_output_and_about_members_with_histories() {
        let [Question::Sequence(read), Question::Seed(seed), Question::Primaries(order), ..] =
            &of("galera", "{}").unwrap()[..]
        else {
            panic!()
        };
        let Output { stdout, stderr, .. } = &read.output;
        assert!(stdout.len() + stderr.len() > 1000, "that of a real recovery: {stdout}{stderr}");
        // There are fixtures for a seed, and none for an order.
        assert!(seed.candidates.len() > 2 && order.members.len() == 3);
        let has_history = |member: &Member| matches!(member.position, Some(Position::History(_)));
        assert!(seed.candidates.iter().chain(&order.members).all(has_history));
    }

    #[test]
    fn a_fixture_with_other_settings_is_not_asked() {
        let stdout = |questions: Vec<Question>| match &questions[0] {
            Question::Sequence(input) => input.output.stdout.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!(stdout(of("largest-integer", "{}").unwrap()), "18446744073709551615");
        assert_eq!(stdout(of("largest-integer", r#"{"monotonic": true}"#).unwrap()), "42\n");
        let none = of("largest-integer", r#"{"monotonic": "often"}"#).unwrap_err();
        assert!(none.to_string().contains("no fixture with these settings"), "{none}");
    }
}
