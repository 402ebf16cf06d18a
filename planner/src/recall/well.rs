//! What a set that is well allows to be forgotten, and what it proves of its template.

use crate::look::Look;
use crate::names::ReplicaName;
use crate::plan::News;
use crate::timer::Timer;

pub(super) fn note_wellness(look: &mut Look<'_>, _: &mut Vec<News>) {
    let generation = look.target().generation;
    if look.memory.refused.is_some_and(|refused| refused != generation) {
        look.memory.refused = None;
    }
    let well = |name: &ReplicaName| look.is_ripe(&Timer::Well(name.clone()));
    let forgiven: Vec<ReplicaName> = look.memory.repairs.keys().filter(|name| well(name)).cloned().collect();
    for name in forgiven {
        look.memory.repairs.remove(&name);
    }
    if is_well(look) && look.target().replicas > 0 {
        look.memory.restore_replicas = None;
    }
    if let Some(workload) = look.seen.workload.as_ref()
        && is_well(look)
        && workload.is_current()
        && look.memory.refused.is_none()
        && wanted(look).all(|name| look.pod(name).is_some_and(|pod| pod.revision == workload.revision))
    {
        look.memory.good = Some(workload.revision.clone());
    }
}

/// Every wanted member runs and is confirmed.
pub(crate) fn is_well(look: &Look<'_>) -> bool {
    wanted(look).count() as u64 == u64::from(look.target().replicas) && unwell(look).is_none()
}

/// A wanted member that does not run, or is not confirmed.
pub(crate) fn unwell<'b>(look: &'b Look<'_>) -> Option<&'b ReplicaName> {
    let runs = |name: &ReplicaName| look.state(name).is_running() && look.is_confirmed(name);
    wanted(look).find(|name| !runs(name))
}

fn wanted<'b>(look: &'b Look<'_>) -> impl Iterator<Item = &'b ReplicaName> {
    look.in_places(0..look.target().replicas)
}

#[cfg(test)]
mod tests {
    use super::{is_well, note_wellness};
    use crate::fixture::{memory, record, stopped_set};
    use crate::look::Look;

    /// Whether it is well, and whether the size that it had before it was stopped is still waited for.
    fn well(running: u32, replicas: u32) -> (bool, bool) {
        let mut seen = (0..running).fold(stopped_set(3), |seen, ordinal| seen.answers(ordinal, 8));
        (seen.target.replicas, seen.target.primaries) = (replicas, replicas);
        let mut look = Look::new(&seen, memory([0, 1, 2].map(|ordinal| record(ordinal).confirmed_in(1))));
        look.memory.restore_replicas = Some(5);
        note_wellness(&mut look, &mut Vec::new());
        (is_well(&look), look.memory.restore_replicas.is_some())
    }

    #[test]
    fn a_set_is_well_when_all_that_are_wanted_run_whoever_else_is_there() {
        assert_eq!(well(3, 3), (true, false));
        assert_eq!(well(2, 3), (false, true));
        assert_eq!(well(2, 2), (true, false), "one beyond the size does not run");
        assert_eq!(well(0, 0), (true, true), "nobody is wanted, and what it had is wanted again later");
        assert_eq!(well(3, 4), (false, true), "one has no pod yet");
    }
}
