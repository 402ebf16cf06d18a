//! Names that nothing had before, and states that are told apart whatever those names are.

use super::State;
use std::collections::hash_map::DefaultHasher;
use std::fmt::{self, Write};
use std::hash::Hasher;
use std::ops::Deref;
use std::rc::Rc;

/// What is before the number in a name that was made here.
const MARK: u8 = b'~';
/// How many digits the number has.
const DIGITS: usize = 5;

/// Gives each thing a number of its own; which one it is makes no difference between states.
#[derive(Clone, Copy, Default)]
pub(crate) struct Serial(u32);

impl Serial {
    pub(crate) fn name(&mut self, kind: &str) -> String {
        self.0 += 1;
        format!("{kind}~{:05}", self.0)
    }
}

impl fmt::Debug for Serial {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

/// What does not change any more, with its words: they are made once, and read for every state that has it.
pub(crate) struct Kept<T>(Rc<(T, String)>);

impl<T: fmt::Debug> Kept<T> {
    pub(crate) fn new(value: T) -> Self {
        let words = format!("{value:?}");
        Self(Rc::new((value, words)))
    }
}

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Self(Rc::clone(&self.0))
    }
}

impl<T> Deref for Kept<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.0
    }
}

impl<T> fmt::Debug for Kept<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.1)
    }
}

/// The same for states that differ in names alone: each name counts as the place where it comes first.
pub(crate) fn fingerprint(state: &State) -> u64 {
    let mut text = String::with_capacity(16 * 1024);
    let _ = write!(text, "{state:?}");
    hash(text.as_bytes())
}

fn hash(text: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut places: Vec<usize> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.iter().position(|byte| *byte == MARK) {
        let (before, from) = rest.split_at(at);
        let (name, after) = from.split_at((DIGITS + 1).min(from.len()));
        hasher.write(before);
        let number =
            name.iter().skip(1).fold(0, |sum, digit| sum * 10 + usize::from(digit.wrapping_sub(b'0')));
        let place = places.iter().position(|other| *other == number).unwrap_or_else(|| {
            places.push(number);
            places.len() - 1
        });
        hasher.write_usize(place);
        rest = after;
    }
    hasher.write(rest);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_which_names_are_the_same_tells_two_states_apart() {
        let hash = |text: &str| hash(text.as_bytes());
        assert_eq!(hash("pod~00001 in pod~00002, pod~00001"), hash("pod~00007 in pod~00003, pod~00007"));
        assert_ne!(hash("pod~00001 in pod~00002, pod~00001"), hash("pod~00007 in pod~00003, pod~00003"));
        assert_ne!(hash("pod~00001"), hash("container~00001"));
    }

    #[test]
    fn a_name_is_given_once() {
        let mut serial = Serial::default();
        assert_ne!(serial.name("pod"), serial.name("pod"));
    }
}
