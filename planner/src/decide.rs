//! The plan: an ordered list of rules, most urgent first.

use crate::draft::{Draft, Flow};
use crate::hold::Reason;
use crate::key::{Key, KeyKind};
use crate::look::Look;
use crate::memory::Memory;
use crate::observation::Observation;
use crate::offer::offer;
use crate::plan::{News, Plan};
use crate::recall::{keys, recall};
use crate::rules;

/// Each rule adds its steps and holds, or says that this is enough for one round.
const RULES: [fn(&mut Draft<'_>) -> Flow; 25] = [
    rules::label::label,
    rules::workload::workload,
    rules::records::records,
    rules::claims::claims,
    rules::groups::groups,
    rules::unheard::unheard,
    rules::fate::fate,
    rules::fence::fence,
    rules::elsewhere::elsewhere,
    rules::size::grow,
    rules::refuse::refuse,
    rules::repair::repair,
    rules::close::close,
    rules::renew::renew,
    rules::seed::seed,
    rules::promote::promote,
    rules::follow::follow,
    rules::loss::loss,
    rules::leave::leave,
    rules::replace::replace,
    rules::vacant::vacant,
    rules::join::join,
    rules::rollout::rollout,
    rules::fate::fate_of_begun,
    rules::rehearse::rehearse,
];

/// What this look leads to.
pub fn decide(seen: &Observation, memory: &Memory) -> Plan {
    if let Some(plan) = hands_off(seen, memory) {
        return plan;
    }
    let (look, news) = known(seen, memory);
    run_rules(&look, news)
}

/// What is known after this look, with what a person allowed.
pub(crate) fn known<'a>(seen: &'a Observation, memory: &Memory) -> (Look<'a>, Vec<News>) {
    let (mut look, mut news) = recall(seen, memory);
    keys::forget_withdrawn(&mut look);
    let given = keys::given(&look);
    // What is to be made again, or to be started, is offered once that is compared.
    if !given.is_empty() && !look.awaits_template() {
        let offered = offered(&look);
        keys::use_keys(&mut look, given, &offered, &mut news);
    }
    (look, news)
}

/// A key opens only what the rules offer without it. Whom a person names as seed the policy is asked about alone: its
/// answer of this look is not one to the question that led to the offer, so what is offered without an answer counts too.
fn offered(look: &Look<'_>) -> Vec<Key> {
    let mut seen = look.seen.clone();
    seen.verdicts.seed = None;
    let unasked = Look { seen: &seen, ..look.clone() };
    let keys = |look: &Look<'_>| -> Vec<Key> {
        run_rules(look, Vec::new()).holds.into_iter().flat_map(|hold| hold.keys).collect()
    };
    let names = keys(&unasked).into_iter().filter(|key| key.kind == KeyKind::AcceptSeed);
    keys(look).into_iter().chain(names).collect()
}

fn run_rules(look: &Look<'_>, news: Vec<News>) -> Plan {
    let mut draft = Draft::new(look, news);
    for rule in RULES {
        if rule(&mut draft) == Flow::Enough {
            break;
        }
    }
    offer(look, &mut draft.plan);
    draft.plan
}

/// Another's set, and a paused one, are only watched: nothing is learned, promised or done.
fn hands_off(seen: &Observation, memory: &Memory) -> Option<Plan> {
    let reason = match &seen.foreign {
        Some(other) => Reason::NotOurs(other.clone()),
        None if seen.target.paused => Reason::Paused,
        None => return None,
    };
    let paused = memory.paused || reason == Reason::Paused;
    let hold = crate::Hold { scope: crate::hold::Scope::Set, reason, keys: Vec::new(), cause: None };
    Some(Plan { memory: Memory { paused, ..memory.clone() }, holds: vec![hold], ..Plan::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{memory, record, stopped_set};

    #[test]
    fn that_a_set_was_paused_is_written_down_and_stays_while_another_looks_after_it() {
        let (mut seen, known) = (stopped_set(1), memory([record(0).confirmed_in(1)]));
        seen.target.paused = true;
        let paused = decide(&seen, &known).memory;
        assert_eq!(paused, Memory { paused: true, ..known.clone() });
        seen.target.paused = false;
        seen.foreign = Some("other".to_owned());
        assert_eq!(decide(&seen, &paused).memory, paused);
        assert_eq!(decide(&seen, &known).memory, known, "it was not paused");
    }
}
