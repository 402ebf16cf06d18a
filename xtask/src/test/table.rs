//! The table of stages that a run of the test ends with.

use std::time::{Duration, Instant};

use super::Stage;
use crate::machine::ProcessorTime;

/// How a stage ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ended {
    pub(super) stage: Stage,
    pub(super) took: Duration,
    /// Processor time of the whole machine meanwhile. `None` for a stage beside another one, whose row holds both.
    pub(super) used: Option<ProcessorTime>,
    pub(super) succeeded: bool,
}

/// The stages that ended, and the time of the whole run.
#[derive(Debug)]
pub(super) struct Table {
    begun: Instant,
    before: ProcessorTime,
    limit: Option<Duration>,
    ended: Vec<Ended>,
}

/// The most that a run from nothing may take on two cores.
const LIMIT: Duration = Duration::from_secs(40 * 60);

// === impl Table ===

impl Table {
    /// A full run has no limit of time.
    pub(super) fn begin(is_full: bool) -> Self {
        let limit = (!is_full).then_some(LIMIT);
        Self { begun: Instant::now(), before: ProcessorTime::now(), limit, ended: Vec::new() }
    }

    pub(super) fn add(&mut self, ended: Ended) {
        self.ended.push(ended);
    }

    /// A line for each stage, and one for the whole run.
    pub(super) fn text(&self, stages: &[Stage]) -> String {
        let title = format!("{:<12}{:>9}{:>13}{:>13}", "stage", "seconds", "user CPU s", "system CPU s");
        let rows = stages.iter().map(|stage| self.row(*stage));
        let used = ProcessorTime::now().since(self.before);
        let total = total(self.begun.elapsed(), used, self.limit);
        std::iter::once(title).chain(rows).chain([total]).collect::<Vec<_>>().join("\n")
    }

    fn row(&self, stage: Stage) -> String {
        let Some(ended) = self.ended.iter().find(|ended| ended.stage == stage) else {
            return format!("{:<12}{:>9}{:>13}{:>13}  not run", stage.name(), "", "", "");
        };
        let result = if ended.succeeded { "ok" } else { "FAILED" };
        let beside = stage.runs_beside().filter(|_| ended.used.is_none());
        let with = beside.map(|other| format!(", beside {}", other.name())).unwrap_or_default();
        format!("{}  {result}{with}", columns(stage.name(), ended.took, ended.used))
    }
}

fn columns(name: &str, took: Duration, used: Option<ProcessorTime>) -> String {
    let seconds = |time: Duration| format!("{:.1}", time.as_secs_f32());
    let (user, system) = used.map(|used| (seconds(used.user), seconds(used.system))).unwrap_or_default();
    format!("{name:<12}{:>9}{user:>13}{system:>13}", seconds(took))
}

fn total(took: Duration, used: ProcessorTime, limit: Option<Duration>) -> String {
    let minutes = |time: Duration| time.as_secs_f32() / 60.0;
    let of = limit.map(|limit| format!(" of {:.0}", minutes(limit))).unwrap_or_default();
    let over = if limit.is_some_and(|limit| took > limit) { ", over the limit" } else { "" };
    format!("{}  {:.1}{of} minutes{over}", columns("total", took, Some(used)), minutes(took))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(ended: &[(Stage, bool)]) -> Table {
        let mut table = Table::begin(false);
        for (stage, succeeded) in ended {
            let took = Duration::from_secs(2);
            table.add(Ended {
                stage: *stage,
                took,
                used: Some(ProcessorTime::default()),
                succeeded: *succeeded,
            });
        }
        table
    }

    #[test]
    fn the_table_names_the_stage_that_failed_and_those_that_did_not_run() {
        let text = table(&[(Stage::Format, true), (Stage::Lint, false)]).text(&[
            Stage::Format,
            Stage::Lint,
            Stage::Unit,
        ]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].starts_with("format") && lines[1].ends_with("  ok"), "{text}");
        assert!(lines[2].ends_with("  FAILED") && lines[3].ends_with("not run"), "{text}");
    }

    #[test]
    fn a_stage_beside_another_one_says_so_and_has_no_processor_time_of_its_own() {
        let mut table = table(&[]);
        let took = Duration::from_secs(60);
        table.add(Ended { stage: Stage::Simulation, took, used: None, succeeded: true });
        let text = table.text(&[Stage::Simulation]);
        assert!(text.contains("60.0") && text.contains("ok, beside e2e"), "{text}");
    }

    #[test]
    fn the_total_stands_beside_its_limit() {
        let of = |seconds, limit| total(Duration::from_secs(seconds), ProcessorTime::default(), limit);
        assert!(of(2400, Some(LIMIT)).ends_with("  40.0 of 40 minutes"), "{}", of(2400, Some(LIMIT)));
        assert!(of(2406, Some(LIMIT)).ends_with("40.1 of 40 minutes, over the limit"));
        assert!(of(5400, None).ends_with("  90.0 minutes"));
    }
}
