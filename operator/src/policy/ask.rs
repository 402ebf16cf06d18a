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
        self.put(settings, question).answered()
    }

    /// Asks twice: an answer counts that comes twice, for the same fuel. Nothing that a policy can do makes them differ;
    /// a fault of the machine or of what was compiled may.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn ask_twice(&self, settings: &str, question: &Question) -> Result<Ran<Answer>, Failure> {
        self.put_twice(settings, question).answered()
    }

    /// The same, with what was used also where there is no answer.
    pub(super) fn put_twice(&self, settings: &str, question: &Question) -> Ran<Result<Answer, Failure>> {
        let first = self.put(settings, question);
        if first.value.is_err() {
            return first;
        }
        let second = self.put(settings, question);
        if second.value.is_err() { second } else { agreed(first, &second) }
    }

    fn put(&self, settings: &str, question: &Question) -> Ran<Result<Answer, Failure>> {
        match question {
            Question::Sequence(input) => {
                let Some(world) = &self.worlds.sequence else { return unanswered(Interface::Sequence) };
                let output = contract::output(&input.output);
                let ran = self.run(|store, instance| {
                    let world = world.load(&mut *store, instance)?;
                    world.clusterlabs_policy_sequence().call_read(store, settings, &output)
                });
                ran.and_then(contract::said)
            }
            Question::Seed(input) => {
                let Some(world) = &self.worlds.seed else { return unanswered(Interface::Seed) };
                let candidates: Vec<_> = input.candidates.iter().map(contract::of_seed).collect();
                let ran = self.run(|store, instance| {
                    let world = world.load(&mut *store, instance)?;
                    world.clusterlabs_policy_seed().call_choose(store, settings, &candidates)
                });
                ran.and_then(contract::proposed)
            }
            Question::Primaries(input) => {
                let Some(world) = &self.worlds.primaries else { return unanswered(Interface::Primaries) };
                let members: Vec<_> = input.members.iter().map(contract::of_primaries).collect();
                let ran = self.run(|store, instance| {
                    let world = world.load(&mut *store, instance)?;
                    world.clusterlabs_policy_primaries().call_order(store, settings, &members)
                });
                ran.and_then(contract::ordered)
            }
            Question::Replicas(input) => {
                let Some(world) = &self.worlds.replicas else { return unanswered(Interface::Replicas) };
                let member = contract::of_replicas(&input.member);
                let ran = self.run(|store, instance| {
                    let world = world.load(&mut *store, instance)?;
                    let replicas = world.clusterlabs_policy_replicas();
                    replicas.call_treat(store, settings, &member, &input.primaries)
                });
                ran.and_then(contract::treated)
            }
            Question::Check => {
                let Some(world) = &self.worlds.metadata else { return unanswered(Interface::Metadata) };
                let ran = self.run(|store, instance| {
                    let world = world.load(&mut *store, instance)?;
                    world.clusterlabs_policy_metadata().call_check(store, settings)
                });
                ran.map(|told| told.map(|told| Answer::Check(Checked { problems: contract::problems(told) })))
            }
        }
    }
}

fn unanswered(interface: Interface) -> Ran<Result<Answer, Failure>> {
    Ran { value: Err(Failure::NotExported(interface)), fuel: 0 }
}

fn agreed(
    first: Ran<Result<Answer, Failure>>,
    second: &Ran<Result<Answer, Failure>>,
) -> Ran<Result<Answer, Failure>> {
    if first == *second { first } else { first.and_then(|_| Err(Failure::Disagrees)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::answer::Problem;

    #[test]
    fn two_runs_agree_by_answer_and_by_fuel() {
        let ran = |path: &str, fuel| {
            let problem = Problem { path: path.to_owned(), message: String::new() };
            Ran { value: Ok(Answer::Check(Checked { problems: vec![problem] })), fuel }
        };
        assert_eq!(agreed(ran("/a", 1), &ran("/a", 1)), ran("/a", 1));
        assert_eq!(agreed(ran("/a", 1), &ran("/b", 1)).value, Err(Failure::Disagrees));
        assert_eq!(agreed(ran("/a", 1), &ran("/a", 2)).value, Err(Failure::Disagrees));
    }
}
