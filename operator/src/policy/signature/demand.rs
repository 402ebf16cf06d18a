//! Whose signature is asked for, and by whom.

use std::collections::BTreeMap;
use std::fmt;

use super::{Key, Signed, WhyNot};
use crate::api::{Demander, VerifiedBy};
use crate::policy::Digest;

/// Keys of which one must have signed. Of several demands each is for itself: who names keys in a resource adds to what
/// the administrator demands and takes nothing away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Who demands it.
    pub by: Demander,
    /// At least one, and [`MOST`](super::MOST) at most.
    pub keys: Vec<Key>,
}

/// An image without the signature that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Unsigned {
    image: String,
    demand: Demand,
    others: BTreeMap<WhyNot, usize>,
}

/// What is asked for of one image, and how far it was found.
pub(in crate::policy) struct Search {
    digest: Digest,
    unmet: Vec<Demand>,
    met: Vec<VerifiedBy>,
    others: BTreeMap<WhyNot, usize>,
}

impl Demand {
    /// Whether a verification of before has what this asks for.
    pub(in crate::policy) fn is_met(&self, before: &[VerifiedBy]) -> bool {
        let made = |key: &Key| before.iter().any(|by| by.key == key.fingerprint());
        self.keys.iter().any(made)
    }
}

impl Search {
    /// For the image whose manifest has this digest.
    pub(in crate::policy) fn new(digest: Digest, demands: &[Demand]) -> Self {
        Self { digest, unmet: demands.to_vec(), met: Vec::new(), others: BTreeMap::new() }
    }

    /// Whether nothing is left to look for.
    pub(in crate::policy) fn is_over(&self) -> bool {
        self.unmet.is_empty()
    }

    /// Takes what was found as a signature. One may be what several ask for.
    pub(in crate::policy) fn take(&mut self, found: Result<Signed, WhyNot>) {
        let (digest, met, mut why_not) = (self.digest, &mut self.met, None);
        match found {
            Err(why) => why_not = Some(why),
            Ok(signed) => self.unmet.retain(|demand| match signed.by(&demand.keys, digest) {
                Ok(key) => {
                    met.push(VerifiedBy {
                        key: key.fingerprint(),
                        from: key.name().to_owned(),
                        demanded_by: demand.by,
                    });
                    false
                }
                Err(why) => {
                    why_not = Some(why);
                    true
                }
            }),
        }
        if let Some(why) = why_not {
            *self.others.entry(why).or_default() += 1;
        }
    }

    /// By which keys it is signed.
    ///
    /// # Errors
    /// If one of the demands was not met.
    pub(in crate::policy) fn end(self, repository: &str) -> Result<Vec<VerifiedBy>, Box<Unsigned>> {
        let Some(demand) = self.unmet.into_iter().next() else { return Ok(self.met) };
        let image = format!("{repository}@{}", self.digest);
        Err(Box::new(Unsigned { image, demand, others: self.others }))
    }
}

impl fmt::Display for Unsigned {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { image, demand, others } = self;
        let keys: Vec<String> = demand.keys.iter().map(Key::to_string).collect();
        write!(f, "policy {image} is not signed by any of the keys {}; ", keys.join(", "))?;
        match others.is_empty() {
            true => f.write_str("it has no signature")?,
            false => {
                let others = others.iter().map(|(why, number)| format!("{number} {why}"));
                write!(f, "what is there: {}", others.collect::<Vec<_>>().join(", "))?;
            }
        }
        // Without these words cosign 2 writes to a public log, and asks before; so does cosign 3 without a configuration.
        write!(f, "; sign it: cosign sign --key cosign.key --tlog-upload=false {image} (cosign 2), or ")?;
        write!(f, "cosign signing-config create --out signing.json and then ")?;
        write!(f, "cosign sign --key cosign.key --signing-config signing.json {image} (cosign 3)")
    }
}
