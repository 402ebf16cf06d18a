//! One number for all states that differ in names alone: each name counts as the place where it comes first.

use super::State;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write};

/// What is before the number in a name that was made here.
const MARK: u8 = b'~';
/// How many digits the number has.
const DIGITS: usize = 5;
/// Odd numbers without a pattern: the fractions of the roots of 2, 3 and 5.
const FACTORS: [u64; 3] = [0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b, 0x3c6e_f372_fe94_f82b];

/// Of 128 bits: of a thousand million states two have the same with a chance of one in 10^20.
pub(crate) type Print = u128;

/// The print of a state.
pub(crate) fn fingerprint(state: &State) -> Print {
    let mut printer = Printer::default();
    state.print(&mut printer);
    printer.done()
}

/// What counts for the print.
pub(crate) trait Printed {
    /// Tells all of it that may make a difference.
    fn print(&self, to: &mut Printer);
}

/// Reads a state word by word.
#[derive(Debug, Default)]
pub(crate) struct Printer {
    lanes: [u64; 2],
    /// The numbers of all names so far.
    names: Vec<u32>,
    /// No name is new to it.
    reads_only: bool,
}

/// A text that was read before: what is before each name, and after the last.
#[derive(Debug)]
pub(crate) struct Words(Vec<([u64; 2], Option<u32>)>);

impl Words {
    pub(crate) fn of(text: &str) -> Self {
        let mut words = Vec::new();
        parts(text, |part, name| {
            let mut alone = Printer::default();
            alone.bytes(part);
            words.push((alone.lanes, name));
        });
        Self(words)
    }
}

impl Printer {
    pub(crate) fn word(&mut self, word: u64) {
        let [first, second] = self.lanes;
        self.lanes = [mix(first ^ word, FACTORS[0]), mix(second.wrapping_add(word), FACTORS[1])];
    }

    pub(crate) fn words(&mut self, words: &Words) {
        for ([first, second], name) in &words.0 {
            self.word(*first);
            self.word(*second);
            name.iter().for_each(|name| self.name(*name));
        }
    }

    /// Which of them has the first name makes no difference.
    fn unordered<T: Printed>(&mut self, items: impl Iterator<Item = T>) {
        let mut all: Vec<([u64; 2], T)> = items.map(|item| ([0, 0], item)).collect();
        if all.len() > 1 {
            all.iter_mut().for_each(|(alone, item)| *alone = self.alone(item));
            all.sort_by_key(|(alone, _)| *alone);
        }
        self.word(all.len() as u64);
        all.iter().for_each(|(_, item)| item.print(self));
    }

    /// By the names that are known so far.
    fn alone(&self, item: &impl Printed) -> [u64; 2] {
        let mut alone = Self { lanes: [0, 0], names: self.names.clone(), reads_only: true };
        item.print(&mut alone);
        alone.lanes
    }

    fn text(&mut self, text: &str) {
        parts(text, |part, name| {
            self.bytes(part);
            name.iter().for_each(|name| self.name(*name));
        });
    }

    fn name(&mut self, number: u32) {
        let known = self.names.iter().position(|other| *other == number);
        let place = known.unwrap_or(if self.reads_only { usize::MAX / 2 } else { self.names.len() });
        if known.is_none() && !self.reads_only {
            self.names.push(number);
        }
        // No length is near it.
        self.word(!(place as u64));
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.word(bytes.len() as u64);
        for chunk in bytes.chunks(8) {
            self.word(chunk.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)));
        }
    }

    fn done(self) -> Print {
        let [first, second] = self.lanes.map(|lane| mix(lane, FACTORS[2]));
        u128::from(first) << 64 | u128::from(second)
    }
}

/// No bit of the one that does not change many of the other.
fn mix(word: u64, factor: u64) -> u64 {
    let product = u128::from(word ^ FACTORS[2]) * u128::from(factor);
    // Both halves, and the word itself: a product alone forgets where a word is zero.
    (product as u64) ^ ((product >> 64) as u64) ^ word.rotate_left(32)
}

/// The text before each name with that name's number, and the text after the last.
fn parts(text: &str, mut part: impl FnMut(&[u8], Option<u32>)) {
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|byte| *byte == MARK) {
        let (before, from) = rest.split_at(at);
        let (name, after) = from.split_at((DIGITS + 1).min(from.len()));
        let (place, after) = place(after);
        part(before, Some(number(&name[1..]) * 16 + place));
        rest = after;
    }
    part(rest, None);
}

fn number(digits: &[u8]) -> u32 {
    digits.iter().fold(0, |sum, digit| sum * 10 + u32::from(digit.wrapping_sub(b'0')))
}

