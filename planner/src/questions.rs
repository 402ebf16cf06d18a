//! What the policy is asked in this round, and about whom.

use crate::app_state::AppState;
use crate::decide::known;
use crate::decision::Questions;
use crate::look::Look;
use crate::memory::Memory;
use crate::names::ReplicaName;
use crate::observation::Observation;
use crate::ordering::{candidate, members};
use crate::seeding::candidates;

/// The questions of this look; `Verdicts::readings` must be filled in before.
#[must_use]
pub fn questions(seen: &Observation, memory: &Memory) -> Questions {
    let (look, _) = known(seen, memory);
    let ordered = members(&look);
    Questions {
        seed: look.memory.outage.is_some().then(|| seed(&look)).filter(|list| !list.is_empty()),
        primaries: (!ordered.is_empty()).then(|| ordered.iter().map(|name| candidate(&look, name)).collect()),
        replicas: if look.target().has_secondary { others(&look, &ordered) } else { Vec::new() },
        leaders: leaders(&look),
    }
}

/// A policy is offered whom the host lets a member follow, and nobody else.
fn leaders(look: &Look<'_>) -> Vec<ReplicaName> {
    let mut live: Vec<&ReplicaName> = look.live_primaries().collect();
    live.sort_by_key(|name| look.place(name));
    live.into_iter().cloned().collect()
}

fn seed(look: &Look<'_>) -> Vec<crate::decision::Candidate> {
    candidates(look)
        .iter()
        .filter_map(|record| look.home(&record.holder))
        .map(|name| candidate(look, name))
        .collect()
}

fn others(look: &Look<'_>, ordered: &[ReplicaName]) -> Vec<crate::decision::Candidate> {
    ordered
        .iter()
        .filter(|name| *look.state(name) != AppState::Primary)
        .map(|name| candidate(look, name))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{memory, record, running};

    #[test]
    fn whom_a_policy_may_name_to_follow_are_the_live_primaries_by_their_ordinals() {
        let mut seen = running(11).answers(3, 7);
        seen.target.has_secondary = true;
        seen = [10, 2].into_iter().fold(seen, |seen, ordinal| seen.answers(ordinal, 8));
        let known = memory((0..11).map(|n| record(n).confirmed_in(1).open_start(&format!("a{n}"))));
        let leaders: Vec<String> = questions(&seen, &known).leaders.into_iter().map(|name| name.0).collect();
        assert_eq!(leaders, ["x-2", "x-10"]);
    }
}
