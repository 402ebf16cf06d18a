//! The test of the whole project, in stages.

mod beside;
mod deny;
mod e2e;
mod examples;
mod orphans;
pub(crate) mod prerequisites;
mod stage;
mod tables;
mod traces;
mod tree;

use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, ensure};

use crate::own::Own;
use beside::Beside;
pub(crate) use e2e::{BY_CHANCE, fault, sequences};
pub use stage::Stage;
#[cfg(test)]
pub(crate) use tables::tests_in;

/// Which stages are run, and what is left behind.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// These only; all if empty.
    pub only: Vec<Stage>,
    /// Not these.
    pub skip: Vec<Stage>,
    /// Leave the cluster up that the tests were run on.
    pub keep: bool,
    /// A cluster of the user's own for the stages that need one.
    pub own: Option<Own>,
}

/// What all of it may take from nothing, on two cores.
const BUDGET: Duration = Duration::from_secs(65 * 60);

/// Stages that ended, how long each took, and whether it succeeded.
type Ended = Vec<(Stage, Duration, bool)>;

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
        let begun = Instant::now();
        let mut ended = Ended::new();
        let result = self.each(&stages, &mut ended);
        eprintln!("{}", table(&stages, &ended, begun.elapsed()));
        result
    }

    fn each(&self, stages: &[Stage], ended: &mut Ended) -> Result<()> {
        let mut beside = None;
        let mut result = Ok(());
        for (number, stage) in (1..).zip(stages) {
            eprintln!("==> [{number}/{}] {}: {}", stages.len(), stage.name(), stage.what());
            if let Some((other, command)) = stage.beside().filter(|(other, _)| stages.contains(other)) {
                eprintln!("    beside {}, silently", other.name());
                beside = Some(Beside::start(*stage, command)?);
                continue;
            }
            let begun = Instant::now();
            result = stage.run(self.keep, self.own.as_ref());
            eprintln!("    {}: {:.1} s", stage.name(), begun.elapsed().as_secs_f32());
            ended.push((*stage, begun.elapsed(), result.is_ok()));
            if let Err(error) = result {
                result = Err(failure(*stage, &error));
                break;
            }
        }
        let Some(beside) = beside else { return result };
        let (stage, took, other) = beside.end();
        ended.push((stage, took, other.is_ok()));
        match (result, other) {
            (result, Ok(())) => result,
            (Ok(()), Err(error)) => Err(failure(stage, &error)),
            (Err(first), Err(error)) => Err(anyhow!("{first:#}\n{:#}", failure(stage, &error))),
        }
    }

    fn stages(&self) -> Vec<Stage> {
        let asked = |stage: &Stage| self.only.is_empty() || self.only.contains(stage);
        Stage::ALL.into_iter().filter(asked).filter(|stage| !self.skip.contains(stage)).collect()
    }
}

fn failure(stage: Stage, error: &anyhow::Error) -> anyhow::Error {
    anyhow!("stage {} failed: {error:#}\n{}", stage.name(), stage.cure())
}

/// One line for each stage, and what all took together beside what it may take.
fn table(stages: &[Stage], ended: &Ended, total: Duration) -> String {
    let mut lines = Vec::new();
    for stage in stages {
        let line = match ended.iter().find(|(ended, ..)| ended == stage) {
            Some((_, took, succeeded)) => {
                let fate = if *succeeded { "ok" } else { "FAILED" };
                format!("{:<12}{:>8.1} s  {fate}", stage.name(), took.as_secs_f32())
            }
            None => format!("{:<12}{:>10}  not run", stage.name(), ""),
        };
        lines.push(line);
    }
    let minutes = |time: Duration| time.as_secs_f32() / 60.0;
    let of = format!("{:.1} of {:.0} minutes", minutes(total), minutes(BUDGET));
    let over = if total > BUDGET { ", which is too long" } else { "" };
    lines.push(format!("{:<12}{:>8.1} s  {of}{over}", "total", total.as_secs_f32()));
    lines.join("\n")
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

    #[test]
    fn the_table_names_the_stage_that_failed_and_those_after_it() {
        let stages = [Stage::Format, Stage::Lint, Stage::Unit];
        let ended =
            vec![(Stage::Format, Duration::from_secs(1), true), (Stage::Lint, Duration::from_secs(2), false)];
        let text = table(&stages, &ended, Duration::from_secs(3));
        let lines: Vec<_> = text.lines().collect();
        assert!(lines[0].ends_with("1.0 s  ok") && lines[1].ends_with("2.0 s  FAILED"), "{text}");
        assert!(lines[2].ends_with("not run") && lines[3].contains("3.0 s"), "{text}");
    }

    #[test]
    fn the_whole_stands_beside_the_time_that_all_of_it_may_take() {
        let sum = |seconds| table(&[], &Ended::new(), Duration::from_secs(seconds));
        assert!(sum(3900).ends_with("3900.0 s  65.0 of 65 minutes"), "{}", sum(3900));
        assert!(sum(3906).ends_with("65.1 of 65 minutes, which is too long"), "{}", sum(3906));
    }
}
