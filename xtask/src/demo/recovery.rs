//! One recovery as it is seen from outside: what happened, and how long after the cut.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::cut::Moment;
use super::seen::{self, BEFORE_START, Member};
use super::streams::Seen;
use super::writers::Acknowledged;

/// Seconds after the cut.
pub(crate) type Seconds = f64;

/// A recovery so far.
pub(crate) struct Recovery {
    /// When the power went.
    pub(crate) cut: Moment,
    /// The pods that were taken away, each with its UID.
    old: BTreeMap<String, String>,
    /// The members, as they were last seen.
    pub(crate) members: BTreeMap<String, Track>,
    /// What the operator said last of what it does.
    pub(crate) operator: String,
    /// Events since the cut, in their order.
    pub(crate) events: Vec<(Seconds, String)>,
    /// The operator noticed that no member runs.
    pub(crate) noticed: Option<Seconds>,
    /// A seed was chosen: when, and why this one.
    pub(crate) seed: Option<(Seconds, String, String)>,
    /// The first row that was begun and acknowledged after the cut.
    pub(crate) first_write: Option<Seconds>,
    /// Every member serves.
    pub(crate) ready: Option<Seconds>,
    /// When something was told last.
    pub(crate) told: Seconds,
    rows: Vec<Acknowledged>,
    /// When the client's node booted, by our clock: the earliest that fits its log.
    boot: Option<f64>,
    was_not_ready: bool,
}

/// A member through the recovery.
#[derive(Clone, Debug, Default)]
pub(crate) struct Track {
    /// As the operator sees it.
    pub(crate) now: Member,
    /// Its pod, for people.
    pub(crate) pod: &'static str,
    /// Its new container runs.
    pub(crate) observable: Option<Seconds>,
    /// Its position was told.
    pub(crate) read: Option<(Seconds, String)>,
    /// Its pod was marked for the client service.
    pub(crate) marked: Option<Seconds>,
    /// It serves again.
    pub(crate) joined: Option<Seconds>,
    was_down: bool,
}

// === impl Recovery ===

impl Recovery {
    /// Just after the cut.
    pub(crate) fn new(cut: Moment, old: BTreeMap<String, String>) -> Self {
        let members = old.keys().map(|name| (name.clone(), Track::default())).collect();
        Self {
            cut,
            old,
            members,
            operator: String::new(),
            events: Vec::new(),
            noticed: None,
            seed: None,
            first_write: None,
            ready: None,
            told: 0.0,
            rows: Vec::new(),
            boot: None,
            was_not_ready: false,
        }
    }

    /// When patience ends.
    pub(crate) fn ends_before(&self, patience: Duration) -> Instant {
        self.cut.at + patience
    }

    /// A client writes, every member has joined, and the operator says so.
    pub(crate) fn is_over(&self) -> bool {
        self.ready.is_some()
            && self.first_write.is_some()
            && self.members.values().all(|m| m.joined.is_some())
    }

    /// Take in what was told; what was told before the cut is where things began.
    pub(crate) fn note(&mut self, told: Instant, seen: &Seen) {
        let at = since(self.cut.at, told);
        self.told = at;
        match seen {
            Seen::Set(set) => self.note_set(at, set),
            Seen::Pod(pod, is_there) => self.note_pod(at, pod, *is_there),
            Seen::Event(event) if at > 0.0 => self.note_event(at, event),
            Seen::Event(_) => {}
            Seen::Row(row) => self.note_row(at, *row),
        }
    }

    fn note_set(&mut self, at: Seconds, set: &Value) {
        self.operator = seen::operator(set);
        for (name, track) in &mut self.members {
            track.now = seen::member(set, name);
            if at > 0.0 {
                track.note(at);
            }
        }
        let is_ready = seen::is_ready(set);
        self.was_not_ready |= at > 0.0 && !is_ready;
        if is_ready && self.was_not_ready {
            self.ready.get_or_insert(at);
        }
    }

    fn note_pod(&mut self, at: Seconds, pod: &Value, is_there: bool) {
        let (name, uid) = (&pod["metadata"]["name"], &pod["metadata"]["uid"]);
        let Some(track) = name.as_str().and_then(|name| self.members.get_mut(name)) else { return };
        let is_old = name.as_str().and_then(|name| self.old.get(name)).is_some_and(|old| uid == old);
        track.pod = match (is_there, is_old, seen::runs(pod)) {
            (false, ..) => "pod is gone",
            (true, true, _) => "pod before the cut",
            (true, false, false) => "pod is being started",
            (true, false, true) => "pod runs",
        };
        if track.pod == "pod runs" {
            track.observable.get_or_insert(at);
            if pod["metadata"]["labels"]["rss-active-member"] == "true" {
                track.marked.get_or_insert(at);
            }
        }
    }

    fn note_event(&mut self, at: Seconds, event: &Value) {
        if event["regarding"]["kind"] != "ReplicatedStatefulSet" {
            return;
        }
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (reason, note) = (text(&event["reason"]), text(&event["note"]));
        match reason.as_str() {
            "OutageNoticed" => drop(self.noticed.get_or_insert(at)),
            // A later choice is the one that counts: the first may have failed.
            "SeedChosen" => {
                let (pod, why) = note.split_once(" seeds: ").unwrap_or(("", &note));
                self.seed = Some((at, pod.to_owned(), why.to_owned()));
                self.members.values_mut().for_each(|member| member.note_chosen(at));
            }
            _ => {}
        }
        self.events.push((at, format!("{reason}: {note}")));
    }

    /// The client's clock is its node's; no line can be told before it was written, so the line that
    /// came soonest tells how the two clocks stand.
    fn note_row(&mut self, at: Seconds, row: Acknowledged) {
        let boot = at - row.ended;
        self.boot = Some(self.boot.map_or(boot, |known| known.min(boot)));
        self.rows.push(row);
        let Some(boot) = self.boot else { return };
        let dead = self.cut.spread.as_secs_f64();
        let first = self.rows.iter().filter(|row| row.began + boot > dead).map(|row| row.ended + boot);
        self.first_write = first.min_by(f64::total_cmp);
    }
}

// === impl Track ===

impl Track {
    fn note(&mut self, at: Seconds) {
        self.was_down |= !self.now.serves();
        if !self.was_down {
            return;
        }
        if let Some(position) = self.now.standing().filter(|_| !self.now.serves()) {
            self.read.get_or_insert_with(|| (at, position.to_owned()));
        }
        if self.now.serves() {
            self.joined.get_or_insert(at);
        }
    }
    /// A choice of a seed is made of every position, also of the last, which was told in the same
    /// moment as the seed's start: that is told as what was before the start.
    fn note_chosen(&mut self, at: Seconds) {
        if let Some(position) = self.now.reading.strip_suffix(BEFORE_START).filter(|_| !self.now.serves()) {
            self.read.get_or_insert_with(|| (at, position.to_owned()));
        }
    }
}

/// Seconds from one moment to another, negative if it was before.
fn since(from: Instant, to: Instant) -> Seconds {
    match to.checked_duration_since(from) {
        Some(after) => after.as_secs_f64(),
        None => -from.duration_since(to).as_secs_f64(),
    }
}

#[cfg(test)]
mod tests;
