//! Questions that wait for the candidate: each once, and no more than there is room for.

use std::collections::VecDeque;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use super::tally::Tally;
use crate::policy::record::Record;

/// Questions that may wait. A look of a set of seven asks some twenty.
const MOST: usize = 64;

/// Bytes of JSON that they may have: a question about three members with the largest histories fits. They may wait for as
/// long as a registry is away.
const MOST_BYTES: usize = 256 << 10;

/// Questions that are remembered, by eight bytes each: a look puts the same ones as the look before.
const REMEMBERED: usize = 1024;

/// A question that was decided.
pub(super) struct Asked {
    pub(super) decided: Record,
    bytes: usize,
}

/// Questions that wait, in their order.
#[derive(Default)]
pub(super) struct Queue {
    waiting: VecDeque<Asked>,
    bytes: usize,
    /// What was put, the newest last.
    known: VecDeque<u64>,
}

impl Queue {
    /// One that does not take up what stands in the status already.
    pub(super) fn knowing(tally: &Tally) -> Self {
        let questions = tally.questions();
        let known = questions.map(|question| hash(&question.text())).collect();
        Self { known, ..Self::default() }
    }

    /// Takes up what was decided, if it was not put before. False: there is no room, and it is not put again.
    pub(super) fn put(&mut self, decided: &Record) -> bool {
        let text = decided.question.text();
        let (key, bytes) = (hash(&text), text.len());
        if let Some(at) = self.known.iter().position(|known| *known == key) {
            self.known.remove(at);
            self.known.push_back(key);
            return true;
        }
        self.known.push_back(key);
        if self.known.len() > REMEMBERED {
            self.known.pop_front();
        }
        let fits = self.waiting.len() < MOST && self.bytes + bytes <= MOST_BYTES;
        if fits {
            self.bytes += bytes;
            self.waiting.push_back(Asked { decided: decided.clone(), bytes });
        }
        fits
    }

    /// The one that waits longest.
    pub(super) fn next(&mut self) -> Option<Asked> {
        let next = self.waiting.pop_front()?;
        self.bytes -= next.bytes;
        Some(next)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }
}

fn hash(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::question::{Member, Question, SeedInput};
    use crate::policy::record::{By, Outcome};
    use serde_json::Value;

    fn decided(name: &str) -> Record {
        let member = Member { name: name.to_owned(), ..Member::default() };
        let question = Question::Seed(SeedInput { candidates: vec![member] });
        let by = By { name: None, version: None, digest: None };
        Record::new(&Value::Null, question, Outcome::Failed(String::new()), by)
    }

    fn waiting(queue: &mut Queue) -> usize {
        std::iter::from_fn(|| queue.next()).count()
    }

    #[test]
    fn a_question_is_put_once_however_often_it_is_decided() {
        let mut queue = Queue::default();
        for name in ["a", "a", "b", "a"] {
            assert!(queue.put(&decided(name)));
        }
        assert_eq!(waiting(&mut queue), 2);
        assert!(queue.put(&decided("a")));
        assert!(queue.is_empty(), "also when it does not wait any more");
    }

    #[test]
    fn what_is_put_in_every_look_is_known_however_much_comes_between() {
        let mut queue = Queue::default();
        for number in 0..3 * REMEMBERED {
            queue.put(&decided("standing"));
            queue.put(&decided(&number.to_string()));
            waiting(&mut queue);
        }
        queue.put(&decided("standing"));
        assert!(queue.is_empty());
        assert!(queue.known.len() <= REMEMBERED);
    }

    #[test]
    fn what_does_not_fit_is_refused_once_and_what_is_asked_leaves_its_room() {
        let mut queue = Queue::default();
        let number = |number: usize| decided(&number.to_string());
        assert!((0..MOST).all(|n| queue.put(&number(n))));
        assert!(!queue.put(&number(MOST)));
        assert!(queue.put(&number(MOST)), "it is known");
        assert_eq!(waiting(&mut queue), MOST);
        let large = "x".repeat(MOST_BYTES / 2);
        assert!(queue.put(&decided(&large)));
        assert!(!queue.put(&decided(&format!("{large}y"))));
        waiting(&mut queue);
        assert!(queue.put(&decided(&format!("{large}z"))));
    }
}
