//! What changed with the candidate of a set: whether it is asked, and that it would have decided otherwise.

use super::{Happened, Reason};
use crate::api::condition::{ConditionType, get};
use crate::api::{self, CandidateStatus, SetStatus};
use crate::policy::Heard;
use crate::report::words;

/// What the status before did not tell: why the candidate is not asked, and the first of its differences.
#[must_use]
pub fn of_candidate(candidate: Option<&Heard>, before: &SetStatus) -> Vec<Happened> {
    let Some(Heard { status, obstacle, is_asked }) = candidate else { return Vec::new() };
    let mut all = Vec::new();
    if let Some(obstacle) = obstacle.as_ref().filter(|one| one.reason != api::Reason::PolicyLoading) {
        let known = get(&before.conditions, ConditionType::CandidateReady);
        let is_known = known
            .is_some_and(|told| told.reason == obstacle.reason.as_str() && told.message == obstacle.message);
        if !is_known {
            let so =
                if *is_asked { "the candidate goes on being asked" } else { "the candidate is not asked" };
            let note = format!("{so}: {}; nothing waits for it", obstacle.message);
            all.push(happened(obstacle.reason, true, note));
        }
    }
    let known = before.policy.as_ref().and_then(|policy| policy.candidate.as_deref());
    all.extend(status.as_ref().filter(|status| is_first(status, known)).and_then(difference));
    all
}

/// Whether it is the first since this candidate is compared with this policy.
fn is_first(now: &CandidateStatus, before: Option<&CandidateStatus>) -> bool {
    let is_same =
        |before: &CandidateStatus| before.since == now.since && before.policy().answers_as(&now.policy());
    let is_known = before.is_some_and(|before| is_same(before) && before.disagreed > 0);
    now.disagreed > 0 && !is_known
}

/// In the words of the status.
fn difference(candidate: &CandidateStatus) -> Option<Happened> {
    let mut differs = candidate.disagreements.iter().filter(|one| one.0["failure"].is_null());
    let what = differs.next().and_then(|one| one.0["difference"].as_str());
    let who = words::policy(Some(&candidate.policy()));
    let what = what.unwrap_or("its record is too large to be kept");
    let note = format!("candidate {who}, which nobody follows, would decide otherwise: {what}");
    Some(happened(api::Reason::CandidateDisagrees, false, note))
}

fn happened(reason: api::Reason, is_warning: bool, note: String) -> Happened {
    Happened { reason: Reason::Shell(reason), is_warning, replica: None, note }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{Decision, PolicyStatus};
    use crate::policy::{Digest, Obstacle};
    use serde_json::json;

    fn heard(disagreed: i64, obstacle: Option<Obstacle>) -> Heard {
        let differs = json!({"difference": "seed: x-1; decided was: x-0"});
        let status = CandidateStatus {
            digest: Some(Digest::of(b"")),
            name: Some("guest".to_owned()),
            disagreed,
            disagreements: vec![
                Decision(json!({"failure": "it trapped", "difference": ""}).into()),
                Decision(differs.into()),
            ],
            ..CandidateStatus::default()
        };
        Heard { status: Some(status), is_asked: obstacle.is_none(), obstacle }
    }

    fn told(heard: &Heard) -> SetStatus {
        let candidate = heard.status.clone().map(Box::new);
        let mut status = SetStatus {
            policy: Some(PolicyStatus { candidate, ..PolicyStatus::default() }),
            ..SetStatus::default()
        };
        if let Some(Obstacle { reason, message }) = &heard.obstacle {
            let condition = json!([{"type": "CandidateReady", "status": "False", "reason": reason.as_str(),
                "message": message, "lastTransitionTime": "2026-01-01T00:00:00Z"}]);
            status.conditions = serde_json::from_value(condition).unwrap();
        }
        status
    }

    fn words(heard: &Heard, before: &SetStatus) -> Vec<&'static str> {
        of_candidate(Some(heard), before).iter().map(|one| one.reason.as_str()).collect()
    }

    #[test]
    fn the_first_difference_is_told_in_the_words_of_the_status_and_no_other() {
        let (none, one, two) = (heard(0, None), heard(1, None), heard(2, None));
        assert_eq!(words(&none, &SetStatus::default()), [""; 0]);
        let happened = of_candidate(Some(&one), &told(&none));
        assert_eq!(happened.len(), 1);
        let expected = "would decide otherwise: seed: x-1; decided was: x-0";
        assert!(happened[0].note.ends_with(expected), "{}", happened[0].note);
        assert_eq!(words(&two, &told(&one)), [""; 0]);
        assert_eq!(of_candidate(None, &told(&one)), []);
    }

    #[test]
    fn why_it_is_not_asked_is_told_once_and_that_it_comes_is_no_news() {
        let obstacle = |reason| Some(Obstacle { reason, message: "it is text".to_owned() });
        let refused = heard(0, obstacle(api::Reason::PolicyRefused));
        assert_eq!(words(&refused, &SetStatus::default()), ["PolicyRefused"]);
        assert_eq!(words(&refused, &told(&refused)), [""; 0]);
        let comes = heard(0, obstacle(api::Reason::PolicyLoading));
        assert_eq!(words(&comes, &SetStatus::default()), [""; 0]);
    }
}
