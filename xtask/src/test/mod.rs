//! The test of the whole project, in stages.

mod beside;
mod deny;
mod durations;
mod e2e;
mod examples;
mod features;
mod orphans;
pub(crate) mod prerequisites;
mod programs;
mod stage;
mod table;
mod tables;
mod test_run;
mod traces;
mod tree;

use std::time::Instant;

use anyhow::{Result, anyhow, ensure};

use crate::machine::ProcessorTime;
use crate::own::Own;
use beside::Beside;
pub(crate) use e2e::{BY_CHANCE, fault, sequences};
pub use stage::Stage;
use table::{Ended, Table};
#[cfg(test)]
pub(crate) use tables::tests_in;
use test_run::TestRun;

/// Which stages run, and how.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// These only; all if empty.
    pub only: Vec<Stage>,
    /// Not these.
    pub skip: Vec<Stage>,
    /// Everything is tried: the tests that a change does not need, more seeds and more small worlds.
    pub full: bool,
    /// The slowest tests are listed at the end. No stage runs beside another one then.
    pub times: bool,
    /// The cluster of the tests stays up.
    pub keep: bool,
    /// A cluster of the user's own for the stages that need one.
    pub own: Option<Own>,
}

// === impl Wanted ===

impl Wanted {
    /// Run the stages in their order, up to the first that fails.
    ///
    /// # Errors
    /// The failing stage's, with the command that runs it alone.
    pub fn run(&self) -> Result<()> {
        let stages = self.stages();
        ensure!(!stages.is_empty(), "no stage is left: give fewer of them to --skip");
        let idle = self.own.is_some() && !stages.contains(&Stage::E2e);
        ensure!(!idle, "--context names a cluster, and none of these stages uses one: leave it out");
        prerequisites::check(&stages, self.own.as_ref())?;
        let test = TestRun::new(self);
        let mut table = Table::begin(self.full);
        let result = self.each(&stages, &test, &mut table);
        if self.times {
            eprintln!("the slowest tests:\n{}", test.slowest());
        }
        eprintln!("{}", table.text(&stages));
        result
    }

    fn each(&self, stages: &[Stage], test: &TestRun, table: &mut Table) -> Result<()> {
        let mut beside = None;
        let mut result = Ok(());
        for (number, stage) in (1..).zip(stages) {
            eprintln!("==> [{number}/{}] {}: {}", stages.len(), stage.name(), stage.what());
            if let Some(other) = stage.runs_beside().filter(|other| stages.contains(other) && !self.times) {
                eprintln!("    beside {}; its output is shown if it fails", other.name());
                beside = Some(Beside::start(*stage, self.full)?);
                continue;
            }
            let (begun, before) = (Instant::now(), ProcessorTime::now());
            result = stage.run(test);
            eprintln!("    {}: {:.1} s", stage.name(), begun.elapsed().as_secs_f32());
            let used = Some(ProcessorTime::now().since(before));
            table.add(Ended { stage: *stage, took: begun.elapsed(), used, succeeded: result.is_ok() });
            if let Err(error) = result {
                result = Err(self.failure(*stage, &error));
                break;
            }
        }
        let Some(beside) = beside else { return result };
        let (ended, other) = beside.end();
        let stage = ended.stage;
        table.add(ended);
        match (result, other) {
            (result, Ok(())) => result,
            (Ok(()), Err(error)) => Err(self.failure(stage, &error)),
            (Err(first), Err(error)) => Err(anyhow!("{first:#}\n{:#}", self.failure(stage, &error))),
        }
    }

    fn failure(&self, stage: Stage, error: &anyhow::Error) -> anyhow::Error {
        anyhow!("stage {} failed: {error:#}\n{}", stage.name(), stage.cure(self.full))
    }

    fn stages(&self) -> Vec<Stage> {
        let asked = |stage: &Stage| self.only.is_empty() || self.only.contains(stage);
        Stage::ALL.into_iter().filter(asked).filter(|stage| !self.skip.contains(stage)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_and_skip_choose_among_all_and_keep_their_order() {
        let chosen = |only: &[Stage], skip: &[Stage]| {
            Wanted { only: only.to_vec(), skip: skip.to_vec(), ..Wanted::default() }.stages()
        };
        assert_eq!(chosen(&[], &[]), Stage::ALL);
        assert_eq!(chosen(&[Stage::Unit, Stage::Format], &[]), [Stage::Format, Stage::Unit]);
        assert_eq!(chosen(&[Stage::Unit, Stage::Lint], &[Stage::Unit]), [Stage::Lint]);
        assert!(!chosen(&[], &[Stage::E2e]).contains(&Stage::E2e));
    }
}
