//! The last choice of a seed: who was offered, who was chosen and why, and how far the others were behind.

use k8s_openapi::jiff::Timestamp;
use operator::api::{ReplicaStatus, SetStatus};
use operator::policy::answer::{Answer, Proposal};
use operator::policy::question::Question;
use operator::policy::record::{By, Outcome, Record};
use operator::report::words;
use serde::{Deserialize, Serialize};

use super::at::At;
use super::data::Data;
use super::known::{Compared, Extent};
use super::nobody_serves_since;

/// A choice.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Seed {
    pub(super) at: Option<String>,
    /// Whom the policy proposed; nobody, if it refused or gave no answer.
    pub(super) proposed: Option<String>,
    /// In its own words, or why there is no answer.
    pub(super) why: String,
    /// The policy that was asked, in few words; none if that is not recorded.
    pub(super) by: Option<String>,
    /// Why the operator did not follow.
    pub(super) refused_because: Vec<String>,
    /// Those that hold all data.
    pub(super) offered: Vec<Offered>,
    pub(super) not_offered: Vec<NotOffered>,
}

#[derive(Debug, Serialize)]
pub(super) struct Offered {
    pub(super) name: String,
    pub(super) position: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct NotOffered {
    pub(super) name: String,
    /// What was read of it in the last outage.
    pub(super) last_read: Option<String>,
    /// Where nothing was: while that outage goes on, what is known of it from before.
    pub(super) last_known: Option<At>,
    /// How that stands to what those that were offered hold.
    pub(super) beside: Beside,
}

/// How one that was not offered stands to those that were.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Beside {
    BehindBy(Extent),
    Same,
    AheadBy(Extent),
    /// It was started as the seed in this outage, and that came to nothing.
    TriedAsSeed,
    /// A person gave it up.
    GivenUp,
    Parted {
        lacks: Extent,
        alone: Extent,
    },
    NotCompared,
}

/// The choices that were recorded, the newest first.
fn asked(status: &SetStatus) -> impl Iterator<Item = Record> {
    let records = status.decisions.iter().rev().filter_map(|one| Record::deserialize(&*one.0).ok());
    records.filter(|record| matches!(record.question, Question::Seed(_)))
}

/// Those since nobody serves, if it is known since when that is so.
pub(super) fn asked_in_outage(status: &SetStatus) -> impl Iterator<Item = Record> {
    let since = nobody_serves_since(status);
    asked(status).filter(move |record| {
        let at: Option<Timestamp> = record.at.as_ref().and_then(|at| at.parse().ok());
        at.zip(since).is_some_and(|(at, since)| at >= since)
    })
}

impl Seed {
    /// The newest that was recorded; in an outage one of it.
    pub(super) fn of(status: &SetStatus, data: &Data) -> Option<Self> {
        let newest = match data.is_outage() {
            true => asked_in_outage(status).next(),
            false => asked(status).next(),
        };
        Self::recorded(newest?, status, data)
    }

    fn recorded(record: Record, status: &SetStatus, data: &Data) -> Option<Self> {
        let Question::Seed(input) = record.question else { return None };
        let (proposed, why) = match record.outcome {
            Outcome::Answered(Answer::Seed(answer)) => match answer.proposal {
                Proposal::Replica(name) => (Some(name), answer.why),
                Proposal::Refuse => (None, answer.why),
            },
            Outcome::Answered(_) => (None, String::new()),
            Outcome::Failed(why) => (None, why),
        };
        let of = |name: &str| input.candidates.iter().find(|one| one.name == name);
        let held = input.candidates.iter().find_map(|one| one.position.clone());
        let rest = status.replica_states.iter().filter(|replica| of(&replica.name).is_none());
        let not_offered = rest.map(|replica| NotOffered::of(replica, held.clone(), data)).collect();
        let text = |position: &planner::Position| position.to_string();
        let offered = input
            .candidates
            .iter()
            .map(|one| Offered { name: one.name.clone(), position: one.position.as_ref().map(text) });
        Some(Self {
            at: record.at,
            proposed,
            why,
            by: record.policy.as_ref().map(by),
            refused_because: record.vetoes,
            offered: offered.collect(),
            not_offered,
        })
    }
}

impl NotOffered {
    fn of(replica: &ReplicaStatus, held: Option<planner::Position>, data: &Data) -> Self {
        let known = data.read_in_last_outage(&replica.name);
        let compared =
            held.zip(known.as_ref()).map(|(held, known)| known.compared(&data.in_last_outage(held)));
        Self {
            name: replica.name.clone(),
            last_known: data
                .record(&replica.name)
                .filter(|_| known.is_none() && data.is_outage())
                .and_then(|record| data.known(record).as_ref().map(At::of)),
            last_read: known.map(|known| known.position.to_string()),
            beside: match compared {
                _ if data.was_tried(&replica.name) => Beside::TriedAsSeed,
                _ if data.record(&replica.name).is_some_and(|record| record.waived) => Beside::GivenUp,
                Some(Compared::Behind(extent)) => Beside::BehindBy(extent),
                Some(Compared::Same) => Beside::Same,
                Some(Compared::Ahead(extent)) => Beside::AheadBy(extent),
                Some(Compared::Parted { lacks, alone }) => Beside::Parted { lacks, alone },
                Some(Compared::Not) | None => Beside::NotCompared,
            },
        }
    }
}

/// A policy in few words: what events write after "policy".
fn by(policy: &By) -> String {
    let told = words::by(policy);
    told.strip_prefix("policy ").map_or_else(|| told.clone(), str::to_owned)
}
