//! What a command is sent with, and what is written down of a start before it is.

use super::Draft;
use crate::Position;
use crate::fixture::{memory, name, record, stopped_set};
use crate::look::Look;
use crate::observation::{Command, Observation};
use crate::plan::{Cause, Plan};
use crate::record::Record;

/// A command to `x-0` of two members that answer this.
fn sent(codes: [i32; 2], command: Command, mine: Record) -> Plan {
    let mut seen: Observation = stopped_set(2).answers(0, codes[0]).answers(1, codes[1]);
    (seen.target.has_secondary, seen.target.primaries) = (true, 1);
    let look = Look::new(&seen, memory([mine, record(1).confirmed_in(1).open_start("b")]));
    let mut draft = Draft::new(&look, Vec::new());
    draft.run(&name(0), command, Cause::Answer);
    draft.plan
}

fn run(plan: &Plan) -> &crate::plan::Run {
    match &plan.steps[..] {
        [crate::Step::Run(run)] => run,
        steps => panic!("{steps:?} {:?}", plan.holds),
    }
}

#[test]
fn the_volume_is_locked_by_what_touches_data_at_rest_and_by_a_probe() {
    for (sentence, code, command, locked) in [
        ("a reading at rest", 7, Command::Read, true),
        ("a reading of a member that runs", 0, Command::Read, false),
        ("a join", 7, Command::Join, true),
        ("a probe of a member that runs", 0, Command::Probe, true),
        ("a stop of a member that runs", 0, Command::Stop, false),
        ("a stop of one that says it is broken", 1, Command::Stop, false),
        ("a promotion", 0, Command::Promote, false),
    ] {
        let plan = sent([code, 8], command, record(0).confirmed_in(1));
        assert_eq!(run(&plan).lock, locked, "{sentence}");
    }
}

#[test]
fn a_command_names_how_many_starts_there_were_and_a_start_counts_itself() {
    for (command, expected) in [(Command::Read, 3), (Command::Join, 4)] {
        let plan = sent([7, 8], command, record(0).confirmed_in(1).starts(3));
        assert_eq!(run(&plan).starts, expected, "{command:?}");
        assert_eq!(
            plan.memory.of(&name(0)).next().map(|record| record.starts),
            Some(expected),
            "{command:?}"
        );
    }
}

#[test]
fn a_promotion_that_opens_an_epoch_begins_with_what_the_member_said_and_one_beside_a_primary_with_nothing() {
    let mut mine = record(0).confirmed_in(1).open_start("a");
    mine.running = mine.clone().at(7).reading;
    for (sentence, other, from) in
        [("no primary lives", 0, Some(Position::Ordinal(7))), ("one lives", 8, None)]
    {
        let plan = sent([0, other], Command::Promote, mine.clone());
        let record = plan.memory.holders.values().find(|record| record.replica == name(0)).unwrap();
        assert_eq!(record.open.last().unwrap().from, from, "{sentence}");
    }
}
