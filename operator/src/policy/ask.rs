//! A question put to a component.

use super::answer::{Answer, Checked};
use super::call::Ran;
use super::component::Component;
use super::contract;
use super::failure::Failure;
use super::interface::Interface;
use super::question::Question;

impl Component {
    /// Asks once, in a fresh instance. The answer is only translated: see `belief::check` for what of it is believed.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn ask(&self, settings: &str, question: &Question) -> Result<Ran<Answer>, Failure> {
        let ran = match question {
            Question::Sequence(input) => {
                let world = exported(self.worlds.sequence.as_ref(), Interface::Sequence)?;
                let output = contract::output(&input.output);
                self.run(|store, instance| {
                    let world = world.load(&mut *store, instance)?;
                    world.clusterlabs_policy_sequence().call_read(store, settings, &output)
                })?
                .map(contract::said)
            }
            Question::Seed(input) => {
                let world = exported(self.worlds.seed.as_ref(), Interface::Seed)?;
                let candidates: Vec<_> = input.candidates.iter().map(contract::of_seed).collect();
                self.run(|store, instance| {
                    let world = world.load(&mut *store, instance)?;
                    world.clusterlabs_policy_seed().call_choose(store, settings, &candidates)
                })?
                .map(contract::proposed)
            }
            Question::Primaries(input) => {
                let world = exported(self.worlds.primaries.as_ref(), Interface::Primaries)?;
                let members: Vec<_> = input.members.iter().map(contract::of_primaries).collect();
                self.run(|store, instance| {
                    let world = world.load(&mut *store, instance)?;
                    world.clusterlabs_policy_primaries().call_order(store, settings, &members)
                })?
                .map(contract::ordered)
            }
            Question::Replicas(input) => {
                let world = exported(self.worlds.replicas.as_ref(), Interface::Replicas)?;
                let member = contract::of_replicas(&input.member);
                self.run(|store, instance| {
                    let world = world.load(&mut *store, instance)?;
                    let replicas = world.clusterlabs_policy_replicas();
                    replicas.call_treat(store, settings, &member, &input.primaries)
                })?
                .map(contract::treated)
            }
            Question::Check => {
                let world = exported(self.worlds.metadata.as_ref(), Interface::Metadata)?;
                self.run(|store, instance| {
                    let world = world.load(&mut *store, instance)?;
                    world.clusterlabs_policy_metadata().call_check(store, settings)
                })?
                .map(|problems| Ok(Answer::Check(Checked { problems: contract::problems(problems) })))
            }
        };
        Ok(Ran { value: ran.value?, fuel: ran.fuel })
    }

    /// Asks twice: an answer counts that comes twice, for the same fuel. Nothing that a policy can do makes them differ;
    /// a fault of the machine or of what was compiled may.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn ask_twice(&self, settings: &str, question: &Question) -> Result<Ran<Answer>, Failure> {
        agreed(self.ask(settings, question)?, self.ask(settings, question)?)
    }
}

fn exported<T>(world: Option<&T>, interface: Interface) -> Result<&T, Failure> {
    world.ok_or(Failure::NotExported(interface))
}

fn agreed(first: Ran<Answer>, second: Ran<Answer>) -> Result<Ran<Answer>, Failure> {
    if first == second { Ok(first) } else { Err(Failure::Disagrees) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::answer::Problem;

    #[test]
    fn two_runs_agree_by_answer_and_by_fuel() {
        let ran = |path: &str, fuel| {
            let problem = Problem { path: path.to_owned(), message: String::new() };
            Ran { value: Answer::Check(Checked { problems: vec![problem] }), fuel }
        };
        assert_eq!(agreed(ran("/a", 1), ran("/a", 1)), Ok(ran("/a", 1)));
        assert_eq!(agreed(ran("/a", 1), ran("/b", 1)), Err(Failure::Disagrees));
        assert_eq!(agreed(ran("/a", 1), ran("/a", 2)), Err(Failure::Disagrees));
    }
}
