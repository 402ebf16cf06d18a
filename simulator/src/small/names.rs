//! Names that nothing had before, and what does not change any more.

use super::print::{Printed, Printer, Words};
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// Gives each thing a number of its own; which one it is makes no difference between states.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Serial(u32);

impl Serial {
    pub(crate) fn name(&mut self, kind: &str) -> String {
        self.0 += 1;
        format!("{kind}~{:05}", self.0)
    }
}

/// What does not change any more, with its words: they are made once, and count for every state that has it.
pub(crate) struct Kept<T>(Arc<(T, Words)>);

impl<T: fmt::Debug> Kept<T> {
    pub(crate) fn new(value: T) -> Self {
        let words = Words::of(&format!("{value:?}"));
        Self(Arc::new((value, words)))
    }
}

impl<T> Clone for Kept<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Deref for Kept<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0.0
    }
}

impl<T: fmt::Debug> fmt::Debug for Kept<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.0.fmt(f)
    }
}

impl<T> Printed for Kept<T> {
    fn print(&self, to: &mut Printer) {
        to.words(&self.0.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_given_once() {
        let mut serial = Serial::default();
        assert_ne!(serial.name("pod"), serial.name("pod"));
    }
}