/// Which step of its plan an attempt was, in its name alone.
fn place(text: &[u8]) -> (u32, &[u8]) {
    match text {
        [b'-', digit @ b'0'..=b'9', after @ ..] => (number(&[*digit]) + 1, after),
        _ => (0, text),
    }
}

/// A text in debug form is told piece by piece: no name is in two of them.
impl Write for Printer {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.text(text);
        Ok(())
    }
}

/// What is small, or seldom there, by its words.
pub(super) fn said(what: &impl fmt::Debug, to: &mut Printer) {
    write!(to, "{what:?}").expect("a printer takes any text");
}

impl Printed for str {
    fn print(&self, to: &mut Printer) {
        to.text(self);
    }
}

impl Printed for String {
    fn print(&self, to: &mut Printer) {
        to.text(self);
    }
}

impl<T: Printed> Printed for Option<T> {
    fn print(&self, to: &mut Printer) {
        to.word(u64::from(self.is_some()));
        self.iter().for_each(|value| value.print(to));
    }
}

impl<T: Printed> Printed for Vec<T> {
    fn print(&self, to: &mut Printer) {
        to.word(self.len() as u64);
        self.iter().for_each(|value| value.print(to));
    }
}

impl<T: Printed> Printed for BTreeSet<T> {
    fn print(&self, to: &mut Printer) {
        to.unordered(self.iter());
    }
}

impl<K: Printed, V: Printed> Printed for BTreeMap<K, V> {
    fn print(&self, to: &mut Printer) {
        to.unordered(self.iter());
    }
}

impl<T: Printed> Printed for &T {
    fn print(&self, to: &mut Printer) {
        (**self).print(to);
    }
}

impl<K: Printed, V: Printed> Printed for (&K, &V) {
    fn print(&self, to: &mut Printer) {
        self.0.print(to);
        self.1.print(to);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn print(text: &str) -> Print {
        let mut printer = Printer::default();
        text.print(&mut printer);
        printer.done()
    }

    #[test]
    fn only_which_names_are_the_same_tells_two_states_apart() {
        assert_eq!(print("pod~00001 in pod~00002, pod~00001"), print("pod~00007 in pod~00003, pod~00007"));
        assert_ne!(print("pod~00001 in pod~00002, pod~00001"), print("pod~00007 in pod~00003, pod~00003"));
        assert_ne!(print("pod~00001"), print("container~00001"));
    }

    #[test]
    fn what_an_attempt_was_in_its_plan_is_a_part_of_its_name() {
        assert_eq!(print("n~00001-0, n~00001-1"), print("n~00004-2, n~00007-0"));
        assert_ne!(print("n~00001-0, n~00001-1"), print("n~00001-0, n~00001-0"));
    }

    #[test]
    fn of_a_set_it_does_not_matter_who_has_the_first_name() {
        let print = |names: [&str; 2], set: [(&str, u64); 2]| {
            let mut printer = Printer::default();
            names.iter().for_each(|name| name.print(&mut printer));
            BTreeMap::from(set.map(|(name, value)| (name.to_owned(), value))).print(&mut printer);
            printer.done()
        };
        let (known, new) = (["n~00001", "n~00002"], ["n~00007", "n~00008"]);
        let first = print(known, [("n~00001", 5), ("n~00002", 6)]);
        assert_eq!(first, print(["n~00002", "n~00001"], [("n~00002", 5), ("n~00001", 6)]));
        assert_ne!(first, print(known, [("n~00001", 6), ("n~00002", 5)]));
        assert_eq!(
            print(new, [("n~00001", 5), ("n~00002", 6)]),
            print(new, [("n~00001", 6), ("n~00002", 5)])
        );
    }

    #[test]
    fn what_was_read_before_counts_as_what_is_read_now_only_by_the_same_names() {
        let print = |first: &str, second: &str| {
            let mut printer = Printer::default();
            first.print(&mut printer);
            printer.words(&Words::of(second));
            printer.done()
        };
        assert_eq!(print("pod~00001", "in pod~00001 now"), print("pod~00004", "in pod~00004 now"));
        assert_ne!(print("pod~00001", "in pod~00001 now"), print("pod~00001", "in pod~00002 now"));
        assert_ne!(print("pod~00001", "in pod~00001 now"), print("pod~00001", "in pod~00001 soon"));
    }

    #[test]
    fn of_many_texts_that_differ_in_one_place_no_two_have_the_same_half() {
        let prints: Vec<Print> =
            (0..100_000u64).map(|number| print(&format!("{number:08} and {:08}", number % 7))).collect();
        let halves = |half: fn(&Print) -> u64| prints.iter().map(half).collect::<BTreeSet<u64>>().len();
        assert_eq!(halves(|print| *print as u64), prints.len());
        assert_eq!(halves(|print| (*print >> 64) as u64), prints.len());
    }
}
