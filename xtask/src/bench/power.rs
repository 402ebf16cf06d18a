//! One power cut, and what it took to come back.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::channel;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::limit;
use super::phases::{Phase, Seconds, Subject, printed};
use super::stamps::{self, Stamps};
use crate::demo::check::{self, Checked, Transfer};
use crate::demo::place::Place;
use crate::demo::recovery::Recovery;
use crate::demo::streams::Streams;
use crate::demo::{cut, set, writers};

/// A recovery that takes longer is given up.
const PATIENCE: Duration = Duration::from_secs(300);

/// What came of a cut.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) seconds: Seconds,
    /// What the databases say afterwards.
    pub(super) checked: Vec<Checked>,
    /// Rows acknowledged since the beginning.
    acknowledged: usize,
}

/// Cut the power and wait until `subject` has brought the databases back. `known`: every row that was
/// acknowledged in this run.
pub(super) fn cut(place: &Place, subject: Subject, known: &mut BTreeSet<u64>) -> Result<Outcome> {
    let streams = Streams::open(place)?;
    let pods = set::pods(place)?;
    // What is listed first is what was there before; and the client shall be in full swing.
    let before = streams.settle(Duration::from_millis(1500));
    let moment = cut::cut(place, &pods, &[])?;
    let mut recovery = Recovery::new(moment, pods);
    before.into_iter().for_each(|(at, seen)| recovery.note(at, &seen));
    match subject {
        Subject::Operator => follow(&streams, &mut recovery, Recovery::is_over),
        Subject::Limit => bring_back(place, &streams, &mut recovery)?,
    }
    drop(streams);
    ensure!(recovery.first_write.is_some(), "no write was acknowledged within {} s", PATIENCE.as_secs());
    let mut marks = BTreeMap::new();
    for pod in recovery.members.keys() {
        marks.insert(pod.clone(), stamps::of(place, pod, moment.at)?);
    }
    known.extend(writers::acknowledged(place).context("failed to read what the client logged")?);
    let checked = check::members(place, &recovery, known)?;
    Ok(Outcome { seconds: seconds(&recovery, &marks), checked, acknowledged: known.len() })
}

/// Take in what is told until it is enough, or patience ends.
fn follow(streams: &Streams, recovery: &mut Recovery, mut is_enough: impl FnMut(&Recovery) -> bool) {
    while let Some((at, seen)) = streams.next(recovery.ends_before(PATIENCE)) {
        recovery.note(at, &seen);
        if is_enough(recovery) {
            return;
        }
    }
}

/// The script works while the streams are listened to, and hears from here which containers run.
fn bring_back(place: &Place, streams: &Streams, recovery: &mut Recovery) -> Result<()> {
    let members = recovery.members.len();
    std::thread::scope(|scope| {
        let (sender, running) = channel();
        let (ended, script) = channel();
        scope.spawn(move || ended.send(limit::bring_back(place, members, &running)));
        let (mut announced, mut result) = (BTreeSet::new(), None);
        follow(streams, recovery, |recovery| {
            for (pod, _) in recovery.members.iter().filter(|(_, track)| track.observable.is_some()) {
                if announced.insert(pod.clone()) {
                    // A script that has ended tells by itself why.
                    sender.send(pod.clone()).ok();
                }
            }
            result = result.take().or_else(|| script.try_recv().ok());
            let is_done = recovery.first_write.is_some() && result.is_some();
            is_done || result.as_ref().is_some_and(Result::is_err)
        });
        drop(sender);
        result.context("the script did not end")?
    })
}

fn seconds(recovery: &Recovery, marks: &BTreeMap<String, Stamps>) -> Seconds {
    // The last moment, if there is one for each member.
    let last = |moments: Vec<Option<f64>>| {
        let all: Option<Vec<_>> = moments.into_iter().collect();
        all?.into_iter().max_by(f64::total_cmp)
    };
    let running = last(recovery.members.values().map(|member| member.observable).collect());
    let mut starts: Vec<_> = marks.values().filter_map(|mark| Some((mark.began?, mark.synced))).collect();
    starts.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let seed = starts.first().copied();
    let began = seed.map(|(began, _)| began);
    let joined = starts.iter().skip(1).filter_map(|(_, synced)| *synced).min_by(f64::total_cmp);
    let seen = [
        (Phase::Killed, Some(recovery.cut.spread.as_secs_f64())),
        (Phase::PodsDeleted, Some(recovery.cut.deleted.as_secs_f64())),
        (Phase::ContainersRunning, running),
        (Phase::PositionsRead, last(marks.values().map(|mark| mark.read).collect())),
        (Phase::SeedStarted, began),
        (Phase::RunningToSeed, began.zip(running).map(|(began, running)| began - running)),
        (Phase::SeedSynced, seed.and_then(|(_, synced)| synced)),
        (Phase::FirstWrite, recovery.first_write),
        (Phase::FirstJoinerSynced, joined),
        (Phase::AllSynced, last(marks.values().map(|mark| mark.synced).collect())),
        (Phase::Ready, recovery.ready),
    ];
    seen.into_iter().filter_map(|(phase, at)| Some((phase, at?))).collect()
}

// === impl Outcome ===

impl Outcome {
    /// The line that is printed.
    pub(super) fn line(&self, subject: Subject, number: u32) -> Value {
        let lost: BTreeSet<_> = self.checked.iter().flat_map(|member| &member.lost).collect();
        json!({
            "bench": "cut",
            "subject": subject,
            "cut": number,
            "seconds": printed(&self.seconds),
            "byIst": self.count(Transfer::Incremental),
            "bySst": self.count(Transfer::Full),
            "rowsAcknowledged": self.acknowledged,
            "rowsLost": lost.len(),
        })
    }

    /// How many members came to what they missed in this way.
    pub(super) fn count(&self, transfer: Transfer) -> usize {
        self.checked.iter().filter(|member| member.transfer == transfer).count()
    }
}
