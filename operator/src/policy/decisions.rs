//! A policy as the planner asks it.

use std::sync::{Arc, Mutex, PoisonError};

use planner::decision::{Candidate, Decisions, Judgement, SequenceOutput, Treatment, Verdict};
use planner::names::ReplicaName;
use serde_json::Value;

use super::answer::Answer;
use super::belief;
use super::component::Component;
use super::failure::Failure;
use super::question::{PrimariesInput, Question, ReplicasInput, SeedInput, SequenceInput};
use super::record::{Build, By, Heard, Outcome, Record, hear};
use super::settings::Settings;
use super::translate;

/// Records that are kept until they are taken. One look asks each member once at most, and a set has fewer.
const KEPT: usize = 256;

/// A component with its settings, and the operator's own policy for the interfaces that it does not export: for all
/// of them, where there is no component.
///
/// Each method calls the component twice: some ten microseconds each, and up to the deadline of a call where it
/// misbehaves. It belongs onto a thread that may block.
pub struct Policy<'a> {
    component: Option<Arc<Component>>,
    settings: Arc<Settings>,
    otherwise: &'a (dyn Decisions + Send + Sync),
    records: Mutex<Vec<Record>>,
}

impl<'a> Policy<'a> {
    /// A policy. The settings are those that `Component::accepts` accepted.
    #[must_use]
    pub fn new(
        component: Arc<Component>,
        settings: Arc<Settings>,
        otherwise: &'a (dyn Decisions + Send + Sync),
    ) -> Self {
        Self { component: Some(component), settings, otherwise, records: Mutex::default() }
    }

    /// The operator's own policy, with what it was told.
    #[must_use]
    pub fn builtin(settings: Settings, policy: &'a (dyn Decisions + Send + Sync)) -> Self {
        let records = Mutex::default();
        Self { component: None, settings: Arc::new(settings), otherwise: policy, records }
    }

    /// The same policy, with no record yet.
    pub(super) fn again(&self) -> Self {
        let (component, settings) = (self.component.clone(), Arc::clone(&self.settings));
        Self { component, settings, otherwise: self.otherwise, records: Mutex::default() }
    }

    pub(super) fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What was decided since this was last called, in its order. Of more than 256 the first are kept.
    pub fn take_records(&self) -> Vec<Record> {
        std::mem::take(&mut *self.records.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What it makes of a question that was recorded. None: nothing is decided by it.
    pub(super) fn put(&self, question: &Question) -> Option<Record> {
        match question {
            Question::Sequence(SequenceInput { output }) => drop(self.sequence(&SequenceOutput {
                replica: &ReplicaName(output.replica.clone()),
                code: output.exit_code,
                stdout: &output.stdout,
                stderr: &output.stderr,
                truncated: output.truncated,
            })),
            Question::Seed(input) => drop(self.seed(&translate::candidates(&input.candidates))),
            Question::Primaries(input) => drop(self.primaries(&translate::candidates(&input.members))),
            Question::Replicas(input) => {
                let primaries: Vec<_> = input.primaries.iter().cloned().map(ReplicaName).collect();
                drop(self.replicas(&input.member.candidate(), &primaries));
            }
            Question::Check => {}
        }
        self.take_records().pop()
    }

    /// The component's answer, or `native`'s where it exports none.
    fn answer<T>(
        &self,
        question: Question,
        of: impl FnOnce(Result<Answer, Failure>) -> T,
        native: impl FnOnce() -> T,
        said: impl FnOnce(&T) -> Result<Answer, String>,
    ) -> T {
        let exports = |component: &&Arc<Component>| component.exports().contains(&question.interface());
        let Some(component) = self.component.as_ref().filter(exports) else {
            let verdict = native();
            let outcome = said(&verdict).map(belief::bounded);
            let outcome = outcome.map_or_else(Outcome::Failed, Outcome::Answered);
            let by = By { name: None, version: None, digest: None };
            self.keep(Record::new(self.own_settings(), question, outcome, by));
            return verdict;
        };
        let Heard { believed, outcome, fuel, vetoes } = hear(component, self.settings.text(), &question);
        let (by, host) = (By::component(component), Some(Build::this()));
        self.keep(Record { fuel, host, vetoes, ..Record::new(self.settings.value(), question, outcome, by) });
        of(believed)
    }

    /// The settings of the operator's own policy: beside a component it has none, for those of the set are the component's.
    fn own_settings(&self) -> &Value {
        static NONE: Value = Value::Null;
        if self.component.is_some() { &NONE } else { self.settings.value() }
    }

    fn keep(&self, record: Record) {
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        if records.len() < KEPT {
            records.push(record);
        }
    }
}

impl Decisions for Policy<'_> {
    fn sequence(&self, output: &SequenceOutput<'_>) -> Judgement {
        let question = Question::Sequence(SequenceInput { output: translate::output(output) });
        let native = || self.otherwise.sequence(output);
        self.answer(question, translate::judgement, native, translate::judgement_said)
    }

    fn seed(&self, candidates: &[Candidate]) -> Verdict<ReplicaName> {
        let given = candidates.iter().map(translate::member).collect();
        let question = Question::Seed(SeedInput { candidates: given });
        let native = || self.otherwise.seed(candidates);
        self.answer(question, translate::proposal, native, translate::proposal_said)
    }

    fn primaries(&self, members: &[Candidate]) -> Verdict<Vec<ReplicaName>> {
        let given = members.iter().map(translate::member).collect();
        let question = Question::Primaries(PrimariesInput { members: given });
        let native = || self.otherwise.primaries(members);
        self.answer(question, translate::ordering, native, translate::ordering_said)
    }

    fn replicas(&self, member: &Candidate, primaries: &[ReplicaName]) -> Verdict<Treatment> {
        let names = primaries.iter().map(|name| name.0.clone()).collect();
        let question =
            Question::Replicas(ReplicasInput { member: translate::member(member), primaries: names });
        let native = || self.otherwise.replicas(member, primaries);
        self.answer(question, translate::treatment, native, translate::treatment_said)
    }
}
