//! The result of the last request of a watch.

/// The result of the last request of a watch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Answer {
    /// No request was answered yet.
    #[default]
    Awaited,
    /// Nothing was listed yet, and the last request failed.
    Refused(String),
    /// The cache holds what the API server holds.
    Listed,
    /// The cache was full once. The last request failed, so the cache may be out of date.
    Stale(String),
}

// === impl Answer ===

impl Answer {
    /// A whole list was answered once.
    pub(super) fn is_filled(&self) -> bool {
        matches!(self, Self::Listed | Self::Stale(_))
    }

    /// The reason why there is no answer now, for people.
    pub(super) fn why(&self) -> Option<&str> {
        match self {
            Self::Awaited => Some("no answer yet"),
            Self::Refused(why) | Self::Stale(why) => Some(why),
            Self::Listed => None,
        }
    }
}
