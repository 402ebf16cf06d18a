//! What `status` answers, as far as it does.

use super::{Phase, World};
use planner::names::{ContainerId, GroupId};
use planner::observation::{Answer, Role, Status};

impl World {
    /// Asks a pod, by name. An exec knows no container ID: the answer is taken for that of the
    /// container that the watch showed.
    pub(crate) fn status(&mut self, ordinal: u32, shown: &ContainerId) -> Status {
        let lost = Status::Silent("the stream broke".to_owned());
        let Some(sandbox) = self.pods.get(&ordinal).and_then(|pod| self.sandbox(&pod.shown.uid)) else {
            return lost;
        };
        let Some(container) = sandbox.container.clone() else { return lost };
        if !self.machines[sandbox.machine].is_reachable() || self.mishap(40) {
            return lost;
        }
        if self.process_in(&container).is_some_and(|process| process.frozen) {
            return Status::Hung { shell_answers: true };
        }
        let code = self.code_of(&container);
        let running = self.process_in(&container).filter(|process| process.phase == Phase::Running);
        let group =
            running.filter(|_| self.options.names_group).map(|p| GroupId(format!("group-{}", p.lineage)));
        let copying = self.process_in(&container).filter(|p| matches!(p.phase, Phase::Copying(_)));
        let progress =
            copying.filter(|p| p.early_answer == 1 || p.slow).map(|_| (self.now / 10_000).to_string());
        Status::Answer(Answer { code, container: shown.clone(), group, progress, text: String::new() })
    }

    fn code_of(&self, container: &ContainerId) -> i32 {
        let Some(process) = self.process_in(container) else { return 7 };
        match process.phase {
            _ if process.broken => 1,
            Phase::Starting | Phase::Copying(_) => process.early_answer,
            Phase::Running if self.options.has_secondary && process.role == Role::Primary => 8,
            Phase::Running => 0,
        }
    }
}
