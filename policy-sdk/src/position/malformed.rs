use std::fmt;

/// What is wrong with a text that should be a position: for people, so not to be taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(pub(super) String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Malformed {}

impl From<Malformed> for String {
    fn from(malformed: Malformed) -> Self {
        malformed.0
    }
}
