//! Memory brought up to date with a look: what became known, and nothing that is decided.

mod attempts;
mod closing;
mod confirm;
mod ended;
mod fold;
pub(crate) mod keys;
mod line;
mod lineage;
pub(crate) mod loss;
mod merge;
mod opening;
mod outage;
mod parting;
mod planned;
mod readings;
mod rehearsals;
pub(crate) mod takeover;
mod well;

use crate::look::Look;
use crate::memory::Memory;
use crate::observation::Observation;
use crate::places;
use crate::plan::News;

pub(crate) use closing::{counts_as_over, timers as closing_timers};
pub(crate) use confirm::two_groups;
pub(crate) use ended::{gone, is_behind};
pub(crate) use well::{is_well, unwell};

/// Each learns one kind of thing; the order matters where one builds on another.
const STAGES: [fn(&mut Look<'_>, &mut Vec<News>); 22] = [
    merge::unite_records,
    merge::meet_new_holders,
    ended::end_vanished_holders,
    readings::after_pause,
    readings::of_another_reader,
    attempts::absorb_attempts,
    closing::close_starts,
    merge::recognise_copies,
    outage::begin,
    loss::carry_over,
    confirm::confirm_running,
    planned::forget_planned_stops,
    outage::strike_failed_candidates,
    parting::part,
    readings::void_readings,
    lineage::drop_outlived_base,
    ended::note_left,
    rehearsals::hear,
    rehearsals::forget,
    well::note_wellness,
    ended::end_made_up_for,
    merge::stamp_epoch,
];

/// What is known after this look.
pub(crate) fn recall<'a>(seen: &'a Observation, memory: &Memory) -> (Look<'a>, Vec<News>) {
    let mut look = Look::new(seen, memory.clone());
    let mut news = Vec::new();
    for stage in STAGES {
        stage(&mut look, &mut news);
    }
    look.places = places::places(&look);
    (look, news)
}
