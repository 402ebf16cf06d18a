//! Signatures of policies, as `cosign sign --key` makes them: whether what a registry holds as one is one, by which key,
//! and of which image. Here is neither a network nor a clock: a key counts until somebody takes it out of the list.
//!
//! Two forms are known: [`simple_signing`] (cosign 1 and 2, and 3 where it is told so) and [`bundle`] (cosign 3). Of
//! neither is a certificate, a time stamp or an entry in a public log read, so nothing but registry and key is needed:
//! docs/decisions/0010-cosign.md.
//!
//! What is not signed yet is not believed: a statement is parsed after its signature was found good.

pub mod bundle;
mod demand;
#[cfg(test)]
mod fuzzed;
mod key;
pub mod simple_signing;
mod spki;
mod usable;

pub(super) use demand::Search;
pub use demand::{Demand, Unsigned};
pub use key::{Key, MOST, NotAKey, TooMany, at_most};

use super::Digest;

/// A signature, over the bytes that say what it is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signed {
    /// What was signed, to the byte.
    message: Vec<u8>,
    /// In the form of the key's algorithm.
    signature: Vec<u8>,
    statement: Statement,
}

/// What says of what a signature is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Statement {
    /// The message itself.
    SimpleSigning,
    /// These bytes of the message, an in-toto statement.
    InToto(Vec<u8>),
}

/// Why something that a registry holds as a signature does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum WhyNot {
    /// No key that is asked for made it.
    #[error("by another key")]
    OtherKey,
    /// A key that is asked for made it, for something else.
    #[error("of another image")]
    OtherImage,
    /// A key that is asked for signed what is no approval of an image: an attestation, for one.
    #[error("no signature of an image but a statement of another kind")]
    OtherKind,
    /// It cannot be read as what it claims to be.
    #[error("malformed")]
    Malformed,
    /// It is named, and not there.
    #[error("missing")]
    Missing,
    /// It has more bytes than a signature has.
    #[error("too large")]
    TooLarge,
    /// A page of the registry's list has more bytes than one that is read; what it names is not known, nor what follows.
    #[error("page of the registry's list that is too large, with which the list ends here")]
    PageTooLarge,
    /// A page of the registry's list cannot be read; what it names is not known.
    #[error("page of the registry's list that is malformed")]
    PageMalformed,
    /// A page of the registry's list is named and not given.
    #[error("page of the registry's list that is not given, with which the list ends here")]
    PageMissing,
    /// A page of the registry's list is said to be at another registry, which is not asked.
    #[error("page of the registry's list that is elsewhere, with which the list ends here")]
    PageElsewhere,
    /// The registry's list goes on after the last page that is read.
    #[error("list of the registry that goes on after what is read of it")]
    ListTooLong,
}

impl Signed {
    /// The first of these keys that made it, for the image whose manifest has this digest.
    ///
    /// # Errors
    /// Why it does not count.
    pub fn by<'a>(&self, keys: &'a [Key], image: Digest) -> Result<&'a Key, WhyNot> {
        let key = keys.iter().find(|key| key.verifies(&self.message, &self.signature));
        let key = key.ok_or(WhyNot::OtherKey)?;
        match &self.statement {
            Statement::SimpleSigning => simple_signing::is_of(&self.message, image)?,
            Statement::InToto(statement) => bundle::is_of(statement, image)?,
        }
        Ok(key)
    }
}
