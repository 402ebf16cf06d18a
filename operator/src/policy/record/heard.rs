//! What a component answers, and what of it counts.

use super::Outcome;
use crate::policy::answer::Answer;
use crate::policy::belief;
use crate::policy::call::Ran;
use crate::policy::component::Component;
use crate::policy::failure::Failure;
use crate::policy::limits;
use crate::policy::question::Question;

/// What came of asking a component.
pub(in crate::policy) struct Heard {
    /// What of it counts.
    pub(in crate::policy) believed: Result<Answer, Failure>,
    /// What is recorded of it.
    pub(in crate::policy) outcome: Outcome,
    /// What the call used, but where the machine ended it.
    pub(in crate::policy) fuel: Option<u64>,
    /// Why the answer counts for nothing, if it does.
    pub(in crate::policy) vetoes: Vec<String>,
}

impl Heard {
    /// No answer, for this reason and so much fuel.
    fn nothing(failure: Failure, fuel: u64) -> Self {
        let vetoes = match &failure {
            Failure::Nonsense(nonsense) => vec![nonsense.to_string()],
            _ => Vec::new(),
        };
        let is_the_same_anywhere =
            !failure.is_of_the_machine() && !matches!(failure, Failure::NotExported(_));
        let (outcome, fuel) =
            (Outcome::Failed(failure.to_string()), Some(fuel).filter(|_| is_the_same_anywhere));
        Self { believed: Err(failure), outcome, fuel, vetoes }
    }
}

/// Asks twice. An answer that is not believed is recorded too, unless it is too large to be kept.
pub(in crate::policy) fn hear(component: &Component, settings: &str, question: &Question) -> Heard {
    let Ran { value, fuel } = component.put_twice(settings, question);
    let answer = match value.map(belief::bounded) {
        Ok(answer) => answer,
        Err(failure) => return Heard::nothing(failure, fuel),
    };
    let Err(nonsense) = belief::check(question, &answer) else {
        let outcome = Outcome::Answered(answer.clone());
        return Heard { believed: Ok(answer), outcome, fuel: Some(fuel), vetoes: Vec::new() };
    };
    let (proposal, vetoes) = (answer.proposal(question), vec![nonsense.to_string()]);
    let is_kept = serde_json::to_string(&answer).is_ok_and(|text| text.len() <= limits::REFUSED);
    let outcome = match is_kept {
        true => Outcome::Answered(answer),
        false => Outcome::Failed(Failure::from(nonsense.clone()).to_string()),
    };
    let believed = Err(Failure::Refused { proposal, nonsense });
    Heard { believed, outcome, fuel: Some(fuel), vetoes }
}
