//! What the audit found wrong.

use crate::names::ReplicaName;
use std::fmt;

/// One guarantee that a plan breaks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Breach {
    /// Which guarantee.
    pub rule: Rule,
    /// Of which replica, if of one.
    pub replica: Option<ReplicaName>,
    /// What breaks it.
    pub what: String,
}

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident: $sentence:literal,)*) => {
        /// The guarantees.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Rule {
            $($(#[$doc])* $name,)*
        }

        impl Rule {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The stable name: condition reason, event reason and metric label.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                }
            }

            /// The guarantee, in one sentence.
            #[must_use]
            pub const fn sentence(self) -> &'static str {
                match self {
                    $(Self::$name => $sentence,)*
                }
            }
        }
    };
}

rules! {
    /// 4.12, and `paused`.
    HandsOff: "a set that is paused or another's is not touched",
    /// Section 2, Plan.
    Alone: "one step per replica; what changes the set goes alone",
    /// 4.1.
    WrongPlace: "a command begins only where it was meant",
    /// 4.1.
    SecondCommand: "at most one guarded command per container",
    /// 4.1.
    LockFlag: "the volume lock is asked for exactly when data is to be opened or read at rest",
    /// 4.1, 4.2.
    LockMark: "what is known of a lock was seen by a guarded command",
    /// Section 2, Start.
    Unpromised: "a start is written down before it is sent, and as it is sent",
    /// 4.2.
    SecondStart: "no start on data that an open one may have brought to life",
    /// 4.2.
    Unproven: "a start is closed by proof only",
    /// Section 2, Holder.
    Forgotten: "what was promised is not forgotten",
    /// Section 2, Epoch.
    Epoch: "an epoch, and who belongs to it, comes from a member seen running",
    /// Section 2, Reading.
    Reading: "a reading comes from a command of ours, at rest, after the last start",
    /// Section 2, Outage; 4.4.
    Candidates: "the candidates of an outage only become fewer",
    /// 4.2.
    SecondSeed: "never two seeds",
    /// 4.3, 4.5.
    Unread: "nobody seeds before all who owe a reading were read",
    /// 4.4.
    LosesData: "the seed includes what the rest holds",
    /// 4.6.
    Join: "a join destroys no data that the set does not hold elsewhere",
    /// 4.7.
    Fence: "the old primary is fenced before another is promoted",
    /// 4.8.
    Repair: "a repair has a cause that the evidence shows",
    /// 4.8.
    LastServer: "the last member that serves, or may, is left alone",
    /// 4.8.
    DataAlone: "data that ends with its pod is not ended while nobody else is known to hold it",
    /// 4.8.
    Stop: "a running member is stopped only as the resource asks",
    /// 4.9.
    Label: "labels follow knowledge",
    /// 4.8.
    Size: "no pod is taken away from a member that may run",
    /// 4.10.
    Key: "a key opens once, and only on the facts that it was given for",
    /// 4.10.
    Consent: "a set goes on from a member with a person's word, where one is asked for",
    /// 4.10.
    Offer: "no key is offered that gives up what a correction brings back, or all data that is there",
    /// Section 2, Rehearsal.
    Rehearsal: "members are asked while they run only in a set that is well, and no reading comes of it",
}

impl Breach {
    /// A breach of the whole set.
    pub(super) fn of_set(rule: Rule, what: impl Into<String>) -> Self {
        Self { rule, replica: None, what: what.into() }
    }

    /// A breach at one replica.
    pub(super) fn at(rule: Rule, replica: &ReplicaName, what: impl Into<String>) -> Self {
        Self { rule, replica: Some(replica.clone()), what: what.into() }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.rule.sentence())?;
        if let Some(replica) = &self.replica {
            write!(f, "{replica}: ")?;
        }
        f.write_str(&self.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::name;

    #[test]
    fn a_breach_is_told_with_the_guarantee_and_the_replica() {
        assert_eq!(Rule::SecondSeed.to_string(), "SecondSeed");
        for (breach, told) in [
            (Breach::of_set(Rule::SecondSeed, "two start"), "never two seeds: two start"),
            (Breach::at(Rule::SecondSeed, &name(1), "it runs"), "never two seeds: x-1: it runs"),
        ] {
            assert_eq!(breach.to_string(), told);
        }
    }
}
