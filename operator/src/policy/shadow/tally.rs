//! What was counted of a candidate, and what of it people are told.

use std::time::{Duration, Instant};

use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::agreement::{Agreement, compare, words};
use super::queue::Asked;
use crate::api::{CandidateStatus, Decision, PolicyStatus};
use crate::policy::Interface;
use crate::policy::question::Question;
use crate::policy::record::{Outcome, Record};

/// Bytes of JSON that the records of differences may have. Those of decisions have four times as much.
const MOST_BYTES: usize = 32 * 1024;

/// How often mere numbers are told at most. In a set that is written to, each look may put another question.
const OFTEN: Duration = Duration::from_secs(30);

/// What was counted, and what of it people were told.
pub(super) struct Tally {
    status: CandidateStatus,
    /// Who decided.
    against: Option<PolicyStatus>,
    told: Option<CandidateStatus>,
    told_at: Option<Instant>,
}

/// How many records are kept of an interface.
fn most(interface: Interface) -> usize {
    match interface {
        Interface::Seed => 4,
        Interface::Sequence | Interface::Primaries | Interface::Replicas => 2,
        Interface::Metadata => 0,
    }
}

impl Tally {
    /// Goes on with what the status tells.
    pub(super) fn new(told: Option<CandidateStatus>, against: Option<PolicyStatus>) -> Self {
        Self { status: told.clone().unwrap_or_default(), against, told, told_at: None }
    }

    /// This one decides now. Whether another did before: all is counted anew then.
    pub(super) fn decided_by(&mut self, policy: &PolicyStatus, now: Timestamp) -> bool {
        let is_another = self.against.as_ref().is_some_and(|before| !before.answers_as(policy));
        if is_another {
            self.begin_anew(&self.status.policy(), now);
        }
        self.against = Some(policy.clone());
        is_another
    }

    /// This one is asked from now on. Whether another was before: all is counted anew then.
    pub(super) fn asks(&mut self, candidate: &PolicyStatus, now: Timestamp) -> bool {
        let (is_first, before) = (self.is_of_nobody(), self.status.policy());
        if is_first || !before.answers_as(candidate) {
            let skipped = if is_first { self.status.skipped } else { 0 };
            self.begin_anew(candidate, now);
            self.status.skipped = skipped;
            return !is_first;
        }
        // The same one may have another name by now.
        let CandidateStatus { since, agreed, disagreed, failed, skipped, disagreements, .. } =
            std::mem::take(&mut self.status);
        let named = CandidateStatus::of(candidate);
        self.status = CandidateStatus { since, agreed, disagreed, failed, skipped, disagreements, ..named };
        false
    }

    fn begin_anew(&mut self, candidate: &PolicyStatus, now: Timestamp) {
        // The status has whole seconds: with more than it keeps, each look would find it changed.
        let since = Timestamp::from_second(now.as_second()).unwrap_or(now);
        self.status = CandidateStatus { since: Some(Time(since)), ..CandidateStatus::of(candidate) };
    }

    /// Counts what the candidate made of a question, and keeps it if it is not what was decided.
    pub(super) fn count(&mut self, asked: &Asked, record: Record) {
        match compare(&asked.decided, &record) {
            Agreement::Agreed => return self.status.agreed += 1,
            Agreement::Disagreed => self.status.disagreed += 1,
            Agreement::Failed => self.status.failed += 1,
        }
        let Asked { decided: was, .. } = asked;
        let difference = words(was, &record);
        let interface = was.question.interface();
        let Ok(Value::Object(mut json)) = serde_json::to_value(record) else { return };
        let mut decided = json!({"policy": was.policy});
        if !was.vetoes.is_empty() {
            decided["vetoes"] = json!(was.vetoes);
        }
        match &was.outcome {
            Outcome::Answered(answer) => decided["answer"] = json!(answer),
            Outcome::Failed(why) => decided["failure"] = json!(why),
        }
        json.insert("decided".to_owned(), decided);
        json.insert("difference".to_owned(), difference.into());
        self.keep(interface, Value::Object(json));
    }

    /// Of a seed each is kept; what else differs in the same way again is counted alone.
    fn keep(&mut self, interface: Interface, record: Value) {
        let kept = &mut self.status.disagreements;
        let is_known = kept.iter().any(|one| one.0["difference"] == record["difference"]);
        // One that has no room by itself would cost all that is kept.
        if is_known && interface != Interface::Seed || record.to_string().len() > MOST_BYTES {
            return;
        }
        kept.push(Decision(record.into()));
        let is_of = |one: &Decision| one.0["interface"] == interface.versioned();
        while kept.iter().filter(|one| is_of(one)).count() > most(interface) {
            let oldest = kept.iter().position(is_of).unwrap_or_default();
            kept.remove(oldest);
        }
        let bytes = |kept: &[Decision]| kept.iter().map(|one| one.0.to_string().len()).sum::<usize>();
        while bytes(kept) > MOST_BYTES {
            kept.remove(0);
        }
    }

    /// Counts a question of which nothing came.
    pub(super) fn fail(&mut self) {
        self.status.failed += 1;
    }

    /// Counts a question that was not put.
    pub(super) fn skip(&mut self) {
        self.status.skipped += 1;
    }

    /// The questions of the records that are kept.
    pub(super) fn questions(&self) -> impl Iterator<Item = Question> {
        let records = self.status.disagreements.iter();
        records.filter_map(|one| Record::deserialize(&*one.0).ok()).map(|one| one.question)
    }

    /// What stands in the status: the newest, or what was told last if only numbers went up a moment ago.
    pub(super) fn tell(&mut self, now: Instant) -> Option<CandidateStatus> {
        if self.is_news(now) {
            self.told = Some(self.status.clone());
            self.told_at = Some(now);
        }
        self.told.clone()
    }

    /// Whether there is something that is to be told now.
    pub(super) fn is_news(&self, now: Instant) -> bool {
        if self.is_of_nobody() || self.told.as_ref() == Some(&self.status) {
            return false;
        }
        let rested = self.told_at.is_none_or(|at| now.duration_since(at) >= OFTEN);
        let Some(told) = self.told.as_ref().filter(|_| !rested) else { return true };
        let status = &self.status;
        let is_first = |before: i64, after: i64| before == 0 && after > 0;
        told.since != status.since
            || told.policy() != status.policy()
            || is_first(told.agreed, status.agreed)
            || is_first(told.disagreed, status.disagreed)
            || is_first(told.failed, status.failed)
    }

    fn is_of_nobody(&self) -> bool {
        self.status.builtin.is_none() && self.status.digest.is_none()
    }
}

#[cfg(test)]
mod tests;
