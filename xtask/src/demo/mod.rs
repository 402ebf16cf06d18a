//! The demonstration: three databases lose power while a client writes to them, and come back with
//! every row that was acknowledged; at last also when operator and registry go with them.

pub(crate) mod check;
pub(crate) mod cut;
pub(crate) mod decider;
pub(crate) mod install;
mod live;
pub(crate) mod place;
pub(crate) mod recovery;
mod replay;
mod report;
pub(crate) mod seen;
pub(crate) mod set;
pub(crate) mod source;
pub(crate) mod streams;
mod text;
pub(crate) mod writers;

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::binary::{self, Profile};
use crate::cluster::kubelite::KUBELITE;
use crate::own::Own;
use crate::policies;
use crate::progress::Progress;
use cut::Others;
use decider::Decider;
use place::Place;
use recovery::Recovery;
use report::{Cut, Report};
use source::Source;
use streams::Streams;

/// What to show and how.
#[derive(Args, Clone, Copy, Debug)]
// The command that has them has a group of this name.
#[group(skip)]
pub struct Demo {
    /// Print one JSON object at the end.
    #[arg(long)]
    pub json: bool,
    /// How many times the power of the databases is cut, before it is cut once more with all else.
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub cuts: u32,
    /// Leave everything running, and say how to look around.
    #[arg(long)]
    pub keep: bool,
    /// Which build of the operator is installed.
    #[arg(long, value_enum, default_value = "dev")]
    pub profile: Profile,
}

/// The namespace, and what all else is called after.
const NAME: &str = "rss-demo";
/// A recovery that takes longer is given up.
const PATIENCE: Duration = Duration::from_secs(300);
/// The view prints a line at least this often.
const SILENCE: Duration = Duration::from_secs(4);

// === impl Demo ===

impl Demo {
    /// Show it. The report is for standard output; whether no acknowledged row is lost and the set is ready.
    ///
    /// # Errors
    /// If the cluster, the operator or the set does not come up.
    pub fn run(self, own: Option<Own>) -> Result<(String, bool)> {
        if !self.is_compiled(own.is_some()) {
            eprintln!("The first run compiles Kubernetes and the operator: up to 20 minutes on two cores.");
            eprintln!("A later run takes about three minutes.");
        }
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

    /// The programs of an earlier run are there. A run on a cluster of the user's own compiles no Kubernetes.
    fn is_compiled(self, on_own_cluster: bool) -> bool {
        let has_cluster = on_own_cluster || KUBELITE.built().is_some();
        has_cluster
            && [binary::OPERATOR, binary::TOOL].iter().all(|program| program.path(self.profile).is_file())
    }

    fn on(self, place: &Place) -> Result<Report> {
        let (source, mut report) = self.prepare(place)?;
        let lineage = check::lineage(place)?;
        let cuts = self.cuts + 1;
        for number in 1..=cuts {
            let others = if number == cuts { everything(place, &source)? } else { Vec::new() };
            let with = others.iter().map(|other| format!(", with {}", other.deployment));
            eprintln!("\npower cut {number} of {cuts}{}", with.collect::<String>());
            power_cut(place, number, &others, &lineage, &mut report)?;
            ensure!(report.is_ready(), "the set did not recover within {} s", PATIENCE.as_secs());
        }
        if source.pods(place)?.is_some_and(|registry| !registry.pods.is_empty()) {
            bail!("the registry is back, so its absence was not shown");
        }
        report.conclude(Decider::now(place)?, replay::last_seed(place)?);
        Ok(report)
    }

    /// Up to a set that serves, a client that writes to it, and the policy kept for the day of the cut.
    fn prepare(self, place: &Place) -> Result<(Source, Report)> {
        let mut progress = Progress::new(9 + place.images().len());
        progress.step("build the policy, with the tool that compiles it", |step| {
            policies::write_one(source::POLICY, step)
        })?;
        for name in place.images() {
            progress.step(&format!("image {name}"), |step| place.load(name, self.profile, step))?;
        }
        progress.step("remove what an earlier run left", |_| place.clear())?;
        let source =
            progress.step("bring up where the policy comes from", |step| Source::start(place, step))?;
        let policy = progress.step(source.words(), |_| source.fill(place))?;
        progress.step("install the operator", |_| install::operator(place, source.registry()))?;
        progress.step("create a set of three databases", |_| set::create(place, Some(&policy)))?;
        progress.step("wait until it is Ready", |step| set::wait_ready(place, step))?;
        let decider = progress
            .step("wait until its policy is kept in the cluster", |_| decider::wait_kept(place, set::SET))?;
        eprintln!("      policy {}", decider.words());
        progress.step("start a client that writes", |_| writers::start(place))?;
        Ok((source, Report::new(place.describe(), decider)))
    }
}

/// All that is not the databases' and goes with them in the last cut.
fn everything(place: &Place, source: &Source) -> Result<Vec<Others>> {
    Ok([install::pods(place)?].into_iter().chain(source.pods(place)?).collect())
}

/// One cut, the recovery, and the check of all rows that were acknowledged so far.
fn power_cut(
    place: &Place,
    number: u32,
    others: &[Others],
    lineage: &str,
    report: &mut Report,
) -> Result<()> {
    let streams = Streams::open(place)?;
    let pods = set::pods(place)?;
    // What is listed first is what was there before; and the client shall be in full swing.
    let before = streams.settle(Duration::from_millis(1500));
    let cut = cut::cut(place, &pods, others)?;
    eprintln!(
        "  0.0s  SIGKILL to {} databases within {:.0} ms, pods deleted with force by {:.1} s",
        pods.len(),
        cut.spread.as_secs_f64() * 1000.0,
        cut.deleted.as_secs_f64()
    );
    let mut recovery = Recovery::new(cut, pods);
    let mut view = live::View::new();
    before.into_iter().for_each(|(at, seen)| recovery.note(at, &seen));
    let limit = recovery.ends_before(PATIENCE);
    while !recovery.is_over() && Instant::now() < limit {
        match streams.next(limit.min(Instant::now() + SILENCE)) {
            Some((at, seen)) => {
                recovery.note(at, &seen);
                view.show(&recovery);
            }
            None => view.wait(&recovery),
        }
    }
    drop(streams);
    let acknowledged = writers::acknowledged(place).context("failed to read what the client logged")?;
    report.known.extend(acknowledged);
    let members = Progress::new(1).step("look up each acknowledged row on each member", |_| {
        check::members(place, &recovery, &report.known)
    })?;
    let with = others.iter().map(|other| other.deployment).collect();
    report.add(Cut::of(number, with, &recovery, lineage, members, report.known.len()));
    Ok(())
}
