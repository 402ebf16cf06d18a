//! What the cluster and the client tell while it happens: kubectl's watches, each read by a thread.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::Value;

use super::place::Place;
use super::set::SET;
use super::writers::{self, Acknowledged};

/// One thing that was told.
#[derive(Clone, Debug)]
pub(crate) enum Seen {
    /// The resource, as it is now.
    Set(Value),
    /// A pod, as it is now; `false` if it is gone.
    Pod(Value, bool),
    /// An event.
    Event(Value),
    /// The client's line.
    Row(Acknowledged),
}

/// With the moment at which it was told.
pub(crate) type Told = (Instant, Seen);

/// What a change of an object is, by whether the object is still there.
type Reader = fn(Value, bool) -> Seen;

/// All watches; they end when this is dropped.
pub(crate) struct Streams {
    children: Vec<Child>,
    told: Receiver<Told>,
}

// === impl Streams ===

impl Streams {
    /// Begin to listen.
    pub(crate) fn open(place: &Place) -> Result<Self> {
        let (sender, told) = channel();
        let mut streams = Self { children: Vec::new(), told };
        let pods = format!("app={SET}");
        let objects: [(&[&str], Reader); 3] = [
            (&["rss", SET], |set, _| Seen::Set(set)),
            (&["pods", "-l", &pods], Seen::Pod),
            (&["events.events.k8s.io"], |event, _| Seen::Event(event)),
        ];
        for (what, seen) in objects {
            let output = streams.start(place, &[&["get"], what, &WATCH].concat())?;
            let sender = sender.clone();
            std::thread::spawn(move || read_objects(output, &sender, seen));
        }
        let output = streams.start(place, &["logs", writers::POD, "--follow", "--tail=20"])?;
        std::thread::spawn(move || read_rows(output, &sender));
        Ok(streams)
    }

    /// Listen to what is told of one set, and to nothing else.
    pub(crate) fn of_set(place: &Place, name: &str) -> Result<Self> {
        let (sender, told) = channel();
        let mut streams = Self { children: Vec::new(), told };
        let output = streams.start(place, &[["get", "rss", name].as_slice(), &WATCH].concat())?;
        std::thread::spawn(move || read_objects(output, &sender, |set, _| Seen::Set(set)));
        Ok(streams)
    }

    fn start(&mut self, place: &Place, words: &[&str]) -> Result<ChildStdout> {
        let words = [&["--namespace", place.name], words].concat();
        let mut command = place.command(&words);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let output = child.stdout.take().context("kubectl has no standard output")?;
        self.children.push(child);
        Ok(output)
    }

    /// All that is told within `time`.
    pub(crate) fn settle(&self, time: Duration) -> Vec<Told> {
        let end = Instant::now() + time;
        std::iter::from_fn(|| self.next(end)).collect()
    }

    /// The next thing that is told before `end`.
    pub(crate) fn next(&self, end: Instant) -> Option<Told> {
        self.told.recv_timeout(end.saturating_duration_since(Instant::now())).ok()
    }
}

impl Drop for Streams {
    fn drop(&mut self) {
        for child in &mut self.children {
            // Nothing is to be done about one that has ended by itself.
            child.kill().ok();
            child.wait().ok();
        }
    }
}

const WATCH: [&str; 4] = ["--watch", "--output-watch-events", "-o", "json"];

/// Ends with the stream, or when nobody listens any more.
fn read_objects(output: ChildStdout, told: &Sender<Told>, seen: Reader) {
    let changes = serde_json::Deserializer::from_reader(BufReader::new(output)).into_iter::<Value>();
    for mut change in changes.map_while(Result::ok) {
        let is_there = change["type"] != "DELETED";
        if told.send((Instant::now(), seen(change["object"].take(), is_there))).is_err() {
            return;
        }
    }
}

fn read_rows(output: ChildStdout, told: &Sender<Told>) {
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        let Ok(row) = writers::parse(&line) else { continue };
        if told.send((Instant::now(), Seen::Row(row))).is_err() {
            return;
        }
    }
}
