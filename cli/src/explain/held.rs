//! What each replica is known to hold: who decides something about them is told that first.

use std::fmt::{self, Display, Formatter};

use k8s_openapi::jiff::Timestamp;
use operator::api::SetStatus;
use serde::Serialize;

use super::data::Data;
use super::member::{self, Member};
use super::missing::{self, Missing};
use super::text::table;

/// All replicas of a set.
#[derive(Debug, Serialize)]
pub(crate) struct Held {
    members: Vec<Member>,
    /// In an outage: what is known of data that is not there.
    missing: Vec<Missing>,
}

impl Held {
    pub(super) fn of(status: &SetStatus, data: &Data, now: Timestamp) -> Self {
        Self { members: member::members(status, data, now), missing: missing::missing(status, data) }
    }

    /// What is known of a replica's data that was not read since it stopped, in words.
    pub(super) fn last_known(&self, replica: &str) -> Option<String> {
        self.members.iter().find(|member| member.name == replica)?.last_known()
    }
}

impl Display for Held {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.missing.iter().try_for_each(|missing| writeln!(f, "  why      {missing}"))?;
        table(&self.members, f)
    }
}
