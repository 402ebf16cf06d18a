//! The words of events.

use crate::api;

/// The words of events: the planner's news and holds, and the shell's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// No member runs any more.
    OutageNoticed,
    /// A seed was chosen.
    SeedChosen,
    /// Another order of primaries is followed.
    OrderChosen,
    /// An epoch began.
    EpochOpened,
    /// A member was confirmed.
    Joined,
    /// A member was found running.
    Adopted,
    /// A set without claims lost all its data.
    DataGone,
    /// The database made a new lineage.
    LineageChanged,
    /// A person's key was used.
    KeyUsed,
    /// A person's key was refused.
    KeyRefused,
    /// A promotion lost what the old primary may hold.
    LossAccepted,
    /// A hold that only a person can end; the word is the hold's.
    Hold(&'static str),
    /// The shell's own.
    Shell(api::Reason),
}

impl Reason {
    /// The word as it stands in the event.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OutageNoticed => "OutageNoticed",
            Self::SeedChosen => "SeedChosen",
            Self::OrderChosen => "OrderChosen",
            Self::EpochOpened => "EpochOpened",
            Self::Joined => "Joined",
            Self::Adopted => "Adopted",
            Self::DataGone => "DataGone",
            Self::LineageChanged => "LineageChanged",
            Self::KeyUsed => "KeyUsed",
            Self::KeyRefused => "KeyRefused",
            Self::LossAccepted => "LossAccepted",
            Self::Hold(name) => name,
            Self::Shell(reason) => reason.as_str(),
        }
    }
}
