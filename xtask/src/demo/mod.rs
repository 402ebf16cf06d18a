//! The demonstration: three databases lose power while a client writes to them, and come back with
//! every row that was acknowledged.

pub(crate) mod check;
pub(crate) mod cut;
pub(crate) mod install;
mod live;
pub(crate) mod place;
pub(crate) mod recovery;
mod report;
pub(crate) mod seen;
pub(crate) mod set;
pub(crate) mod streams;
mod text;
pub(crate) mod writers;

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::operator::Profile;
use crate::own::Own;
use crate::progress::Progress;
use place::Place;
use recovery::Recovery;
use report::{Cut, Report};
use streams::Streams;

/// What to show and how.
#[derive(Args, Clone, Copy, Debug)]
pub struct Demo {
    /// Print one JSON object at the end.
    #[arg(long)]
    pub json: bool,
    /// How many times the power is cut.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub cuts: u32,
    /// Leave everything running, and say how to look around.
    #[arg(long)]
    pub keep: bool,
    /// Which build of the operator is installed.
    #[arg(long, value_enum, default_value = "release")]
    pub profile: Profile,
}

/// The namespace, and what all else is called after.
const NAME: &str = "rss-demo";
/// A recovery that takes longer is given up.
const PATIENCE: Duration = Duration::from_secs(300);

// === impl Demo ===

impl Demo {
    /// Show it. The report is for standard output; whether no acknowledged row is lost and the set is ready.
    ///
    /// # Errors
    /// If the cluster, the operator or the set does not come up.
    pub fn run(self, own: Option<Own>) -> Result<(String, bool)> {
        let place = Place::prepare(NAME, own)?;
        let result = self.on(&place);
        if self.keep || result.is_err() {
            eprintln!("\n{}", place.how_to_look());
        } else {
            place.leave()?;
        }
        let report = result?;
        let text = if self.json { serde_json::to_string_pretty(&report)? } else { text::of(&report) };
        Ok((text, report.ok))
    }

    fn on(self, place: &Place) -> Result<Report> {
        let mut progress = Progress::new(6 + place.images().len());
        for name in place.images() {
            // Cargo is quiet, and the shipped build takes minutes.
            let hint = if *name == "operator" { ", compiled first if it has changed" } else { "" };
            progress.step(&format!("image {name}{hint}"), |step| place.load(name, self.profile, step))?;
        }
        progress.step("remove what an earlier run left", |_| place.clear())?;
        progress.step("install the operator", |_| install::operator(place))?;
        progress.step("create a set of three databases", |_| set::create(place))?;
        progress.step("wait until it is Ready", |step| set::wait_ready(place, step))?;
        progress.step("start a client that writes", |_| writers::start(place))?;
        let mut report = Report::new(place.describe());
        let lineage = progress.step("look at the history before", |_| check::lineage(place))?;
        for number in 1..=self.cuts {
            eprintln!("\npower cut {number} of {}", self.cuts);
            power_cut(place, number, &lineage, &mut report)?;
            ensure!(report.is_ready(), "the set did not recover within {} s", PATIENCE.as_secs());
        }
        Ok(report)
    }
}

/// One cut, the recovery, and the check of all rows that were acknowledged so far.
fn power_cut(place: &Place, number: u32, lineage: &str, report: &mut Report) -> Result<()> {
    let streams = Streams::open(place)?;
    let pods = set::pods(place)?;
    // What is listed first is what was there before; and the client shall be in full swing.
    let before = streams.settle(Duration::from_millis(1500));
    let cut = cut::cut(place, &pods)?;
    eprintln!(
        "  0.0s  SIGKILL to {} databases within {:.0} ms, pods deleted with force at {:.1} s",
        pods.len(),
        cut.spread.as_secs_f64() * 1000.0,
        cut.deleted.as_secs_f64()
    );
    let mut recovery = Recovery::new(cut, pods);
    let mut view = live::View::new();
    before.into_iter().for_each(|(at, seen)| recovery.note(at, &seen));
    while let Some((at, seen)) = streams.next(recovery.ends_before(PATIENCE)) {
        recovery.note(at, &seen);
        view.show(&recovery);
        if recovery.is_over() {
            break;
        }
    }
    drop(streams);
    let acknowledged = writers::acknowledged(place).context("failed to read what the client logged")?;
    report.known.extend(acknowledged);
    let members = check::members(place, &recovery, &report.known)?;
    report.add(Cut::of(number, &recovery, lineage, members, report.known.len()));
    Ok(())
}
