//! An answer in few words: the same in the status, in events and in `kubectl rss`.

use super::{Answer, Proposal, Reading, Treatment};
use crate::policy::question::Question;

/// Bytes of an answer that are shown: a position may have very many.
const SHOWN: usize = 160;

impl Answer {
    /// What is decided by it, without its reason.
    #[must_use]
    pub fn decision(&self) -> String {
        let text = match self {
            Self::Sequence(said) => match &said.reading {
                Reading::At(found) => found.position.to_string(),
                Reading::Empty => "no data".to_owned(),
                Reading::Unreadable => "unreadable".to_owned(),
            },
            Self::Seed(proposed) => match &proposed.proposal {
                Proposal::Replica(name) => name.clone(),
                Proposal::Refuse => "nobody".to_owned(),
            },
            Self::Primaries(ordered) => ordered.ordering.join(", "),
            Self::Replicas(treated) => match &treated.treatment {
                Treatment::RunSecondary(Some(leader)) => format!("runs as secondary of {leader}"),
                Treatment::RunSecondary(None) => "runs as secondary".to_owned(),
                Treatment::LeaveStopped => "is left stopped".to_owned(),
                Treatment::Hold => "waits".to_owned(),
            },
            Self::Check(_) => String::new(),
        };
        text[..text.floor_char_boundary(SHOWN)].to_owned()
    }

    /// What it proposed where this was asked, as it stands after "the policy proposed".
    #[must_use]
    pub fn proposal(&self, question: &Question) -> String {
        let decision = self.decision();
        match question {
            Question::Sequence(input) => format!("{decision} as what {} holds", input.output.replica),
            Question::Seed(_) => format!("{decision} as seed"),
            Question::Primaries(_) => format!("{decision} as order of primaries"),
            Question::Replicas(input) => format!("that {} {decision}", input.member.name),
            Question::Check => decision,
        }
    }
}
