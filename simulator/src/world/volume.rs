//! What data is in a volume, and what `sequence` prints of it.

use super::World;
use crate::options::Positions;
use std::collections::{BTreeMap, BTreeSet};

/// A volume. Writes are known by their index in the world's list of all writes.
#[derive(Clone, Debug)]
pub(crate) struct Volume {
    pub(crate) writes: BTreeSet<u32>,
    /// A copy into it was not finished.
    pub(crate) torn: bool,
    /// A command that may copy into it began, and labels led no client to its member since.
    pub(crate) joining: bool,
    pub(crate) exists: bool,
    /// `sequence` came to its end there since something last ran on it.
    pub(crate) read: bool,
}

impl Default for Volume {
    fn default() -> Self {
        Self { writes: BTreeSet::new(), torn: false, joining: false, exists: true, read: false }
    }
}

impl World {
    pub(crate) fn holds_all(&self, volume: usize, of: usize) -> bool {
        self.volumes[volume].writes.is_superset(&self.volumes[of].writes)
    }

    /// Every volume is as it was when only the first so many writes were made.
    pub(crate) fn roll_back(&mut self, writes: u32) {
        self.say(|| format!("all volumes are as after {writes} writes"));
        self.volumes.iter_mut().for_each(|volume| volume.writes.retain(|write| *write < writes));
    }

    /// What `sequence` says of a volume: its exit code and output.
    pub(crate) fn sequence(&mut self, volume: usize) -> (i32, String) {
        if self.volumes[volume].torn && self.chance.one_in(2) {
            return (1, String::new());
        }
        if self.mishap(25) {
            return (1, String::new());
        }
        (0, printed(self, volume))
    }
}

/// The position in a volume, in the words of this application.
pub(crate) fn printed(world: &World, volume: usize) -> String {
    let writes = &world.volumes[volume].writes;
    match world.options.positions {
        Positions::Counter | Positions::Monotonic if writes.is_empty() => String::new(),
        Positions::Counter | Positions::Monotonic => writes.len().to_string(),
        Positions::Renamed => {
            let newest = writes.last().and_then(|index| world.writes.get(*index as usize));
            newest.map(|write| format!("l{}:{}", write.lineage, writes.len())).unwrap_or_default()
        }
        Positions::Lineages => {
            let mut sources: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
            for write in writes.iter().filter_map(|index| world.writes.get(*index as usize)) {
                sources.entry(write.lineage).or_default().insert(write.number);
            }
            let words: Vec<String> =
                sources.iter().map(|(source, numbers)| interval(*source, numbers)).collect();
            words.join(" ")
        }
    }
}

/// The numbers of one source are written without gaps, from 1.
fn interval(source: u64, numbers: &BTreeSet<u64>) -> String {
    format!("l{source}:{}", numbers.last().copied().unwrap_or(0))
}
