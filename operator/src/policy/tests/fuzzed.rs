//! Whatever bytes are given for a policy, and whatever a command prints: an answer, or a named failure, within bounds.

use std::sync::atomic::{AtomicU64, Ordering};

use policy_sdk::Position;
use policy_sdk::sequence::{Answer, Output, Reading, Sequence};

use super::*;
use crate::fuzz;
use crate::policy::answer::Answer as Said;
use crate::policy::call::Ran;
use crate::policy::guest::Image;
use crate::policy::limits;

fn components() -> fuzz::Target<'static> {
    let described = Guest::described(Image::of_text("it describes itself"));
    let guests = [
        Guest::sequence(Image::ordinal(7)),
        Guest::sequence(Image::ordinal(7)).body("(loop $again (br $again))"),
        Guest::sequence(Image::ordinal(7)).body("(drop (memory.grow (i32.const 10)))"),
        Guest::seed(),
        described,
    ];
    let _ = host();
    fuzz::Target {
        name: "wasm",
        seeds: guests.iter().map(Guest::component).collect(),
        tokens: &["\0asm", "\u{1}", "\u{7f}", "cabi_realloc", "clusterlabs:policy/sequence@0.1.0", "memory"],
        most: 32 << 10,
    }
}

type Answered = Ran<Result<Said, Failure>>;

/// What is made of an answer.
type Told = fn(Answered) -> Answered;

fn is_bounded(bytes: &[u8], told: Told) {
    let Ok(component) = load(bytes) else { return };
    for question in [output(0, "7"), seed(&[0, 1]), primaries(&[0]), replicas(0, &["db-1"])] {
        let ran = told(component.put_twice("{}", &question));
        assert!(ran.fuel <= limits::FUEL, "{} of fuel", ran.fuel);
        assert!(!matches!(ran.value, Err(Failure::Deadline)), "its fuel ends it, and no clock");
    }
}

#[test]
fn bytes_are_a_policy_that_answers_within_its_fuel_or_are_refused() {
    components().hold(|bytes| is_bounded(bytes, |ran| ran));
}

#[test]
fn a_policy_that_its_fuel_does_not_end_is_found_out() {
    let wrong: [(&str, Told); 2] = [
        ("it goes on", |ran| match ran.value {
            Err(_) => Ran { fuel: 2 * limits::FUEL, ..ran },
            Ok(_) => ran,
        }),
        ("a clock ends it", |ran| match ran.value {
            Err(_) => Ran { value: Err(Failure::Deadline), ..ran },
            Ok(_) => ran,
        }),
    ];
    for (sentence, told) in wrong {
        assert!(components().finds(|bytes| is_bounded(bytes, told)), "{sentence}");
    }
}

/// Outputs of real programs, from the fixtures of each policy.
const PRINTED: [&[u8]; 9] = [
    include_bytes!("../../../../policies/galera/fixtures/clean.grastate.dat"),
    include_bytes!("../../../../policies/galera/fixtures/killed.both.log"),
    include_bytes!("../../../../policies/galera/fixtures/gtid.recover.log"),
    include_bytes!("../../../../policies/mysql/fixtures/mariadb-several.variables.txt"),
    include_bytes!("../../../../policies/mysql/fixtures/mariadb-several.binlog-state.txt"),
    b"3e11fa47-71ca-11e1-9e33-c80aa9429562:1-3:11:47-49,24da167a-0c0c-11e8-8442-00059a3c7b00:tag:1\n",
    b"gtid_executed\t2174b383-5441-11e8-b90a-c80aa9429562:1-3\ngtid_mode\tON\n",
    b"17\n",
    b"",
];

fn outputs() -> fuzz::Target<'static> {
    fuzz::Target {
        name: "output",
        seeds: PRINTED.map(<[u8]>::to_vec).to_vec(),
        tokens: &["WSREP: Recovered position:", "seqno: -1", "uuid:", "gtid_mode\tON", "-", ":1-", ","],
        most: 64 << 10,
    }
}

type Readers = fn(&Output) -> Vec<Answer>;

fn is_read(bytes: &[u8], each: Readers) {
    let (stdout, stderr) = bytes.split_at(bytes.len() / 2);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let whole = Output { stdout: text(bytes), ..Output::default() };
    let parted = Output { stdout: text(stdout), stderr: text(stderr), ..Output::default() };
    for output in [whole, parted] {
        let first = each(&output);
        assert_eq!(first, each(&output), "the same output is the same position");
        let printed = plain(&format!("{}{}", output.stdout, output.stderr));
        for position in first.iter().filter_map(position) {
            assert!(stands_in(position, &printed), "{position} is nowhere in {printed:?}");
        }
        let cut = Output { truncated: true, ..output.clone() };
        let failed = Output { exit_code: 1, ..output };
        for answer in [each(&cut), each(&failed)].concat() {
            assert_eq!(answer.reading, Reading::Unreadable);
        }
    }
}

fn position(answer: &Answer) -> Option<&Position> {
    match &answer.reading {
        Reading::At(found) => Some(&found.position),
        Reading::Empty | Reading::Unreadable => None,
    }
}

/// Without the blanks that may part a set, and in small letters.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_whitespace()).collect::<String>().to_lowercase()
}

/// Each source, and each number that it goes to.
fn stands_in(position: &Position, printed: &str) -> bool {
    let goes_to = |number: u64| printed.contains(&number.to_string());
    match position {
        Position::Ordinal(number) => goes_to(*number),
        Position::History(history) => history.sources().all(|(source, intervals)| {
            // Of a number that only ever grows the source is none of the output's.
            let is_named = || plain(source).split(':').all(|part| printed.contains(part));
            (source == "integer" || is_named()) && intervals.iter().all(|interval| goes_to(interval.last))
        }),
    }
}

/// What each policy reads.
fn each(output: &Output) -> Vec<Answer> {
    let numbers = [false, true].map(|monotonic| largest_integer::LargestInteger { monotonic }.read(output));
    let histories = [galera::Galera.read(output), mysql::Mysql.read(output)];
    numbers.into_iter().chain(histories).collect()
}

#[test]
fn an_output_is_a_position_of_data_or_none_and_never_one_of_a_command_that_failed() {
    outputs().hold(|bytes| is_read(bytes, each));
}

/// It holds one transaction more.
fn one_more(mut answer: Answer) -> Answer {
    if let Reading::At(found) = &mut answer.reading {
        match &mut found.position {
            Position::Ordinal(number) => *number = number.saturating_add(1),
            Position::History(history) => {
                let known = history.clone();
                for (source, interval) in known.sources().flat_map(|(s, all)| all.iter().map(move |i| (s, i)))
                {
                    history.insert(source, interval.first, interval.last.saturating_add(1));
                }
            }
        }
    }
    answer
}

#[test]
fn policies_that_read_what_is_none_are_found_out() {
    let wrong: [(&str, Readers); 4] = [
        ("one more than there is", |output| each(output).into_iter().map(one_more).collect()),
        ("a command that failed", |output| each(&Output { exit_code: 0, ..output.clone() })),
        ("half of an output", |output| each(&Output { truncated: false, ..output.clone() })),
        ("another position each time", |output| {
            static READ: AtomicU64 = AtomicU64::new(0);
            let number = READ.fetch_add(1, Ordering::Relaxed).to_string();
            each(&Output { stdout: number, ..output.clone() })
        }),
    ];
    for (sentence, each) in wrong {
        assert!(outputs().finds(|bytes| is_read(bytes, each)), "{sentence}");
    }
}
