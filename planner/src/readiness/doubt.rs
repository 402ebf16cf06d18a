//! Why it cannot be said whether a lights-out would be recovered, in words.

use crate::hold::Reason;
use crate::names::ReplicaName;
use std::fmt;

/// Why it cannot be said whether a lights-out would be recovered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// No member runs: what is done about that is no rehearsal.
    Outage,
    /// The member was not asked yet since its last start; and who is not well, for whose sake nobody is asked.
    NotAsked(ReplicaName, Option<ReplicaName>),
    /// It was asked, and gave no position while it ran.
    NotHeard(ReplicaName, String),
    /// What it said is too old; and who is not well, for whose sake nobody is asked anew.
    Stale(ReplicaName, Option<ReplicaName>),
    /// Nobody can be sure how the member is.
    Unheard(ReplicaName, String),
    /// Other things would be done first.
    Changing,
    /// This would have to end first, as it does by itself.
    Passing(Reason),
}

impl Doubt {
    /// The stable name: condition reason.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Outage => "NoMemberServes",
            Self::NotAsked(..) => "NotAsked",
            Self::NotHeard(..) => "NotHeard",
            Self::Stale(..) => "Stale",
            Self::Unheard(..) => "Unheard",
            Self::Changing | Self::Passing(_) => "Changing",
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outage => write!(f, "no member runs"),
            Self::NotAsked(name, keeps) => {
                write!(f, "{name} was not asked what it holds since its last start")?;
                while_unwell(f, keeps.as_ref())
            }
            Self::NotHeard(name, why) => write!(f, "{name} gave no position while it ran: {why}"),
            Self::Stale(name, keeps) => {
                write!(f, "what {name} said of its data is too old")?;
                while_unwell(f, keeps.as_ref())
            }
            Self::Unheard(name, why) => write!(f, "it is not known how {name} is: {why}"),
            Self::Changing => write!(f, "something else would be done first"),
            Self::Passing(reason) => write!(f, "this would have to end first: {reason}"),
        }
    }
}

/// Who is waited for before anybody is asked.
fn while_unwell(f: &mut fmt::Formatter<'_>, keeps: Option<&ReplicaName>) -> fmt::Result {
    keeps.map_or(Ok(()), |who| write!(f, ": nobody is asked while {who} is not well"))
}
