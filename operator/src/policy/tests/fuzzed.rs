//! Whatever bytes are given for a policy, and whatever a command prints: an answer, or a named failure, within bounds.

use policy_sdk::sequence::{Answer, Output, Reading, Sequence};

use super::*;
use crate::fuzz;
use crate::policy::guest::Image;
use crate::policy::limits;

#[test]
fn bytes_are_a_policy_that_answers_within_its_fuel_or_are_refused() {
    let described = Guest::described(Image::of_text("it describes itself"));
    let guests = [
        Guest::sequence(Image::ordinal(7)),
        Guest::sequence(Image::ordinal(7)).body("(loop $again (br $again))"),
        Guest::sequence(Image::ordinal(7)).body("(drop (memory.grow (i32.const 10)))"),
        Guest::seed(),
        described,
    ];
    let bytes = fuzz::Target {
        name: "wasm",
        seeds: guests.iter().map(Guest::component).collect(),
        tokens: &["\0asm", "\u{1}", "\u{7f}", "cabi_realloc", "clusterlabs:policy/sequence@0.1.0", "memory"],
        most: 32 << 10,
    };
    let _ = host();
    bytes.hold(|bytes| {
        let Ok(component) = load(bytes) else { return };
        for question in [output(0, "7"), seed(&[0, 1]), primaries(&[0]), replicas(0, &["db-1"])] {
            let ran = component.put_twice("{}", &question);
            assert!(ran.fuel <= limits::FUEL, "{} of fuel", ran.fuel);
            assert!(!matches!(ran.value, Err(Failure::Deadline)), "its fuel ends it, and no clock");
        }
    });
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

#[test]
fn an_output_is_a_position_of_data_or_none_and_never_one_of_a_command_that_failed() {
    let outputs = fuzz::Target {
        name: "output",
        seeds: PRINTED.map(<[u8]>::to_vec).to_vec(),
        tokens: &["WSREP: Recovered position:", "seqno: -1", "uuid:", "gtid_mode\tON", "-", ":1-", ","],
        most: 64 << 10,
    };
    outputs.hold(|bytes| {
        let (stdout, stderr) = bytes.split_at(bytes.len() / 2);
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let whole = Output { stdout: text(bytes), ..Output::default() };
        let parted = Output { stdout: text(stdout), stderr: text(stderr), ..Output::default() };
        for output in [whole, parted] {
            let first = each(&output);
            assert_eq!(first, each(&output), "the same output is the same position");
            let cut = Output { truncated: true, ..output.clone() };
            let failed = Output { exit_code: 1, ..output };
            for answer in [each(&cut), each(&failed)].concat() {
                assert_eq!(answer.reading, Reading::Unreadable);
            }
        }
    });
}

/// What each policy reads.
fn each(output: &Output) -> Vec<Answer> {
    let numbers = [false, true].map(|monotonic| largest_integer::LargestInteger { monotonic }.read(output));
    let histories = [galera::Galera.read(output), mysql::Mysql.read(output)];
    numbers.into_iter().chain(histories).collect()
}
