//! Inputs made of others by chance: the same number is the same input.

use simulator::Chance;

use super::tree;

/// Numbers and signs that many a parser stumbles over.
const TOKENS: [&str; 22] = [
    "0",
    "-1",
    "255",
    "2147483648",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e999",
    "null",
    "true",
    "[]",
    "{}",
    "\"\"",
    ":",
    ",",
    "\n",
    "\0",
    "\u{e9}",
    "\u{202e}",
    "\u{fffd}",
    "\\u0000",
    "\\ud800",
];

/// What inputs are made of.
pub(super) struct Maker<'a> {
    pub(super) seeds: &'a [Vec<u8>],
    pub(super) tokens: &'a [&'a str],
    pub(super) most: usize,
}

impl Maker<'_> {
    /// The input of this number.
    pub(super) fn make(&self, number: u64) -> Vec<u8> {
        let mut chance = Chance::new(number);
        let mut bytes = self.seeds[chance.index(self.seeds.len())].clone();
        // A document that is changed as one is mostly read whole; with changes of its bytes after that, it mostly is not.
        let is_tree = chance.one_in(2);
        for _ in 0..chance.between(1, 5) {
            match is_tree.then(|| self.changed(&bytes, &mut chance)).flatten() {
                Some(changed) => bytes = changed,
                None => self.change(&mut bytes, &mut chance),
            }
            bytes.truncate(self.most);
        }
        bytes
    }

    /// As a document in JSON, if it is one.
    fn changed(&self, bytes: &[u8], chance: &mut Chance) -> Option<Vec<u8>> {
        let other = &self.seeds[chance.index(self.seeds.len())];
        tree::changed(bytes, other, chance).filter(|changed| changed.len() <= self.most)
    }

    fn change(&self, bytes: &mut Vec<u8>, chance: &mut Chance) {
        let (from, to) = range(bytes.len(), chance);
        match chance.below(9) {
            0 if !bytes.is_empty() => {
                let at = chance.index(bytes.len());
                bytes[at] ^= 1 << chance.below(8);
            }
            1 if !bytes.is_empty() => {
                let at = chance.index(bytes.len());
                bytes[at] = [0, 1, 0x7f, 0x80, 0xff, b'"', b'{', b'\n'][chance.index(8)];
            }
            2 => drop(bytes.drain(from..to)),
            3 => bytes.truncate(from),
            4 => {
                let part = bytes[from..to].repeat(usize::try_from(chance.between(1, 3)).unwrap_or(1));
                insert(bytes, from, &part);
            }
            // As deep or as long as it may be.
            5 => {
                let part = bytes[from..to.min(from + 8)].to_vec();
                let times = (self.most - bytes.len().min(self.most)) / part.len().max(1);
                insert(bytes, from, &part.repeat(times));
            }
            6 => {
                let other = &self.seeds[chance.index(self.seeds.len())];
                let (start, end) = range(other.len(), chance);
                insert(bytes, from, &other[start..end]);
            }
            7 => {
                bytes.drain(from..to);
                insert(bytes, from, self.token(chance).as_bytes());
            }
            _ => insert(bytes, from, self.token(chance).as_bytes()),
        }
    }

    fn token(&self, chance: &mut Chance) -> &str {
        let all = self.tokens.len() + TOKENS.len();
        let at = chance.index(all);
        self.tokens.get(at).copied().unwrap_or_else(|| TOKENS[at - self.tokens.len()])
    }
}

fn insert(bytes: &mut Vec<u8>, at: usize, more: &[u8]) {
    bytes.splice(at..at, more.iter().copied());
}

/// Somewhere within so many bytes, mostly short.
fn range(length: usize, chance: &mut Chance) -> (usize, usize) {
    let from = chance.index(length + 1);
    let longest = if chance.one_in(4) { length } else { 16 };
    (from, (from + chance.index(longest + 1)).min(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_makes_the_same_input_each_time_and_none_that_is_too_long() {
        let seeds = [b"{\"a\": [1, 2]}".to_vec(), Vec::new()];
        let maker = Maker { seeds: &seeds, tokens: &["a"], most: 64 };
        let all: Vec<Vec<u8>> = (0..500).map(|number| maker.make(number)).collect();
        assert_eq!(all, (0..500).map(|number| maker.make(number)).collect::<Vec<_>>());
        assert!(all.iter().all(|bytes| bytes.len() <= 64) && all.iter().any(|bytes| bytes.len() == 64));
        let others: std::collections::BTreeSet<&Vec<u8>> = all.iter().collect();
        assert!(others.len() > 300, "{} that differ", others.len());
    }
}
