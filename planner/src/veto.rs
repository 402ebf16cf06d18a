//! What the data allows of a policy's proposal. A veto is the host's word, not a policy's.

use crate::decision::Verdict;
use crate::hold::Reason;
use crate::look::Look;
use crate::names::ReplicaName;
use crate::record::Record;

/// The seed that the policy proposes, if it is one of those that hold all data.
pub(crate) fn seed(look: &Look<'_>, candidates: &[&Record]) -> Result<(ReplicaName, String), Reason> {
    let verdicts = &look.seen.verdicts;
    if let Some(why) = &verdicts.unavailable {
        return Err(Reason::PolicyUnavailable(why.clone()));
    }
    match &verdicts.seed {
        None => Err(Reason::NoSeedVerdict("it was not asked yet".to_owned())),
        Some(Verdict::Missing(why)) => Err(Reason::NoSeedVerdict(why.clone())),
        Some(Verdict::Proposed { answer, why }) => {
            let is_one = candidates.iter().any(|record| look.home(&record.holder) == Some(answer));
            let veto = "it does not hold all data that the set is known to hold";
            is_one
                .then(|| (answer.clone(), why.clone()))
                .ok_or_else(|| Reason::SeedRefused { proposed: answer.clone(), why: veto.to_owned() })
        }
    }
}

/// The primary that a member is to follow, if it is one that runs.
pub(crate) fn leader<'v>(
    look: &Look<'_>,
    member: &ReplicaName,
    proposed: Option<&'v ReplicaName>,
) -> Result<Option<&'v ReplicaName>, Reason> {
    match proposed {
        Some(name) if !look.live_primaries().any(|primary| primary == name) => {
            let why = "that is not a running primary".to_owned();
            Err(Reason::LeaderRefused { member: member.clone(), proposed: name.clone(), why })
        }
        known => Ok(known),
    }
}

fn not_an_order(members: &[ReplicaName]) -> String {
    let names: Vec<&str> = members.iter().map(|name| name.0.as_str()).collect();
    format!("it is not an order of {}", names.join(", "))
}

/// The order that the policy gives, if it is an order of exactly those members.
pub(crate) fn order(look: &Look<'_>, members: &[ReplicaName]) -> Result<Vec<ReplicaName>, Reason> {
    let verdicts = &look.seen.verdicts;
    if let Some(why) = &verdicts.unavailable {
        return Err(Reason::PolicyUnavailable(why.clone()));
    }
    match &verdicts.primaries {
        None => Err(Reason::NoOrderVerdict("it was not asked yet".to_owned())),
        Some(Verdict::Missing(why)) => Err(Reason::NoOrderVerdict(why.clone())),
        Some(Verdict::Proposed { answer, .. }) => {
            let (mut given, mut wanted) = (answer.clone(), members.to_vec());
            given.sort();
            wanted.sort();
            let same = given == wanted;
            same.then(|| answer.clone())
                .ok_or_else(|| Reason::OrderRefused { proposed: answer.clone(), why: not_an_order(members) })
        }
    }
}
