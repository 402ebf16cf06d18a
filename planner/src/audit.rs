//! A second opinion on a plan, by code that did not make it and knows none of the rules.
//!
//! It reads the look, what was remembered before it and the plan, and asks of each guarantee
//! whether it holds: how a member is, whose data it has and what includes what are worked out
//! here anew, from exit codes, kubelet reports and UIDs. A breach means that the set is not acted
//! on in this round. Nothing is latched: the next look is audited on its own.
//!
//! Numbers such as 4.4 are the sections of docs/safety.md; section 2 is "The words" of ARCHITECTURE.md. Each check restates
//! them.

mod alone;
mod breach;
mod candidates;
mod closing;
mod consent;
mod epoch;
mod evidence;
mod extent;
mod fence;
mod forgotten;
mod hands_off;
mod join;
mod kept;
mod keys;
mod labels;
mod last_server;
mod least;
mod led;
mod line;
mod lock;
mod loss;
mod offer;
mod owed;
mod parted;
mod past;
mod planned;
mod promised;
mod readings;
mod rehearsal;
mod repair;
mod rest;
mod seed;
mod shape;
mod size;
mod stops;
mod takeover;
mod went_back;

#[cfg(test)]
mod flows;
#[cfg(test)]
mod planted;
#[cfg(test)]
mod world;

pub use breach::{Breach, Rule};

use crate::memory::Memory;
use crate::observation::Observation;
use crate::plan::Plan;
use evidence::Evidence;

/// A guarantee, asked of one plan: what breaks it is added to the list.
type Check = fn(&Evidence<'_>, &mut Vec<Breach>);

/// All of them but `hands_off`, which goes before them. Their order means nothing.
const CHECKS: [Check; 32] = [
    shape::one_step_each,
    shape::where_it_was_meant,
    shape::one_command_each,
    lock::asked_for_when_it_must_be,
    lock::marked_only_as_seen,
    promised::before_it_is_sent,
    promised::one_start_at_a_time,
    kept::as_it_was_promised,
    closing::with_proof,
    forgotten::nothing_is,
    led::is_written_down,
    parted::is_written_down,
    epoch::grows_by_what_was_seen,
    takeover::begins_an_epoch,
    loss::is_without_the_lost_alone,
    readings::come_from_a_command,
    candidates::only_shrink,
    seed::never_two,
    rest::is_included,
    join::destroys_nothing,
    fence::before_promotion,
    repair::has_a_cause,
    last_server::is_left_alone,
    alone::goes_only_if_held_elsewhere,
    stops::only_as_asked,
    labels::follow_knowledge,
    size::takes_nobody_away,
    keys::open_once,
    consent::is_given,
    planned::is_a_stop_of_now,
    offer::spares_what_can_be_kept,
    rehearsal::asks_nothing_of_a_set_in_need,
];

/// Checks a plan on the evidence of its own look.
///
/// # Errors
/// Every guarantee that the plan breaks, each with the replica that it is about.
pub fn audit(seen: &Observation, memory: &Memory, plan: &Plan) -> Result<(), Vec<Breach>> {
    let evidence = Evidence::of(seen, memory, plan);
    let mut found = Vec::new();
    if evidence.hands_off() {
        hands_off::nothing_is_done(&evidence, &mut found);
    } else {
        for check in CHECKS {
            check(&evidence, &mut found);
        }
    }
    if found.is_empty() { Ok(()) } else { Err(found) }
}
