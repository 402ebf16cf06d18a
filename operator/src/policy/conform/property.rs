//! What must be true of any policy, by name.

use crate::policy::interface::Interface;

/// What must be true. The order is that in which people are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Property {
    /// Every question has an answer, however odd.
    Answers,
    /// The same question has the same answer, for the same fuel.
    SameTwice,
    /// A command that failed says nothing of the data.
    FailureIsUnreadable,
    /// An output that was cut says nothing of the data.
    CutIsUnreadable,
    /// Of an output without a word nobody knows a position.
    NothingIsNoPosition,
    /// An output of noise is unreadable; neither a position nor the lack of data is read from it.
    NoiseIsUnreadable,
    /// Only names that were given come back.
    NamesAreKnown,
    /// An order is of all that were given.
    OrdersAreWhole,
    /// A position or fact is within its bounds.
    WellFormed,
    /// The order in which members are given means nothing.
    OrderMeansNothing,
}

impl Property {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Answers,
        Self::SameTwice,
        Self::FailureIsUnreadable,
        Self::CutIsUnreadable,
        Self::NothingIsNoPosition,
        Self::NoiseIsUnreadable,
        Self::NamesAreKnown,
        Self::OrdersAreWhole,
        Self::WellFormed,
        Self::OrderMeansNothing,
    ];

    /// What must be true, for people.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Answers => "every question has an answer, however odd",
            Self::SameTwice => "the same question has the same answer, for the same fuel",
            Self::FailureIsUnreadable => "a command that failed says nothing of the data",
            Self::CutIsUnreadable => "an output that was cut says nothing of the data",
            Self::NothingIsNoPosition => "an output without a word is no position",
            Self::NoiseIsUnreadable => "noise is unreadable: neither a position nor the lack of data",
            Self::NamesAreKnown => "only names that were given come back",
            Self::OrdersAreWhole => "an order is of all that were given, each once",
            Self::WellFormed => "positions and facts are well-formed and within their bounds",
            Self::OrderMeansNothing => "the order in which members are given means nothing",
        }
    }

    /// Whether questions through this interface can show that it is not true.
    #[must_use]
    pub fn concerns(self, interface: Interface) -> bool {
        use Interface as I;
        match self {
            Self::Answers | Self::SameTwice => interface.decides(),
            Self::FailureIsUnreadable
            | Self::CutIsUnreadable
            | Self::NothingIsNoPosition
            | Self::NoiseIsUnreadable
            | Self::WellFormed => interface == I::Sequence,
            Self::NamesAreKnown => matches!(interface, I::Seed | I::Primaries | I::Replicas),
            Self::OrdersAreWhole => interface == I::Primaries,
            Self::OrderMeansNothing => matches!(interface, I::Seed | I::Primaries),
        }
    }
}
