//! The plan: an ordered list of rules, most urgent first.

use crate::draft::Draft;
use crate::hold::Hold;
use crate::look::recall;
use crate::memory::Memory;
use crate::observation::Observation;
use crate::plan::Plan;
use crate::rules;

/// Each rule adds its steps and holds.
const RULES: [fn(&mut Draft<'_>); 12] = [
    rules::prove::prove,
    rules::claim::claim,
    rules::find::withdraw,
    rules::replace::replace,
    rules::bring_back::bring_back,
    rules::grow::grow,
    rules::shrink::shrink,
    rules::find::restore,
    rules::update::update,
    rules::retire::retire,
    rules::claim::ask_again,
    rules::wait::wait,
];

/// What this look leads to.
pub fn decide(seen: &Observation, memory: &Memory) -> Plan {
    if seen.target.paused {
        return Plan { memory: memory.clone(), holds: vec![Hold::Paused], ..Plan::default() };
    }
    let mut draft = Draft::new(recall(seen, memory));
    for rule in RULES {
        rule(&mut draft);
    }
    draft.end()
}
