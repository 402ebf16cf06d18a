//! What a policy of the operator's own said, as it would be said by a component: records have one form.

use planner::decision::{self, Judgement, Verdict};
use planner::names::ReplicaName;
use planner::record::Reading as Read;

use crate::policy::answer::{Answer, Found, Ordered, Proposal, Proposed, Reading, Said, Treated, Treatment};

/// An answer, or why there is none.
type Told = Result<Answer, String>;

pub(in crate::policy) fn judgement_said(judgement: &Judgement) -> Told {
    let facts = judgement.facts.iter().cloned().collect();
    let (reading, why) = match &judgement.reading {
        Read::At(position) => (Reading::At(Found { position: position.clone(), facts }), String::new()),
        Read::Empty => (Reading::Empty, String::new()),
        Read::Unreadable(why) => (Reading::Unreadable, why.clone()),
    };
    Ok(Answer::Sequence(Said { reading, why }))
}

pub(in crate::policy) fn proposal_said(verdict: &Verdict<ReplicaName>) -> Told {
    let (proposal, why) = match verdict {
        Verdict::Proposed { answer, why } => (Proposal::Replica(answer.0.clone()), why),
        Verdict::Missing(why) => (Proposal::Refuse, why),
    };
    Ok(Answer::Seed(Proposed { proposal, why: why.clone() }))
}

pub(in crate::policy) fn ordering_said(verdict: &Verdict<Vec<ReplicaName>>) -> Told {
    match verdict {
        Verdict::Proposed { answer, why } => {
            let ordering = answer.iter().map(|name| name.0.clone()).collect();
            Ok(Answer::Primaries(Ordered { ordering, why: why.clone() }))
        }
        Verdict::Missing(why) => Err(why.clone()),
    }
}

pub(in crate::policy) fn treatment_said(verdict: &Verdict<decision::Treatment>) -> Told {
    let (answer, why) = match verdict {
        Verdict::Proposed { answer, why } => (answer, why),
        Verdict::Missing(why) => return Err(why.clone()),
    };
    let treatment = match answer {
        decision::Treatment::RunSecondary { follow } => {
            Treatment::RunSecondary(follow.as_ref().map(|name| name.0.clone()))
        }
        decision::Treatment::LeaveStopped => Treatment::LeaveStopped,
        decision::Treatment::Hold(_) => Treatment::Hold,
    };
    Ok(Answer::Replicas(Treated { treatment, why: why.clone() }))
}
