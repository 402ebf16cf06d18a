//! Names of identities, drawn at random: nobody remembers all that were ever given, so none may be guessed twice.

use std::collections::BTreeSet;

use ring::rand::{SecureRandom, SystemRandom};
use stateful_cluster::names::Identity;

/// With one vowel few names become words. 32 of them: five bits of a byte each.
const LETTERS: &[u8; 32] = b"0123456789bcdfghjklmnpqrstvwxyza";

/// 60 bits: among a million identities of one name two are alike once in two million.
const LENGTH: usize = 12;

/// The system has no random numbers.
#[derive(Debug, thiserror::Error)]
#[error("the system has no random numbers")]
pub(super) struct NoRandom;

/// As many new names.
pub(super) fn names(cluster: &str, count: usize) -> Result<Vec<Identity>, NoRandom> {
    let random = SystemRandom::new();
    let mut drawn = BTreeSet::new();
    while drawn.len() < count {
        let mut bytes = [0; LENGTH];
        random.fill(&mut bytes).map_err(|_| NoRandom)?;
        let text: String = bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect();
        drawn.insert(Identity(format!("{cluster}-{text}")));
    }
    Ok(drawn.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_all_different_and_none_is_drawn_again() {
        let (first, second) = (names("db", 200).unwrap(), names("db", 200).unwrap());
        let all: BTreeSet<_> = first.iter().chain(&second).collect();
        assert_eq!(all.len(), 400);
        for Identity(name) in all {
            let random = name.strip_prefix("db-").unwrap();
            assert!(
                random.len() == 12 && random.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
            );
        }
    }

    #[test]
    fn every_letter_is_another_one() {
        assert_eq!(LETTERS.iter().collect::<BTreeSet<_>>().len(), 32);
    }
}
