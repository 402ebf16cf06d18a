//! Policies that behave, and ones that do not: each of the latter ends in a named refusal, within its bounds.

mod believed;
mod bounded;
mod conforming;
mod deciding;
mod fuzzed;
mod properties;
mod recorded;
mod settings;
mod taken;
mod twice;

use std::sync::OnceLock;

use super::guest::Guest;
use super::question::{Member, Output, PrimariesInput, Question, ReplicasInput, SeedInput, SequenceInput};
use super::record::hear;
use super::{Component, Failure, Host, Refusal};
use crate::policy::answer::Answer;

/// One engine for all tests, as there is one in a process.
fn host() -> &'static Host {
    static HOST: OnceLock<Host> = OnceLock::new();
    HOST.get_or_init(|| Host::new().unwrap())
}

fn load(bytes: &[u8]) -> Result<Component, Refusal> {
    Component::load(host(), bytes)
}

fn loaded(guest: &Guest) -> Component {
    load(&guest.component()).unwrap()
}

fn output(exit_code: i32, stdout: &str) -> Question {
    let output = Output { replica: "db-0".into(), exit_code, stdout: stdout.into(), ..Output::default() };
    Question::Sequence(SequenceInput { output })
}

fn members(ordinals: &[u32]) -> Vec<Member> {
    let member = |n: &u32| Member { name: format!("db-{n}"), ordinal: Some(*n), ..Member::default() };
    ordinals.iter().map(member).collect()
}

fn seed(ordinals: &[u32]) -> Question {
    Question::Seed(SeedInput { candidates: members(ordinals) })
}

fn primaries(ordinals: &[u32]) -> Question {
    Question::Primaries(PrimariesInput { members: members(ordinals) })
}

fn replicas(ordinal: u32, primaries: &[&str]) -> Question {
    let primaries = primaries.iter().map(|name| (*name).to_owned()).collect();
    Question::Replicas(ReplicasInput { member: members(&[ordinal]).remove(0), primaries })
}

/// What is believed of a guest's answer.
fn answer(guest: &Guest, question: &Question) -> Result<Answer, Failure> {
    match hear(&loaded(guest), "{}", question).believed {
        Err(Failure::Refused { nonsense, .. }) => Err(nonsense.into()),
        believed => believed,
    }
}

fn failure(guest: &Guest, question: &Question) -> Failure {
    answer(guest, question).expect_err("it answered")
}
