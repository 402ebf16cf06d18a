//! One policy in the place of another.

use super::Lies;
use crate::simulation::Simulation;

impl Simulation {
    /// An honest policy takes the place of one that lies.
    pub(crate) fn replace_the_liar(&mut self) {
        self.name_a_policy(None);
    }

    /// From now on this one decides. What it says of data is heard by the laws, whoever decides later.
    pub(crate) fn name_a_policy(&mut self, lies: Option<Lies>) {
        self.world.resource.lies = lies;
        self.world.options.lies = lies.or(self.world.options.lies);
        let kind = if lies.is_some() { "that lies" } else { "that is honest" };
        self.world.say(|| format!("a policy {kind} is wanted"));
        self.world.spec(|_| {});
        self.operators[0].acted = self.world.now;
    }
}
