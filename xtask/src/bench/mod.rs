//! Speed and size in figures: power cuts under the operator and under a script that knows the answers,
//! the operator's program, start, memory and requests, and a policy from a registry. One JSON object on each line; nothing is asserted.

mod footprint;
mod limit;
mod phases;
mod policies;
mod power;
mod pull;
mod settled;
mod stamps;
mod start;

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::{Value, json};

use crate::binary::{self, Profile};
use crate::demo::check::{self, Transfer};
use crate::demo::place::Place;
use crate::demo::{install, set, writers};
use crate::own::Own;
use crate::progress::Progress;
use phases::{Seconds, Subject};
use pull::Pull;

/// What to measure.
#[derive(Args, Clone, Copy, Debug)]
// The command that has them has a group of this name.
#[group(skip)]
pub struct Bench {
    /// How many times the power is cut under each of the two.
    #[arg(long, default_value_t = 5, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub cuts: u32,
    /// Leave everything running, and say how to look around.
    #[arg(long)]
    pub keep: bool,
    /// Only what policies take, which needs no cluster.
    #[arg(long, conflicts_with_all = ["cuts", "keep", "context"])]
    pub policies: bool,
    /// Which build of the operator is measured.
    #[arg(long, value_enum, default_value = "release")]
    pub profile: Profile,
}

/// The namespace, and what all else is called after.
const NAME: &str = "rss-bench";
const POLICIES: &str = "measure policies, once they and their tool are compiled";
/// Of a run, besides images and cuts.
const STEPS: usize = 11;

/// What all cuts found.
struct Found {
    before: String,
    after: BTreeSet<String>,
    /// Joins of members in all cuts, and how many of them took only what was missed.
    joins: usize,
    by_ist: usize,
    missing: Vec<Value>,
    rows: BTreeSet<u64>,
}

// === impl Bench ===

impl Bench {
    /// Measure, and write each line to `out` as soon as it is known.
    ///
    /// # Errors
    /// If something could not be measured.
    pub fn run(self, own: Option<Own>, out: &mut impl Write) -> Result<()> {
        if self.policies {
            let lines = Progress::new(1).step(POLICIES, |step| policies::lines(self.profile, step))?;
            return lines.iter().try_for_each(|line| say(out, line));
        }
        let place = Place::prepare(NAME, own)?;
        let result = self.on(&place, out);
        // After an error, too: they are the cluster's, not the namespace's.
        settled::remove(&place).ok();
        if self.keep || result.is_err() {
            eprintln!("\n{}", place.how_to_look());
        } else {
            place.leave()?;
        }
        result
    }

    fn on(self, place: &Place, out: &mut impl Write) -> Result<()> {
        let cuts = usize::try_from(self.cuts)?;
        let mut progress = Progress::new(STEPS + pull::STEPS + place.images().len() + 2 * cuts);
        let title = "compile the operator";
        let program = progress.step(title, |step| binary::OPERATOR.build(self.profile, step))?;
        let profile = format!("{:?}", self.profile).to_lowercase();
        let cluster = place.describe();
        say(out, &json!({"bench": "begin", "cluster": cluster, "profile": profile, "cuts": self.cuts}))?;
        say(out, &footprint::size(&program)?)?;
        let policies = progress.step(POLICIES, |step| policies::lines(self.profile, step))?;
        policies.iter().try_for_each(|line| say(out, line))?;
        for name in place.images() {
            progress.step(&format!("image {name}"), |step| place.load(name, self.profile, step))?;
        }
        progress.step("remove what an earlier run left", |_| place.clear())?;
        let pull = Pull::prepare(place, &mut progress)?;
        let registry = pull.as_ref().map(Pull::registry);
        progress.step("install the operator", |_| install::operator(place, registry))?;
        let ready = progress.step("start the operator as a process", |_| start::ready(place, &program))?;
        say(out, &ready)?;
        progress.step("create a set of three databases", |_| set::create(place, None))?;
        progress.step("wait until it is Ready", |step| set::wait_ready(place, step))?;
        progress.step("start a client that writes", |_| writers::start(place))?;

        let mut found = Found::new(check::lineage(place)?);
        let ours = self.cuts(place, Subject::Operator, &mut found, &mut progress, out)?;
        let requests = progress.step("a settled set", |step| settled::requests(place, step))?;
        say(out, &requests)?;
        say(out, &footprint::memory(place)?)?;
        if let Some(pull) = pull {
            pull.lines(&mut progress)?.iter().try_for_each(|line| say(out, line))?;
        }
        let memory = progress.step("use three policies", |_| policies::memory(place))?;
        say(out, &memory)?;
        progress.step("take the operator away", |_| install::take_away(place))?;
        let theirs = self.cuts(place, Subject::Limit, &mut found, &mut progress, out)?;

        for line in phases::ratios(&ours, &theirs).iter().chain([&found.line(2 * self.cuts)]) {
            say(out, line)?;
        }
        progress.finish("bench");
        ensure!(found.missing.is_empty(), "not measured in every cut: {}", json!(found.missing));
        Ok(())
    }

    /// All cuts of a subject; the median of each phase.
    fn cuts(
        self,
        place: &Place,
        subject: Subject,
        found: &mut Found,
        progress: &mut Progress,
        out: &mut impl Write,
    ) -> Result<Seconds> {
        let mut all = Vec::new();
        for number in 1..=self.cuts {
            let title = format!("power cut {number}, {}", subject.words());
            let outcome = progress.step(&title, |_| power::cut(place, subject, &mut found.rows))?;
            say(out, &outcome.line(subject, number))?;
            found.add(&outcome);
            all.push(outcome.seconds);
        }
        found.miss(subject, &all);
        let medians = phases::medians(&all);
        let cuts = self.cuts;
        let seconds = phases::printed(&medians);
        say(out, &json!({"bench": "median", "subject": subject, "cuts": cuts, "seconds": seconds}))?;
        Ok(medians)
    }
}

fn say(out: &mut impl Write, line: &Value) -> Result<()> {
    writeln!(out, "{line}").and_then(|()| out.flush()).context("failed to write a line")
}

// === impl Found ===

impl Found {
    fn new(before: String) -> Self {
        let (after, rows) = (BTreeSet::new(), BTreeSet::new());
        Self { before, after, joins: 0, by_ist: 0, missing: Vec::new(), rows }
    }

    fn add(&mut self, outcome: &power::Outcome) {
        self.after.extend(outcome.checked.iter().map(|member| member.lineage.clone()));
        // One began, the others joined.
        self.joins += outcome.checked.len() - 1;
        self.by_ist += outcome.count(Transfer::Incremental);
    }

    fn miss(&mut self, subject: Subject, cuts: &[Seconds]) {
        let missing = phases::missing(subject, cuts);
        self.missing.extend(missing.into_iter().map(|phase| json!({"subject": subject, "phase": phase})));
    }

    fn line(&self, cuts: u32) -> Value {
        json!({
            "bench": "lineage",
            "cuts": cuts,
            "before": self.before,
            "after": self.after,
            "kept": self.after.iter().all(|after| *after == self.before),
            "joins": self.joins,
            "byIst": self.by_ist,
            "rowsAcknowledged": self.rows.len(),
        })
    }
}
