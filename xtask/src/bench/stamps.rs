//! When the commands of a member began and ended, by the marks that they leave in its container: each
//! has a folder, in which `log` is made when a start begins, and `rc` when a command has ended.

use std::collections::BTreeMap;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, ensure};

use crate::demo::place::{Place, Where};

/// Seconds since 1970 by the clock of the pod's node, or after the cut.
type Seconds = f64;

/// What a member's container tells.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Stamps {
    /// Its position was read.
    pub(super) read: Option<Seconds>,
    /// The last start of its database began.
    pub(super) began: Option<Seconds>,
    /// That start's command returned 0, which it does as soon as the server calls itself Synced.
    pub(super) synced: Option<Seconds>,
}

/// Prints the birth, the name and the content of every mark.
const LIST: &str = "cd /run/rss && for mark in */log */rc; do \
    [ ! -e \"$mark\" ] || echo \"$(stat -c '%.3W' \"$mark\") $mark $(grep -m1 -x '[0-9]*' \"$mark\")\"; done";

/// The marks in a pod, in seconds after the cut.
pub(super) fn of(place: &Place, pod: &str, cut: Instant) -> Result<Stamps> {
    let list = place.within(&["exec", pod, "--", "sh", "-c", LIST])?;
    let stamps = read(&list).with_context(|| format!("the marks of {pod}"))?;
    let cut = clock_at(place, pod, cut)?;
    let after = |at: Option<Seconds>| at.map(|at| at - cut);
    Ok(Stamps { read: after(stamps.read), began: after(stamps.began), synced: after(stamps.synced) })
}

/// What the clock of the pod's node showed at a moment of ours. The local nodes have our own.
fn clock_at(place: &Place, pod: &str, moment: Instant) -> Result<Seconds> {
    if let Where::Local { .. } = place.cluster {
        return Ok((SystemTime::now() - moment.elapsed()).duration_since(UNIX_EPOCH)?.as_secs_f64());
    }
    let asked = moment.elapsed();
    let clock: Seconds = place.within(&["exec", pod, "--", "date", "+%s.%N"])?.trim().parse()?;
    // It was asked at some moment between; the middle is wrong by half of the time at most.
    Ok(clock - (asked + moment.elapsed()).as_secs_f64() / 2.0)
}

fn read(list: &str) -> Result<Stamps> {
    let mut folders: BTreeMap<&str, Folder> = BTreeMap::new();
    for line in list.lines() {
        let mut words = line.split_whitespace();
        let birth: Seconds = words.next().unwrap_or_default().parse()?;
        // The file system may not keep it.
        ensure!(birth > 0.0, "the file system of the pod's node does not tell when a file was made");
        let (name, mark) =
            words.next().and_then(|path| path.split_once('/')).context("a mark has a folder")?;
        let folder = folders.entry(name).or_default();
        match mark {
            "log" => folder.log = Some(birth),
            _ => folder.rc = Some((birth, words.next() == Some("0"))),
        }
    }
    let starts = folders.values().filter_map(|folder| Some((folder.log?, folder.rc)));
    let last = starts.max_by(|(a, _), (b, _)| a.total_cmp(b));
    let others = folders.values().filter(|folder| folder.log.is_none()).filter_map(Folder::success);
    Ok(Stamps {
        read: others.min_by(f64::total_cmp),
        began: last.map(|(began, _)| began),
        synced: last.and_then(|(_, rc)| rc).filter(|(_, ok)| *ok).map(|(at, _)| at),
    })
}

/// The marks of one command.
#[derive(Clone, Copy, Debug, Default)]
struct Folder {
    log: Option<Seconds>,
    rc: Option<(Seconds, bool)>,
}

// === impl Folder ===

impl Folder {
    fn success(&self) -> Option<Seconds> {
        self.rc.filter(|(_, ok)| *ok).map(|(at, _)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_is_told_by_its_log_and_a_reading_has_none() {
        let list = "100.200 b/log \n100.100 a/rc 0\n103.500 b/rc 0\n120.000 c/rc 0\n";
        let wanted = Stamps { read: Some(100.1), began: Some(100.2), synced: Some(103.5) };
        assert_eq!(read(list).unwrap(), wanted);
    }

    #[test]
    fn the_last_start_counts_and_only_if_it_returned_with_success() {
        let failed = "100.0 a/log \n101.0 a/rc 1\n";
        assert_eq!(read(failed).unwrap(), Stamps { read: None, began: Some(100.0), synced: None });
        let again = format!("{failed}102.0 b/log \n");
        assert_eq!(read(&again).unwrap().synced, None);
        let done = format!("{again}104.0 b/rc 0\n");
        assert_eq!(read(&done).unwrap(), Stamps { read: None, began: Some(102.0), synced: Some(104.0) });
    }

    #[test]
    fn a_file_system_that_keeps_no_births_is_an_error() {
        assert!(read("0.000 a/rc 0\n").is_err());
    }
}
