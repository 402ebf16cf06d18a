//! What is wrong with what processes hear.

use simulator::Chance;

/// What is wrong with the watches of a story's processes.
#[derive(Clone, Debug, Default)]
pub struct Watches {
    /// How late they are, in milliseconds, by the plural of what is watched: what happened later to another kind may be
    /// told before.
    pub lags: Vec<(&'static str, u64)>,
    /// They tell everything twice, and break off now and then; what came and went meanwhile is told every other time.
    pub stutters: bool,
    /// Now and then, at first, what is asked for gets no answer: an object, a status, the fate of a command.
    pub unanswered: bool,
    /// Now and then, at first, a write of the lease is refused, lost or late, and once for so long that the term ends.
    pub unelected: bool,
}

impl Watches {
    /// Drawn: some are late, and all or none repeat themselves.
    pub(crate) fn draw(chance: &mut Chance, kinds: [&'static str; 5]) -> Self {
        let lags = kinds.map(|kind| (kind, if chance.one_in(4) { chance.between(0, 8000) } else { 0 }));
        Self {
            lags: lags.to_vec(),
            stutters: chance.one_in(3),
            unanswered: chance.one_in(3),
            unelected: chance.one_in(3),
        }
    }
}
