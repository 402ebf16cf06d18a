//! When a story is over: all is well and nothing is done any more, or it waits for a person.

use std::time::Duration;

use crate::api_server::State;
use crate::operators::Operators;

/// What is not done within this time is not done.
const QUIET: Duration = Duration::from_secs(45);
/// So many times of that kind there are, in which something is done or it is not well: two windows of a budget, of an
/// hour each, in which no others may be replaced, and half an hour.
const LONGEST: usize = 200;
/// After so many of them, one after the other, what waits for a person is believed.
const PATIENCE: usize = 4;

/// What is asked of the state of a story.
pub(crate) struct Asked {
    /// All is as it is wanted, or what is not.
    pub(crate) is_well: fn(&State) -> Result<(), String>,
    /// It names what a person can do.
    pub(crate) waits_for_a_person: fn(&State) -> bool,
    /// All that may explain it.
    pub(crate) told: fn(&State) -> String,
}

impl Asked {
    /// Lets time go on.
    ///
    /// # Errors
    /// If something was done that must not be: all that happened, and what is wrong.
    pub(crate) async fn passes(&self, operators: &mut Operators, time: Duration) -> Result<(), String> {
        operators.passes(time).await;
        let wrong = operators.server.act(|state| state.wrong());
        if wrong.is_empty() { Ok(()) } else { Err(self.explained(operators, &wrong)) }
    }

    /// Lets time go on until all is well and nothing is done any more.
    ///
    /// # Errors
    /// As there, and if it does not come to that.
    pub(crate) async fn settles(&self, operators: &mut Operators) -> Result<(), String> {
        self.comes_to_rest(operators, usize::MAX).await.map(drop)
    }

    /// The same, and true also if it waits for a person and is not well.
    ///
    /// # Errors
    /// As there.
    pub(crate) async fn rests(&self, operators: &mut Operators) -> Result<bool, String> {
        self.comes_to_rest(operators, PATIENCE).await
    }

    async fn comes_to_rest(&self, operators: &mut Operators, patience: usize) -> Result<bool, String> {
        let mut waits = 0;
        for _ in 0..LONGEST {
            let before = operators.effects().len();
            self.passes(operators, QUIET).await?;
            let is_quiet = operators.effects().len() == before;
            let (is_well, waits_on) = operators
                .server
                .act(|state| ((self.is_well)(state).is_ok(), (self.waits_for_a_person)(state)));
            if is_quiet && is_well {
                return Ok(false);
            }
            waits = if is_quiet && waits_on { waits + 1 } else { 0 };
            if waits == patience {
                return Ok(true);
            }
        }
        let wrong = operators.server.act(|state| (self.is_well)(state).err());
        Err(self.explained(operators, &wrong.unwrap_or_else(|| "it never comes to rest".to_owned())))
    }

    fn explained(&self, operators: &Operators, wrong: &str) -> String {
        let told = operators.server.act(|state| (self.told)(state));
        format!("{}\n{told}\n{wrong}", operators.effects().join("\n"))
    }
}
