//! More pods: as the resource says, or to bring one back whose data is still owed.

use crate::draft::{Draft, Flow};
use crate::hold::Reason;
use crate::key::KeyKind;
use crate::look::Look;
use crate::plan::{Cause, Step};
use crate::record::{HolderId, Record};
use crate::seeding::{Owed, candidates, owed};

pub(crate) fn grow(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    let target = look.target();
    let Some(workload) = look.seen.workload.as_ref().filter(|_| target.replicas > 0) else { return Flow::On };
    if let Some(before) = look
        .memory
        .restore_replicas
        .filter(|before| *before > target.replicas && look.running().next().is_none())
    {
        let key = (KeyKind::AcceptSize, target.replicas.to_string());
        draft.hold(Reason::RestoreSize { wanted: target.replicas, before }, &[key]);
        return Flow::Enough;
    }
    let needed = needed(look);
    if workload.replicas >= needed {
        return Flow::On;
    }
    let cause = if needed > target.replicas { Cause::Answer } else { Cause::Size };
    draft.alone(Step::Resize { to: needed, if_from: workload.replicas, cause })
}

/// How many pods there must be. In an outage also that of a member beyond the wanted size whose
/// reading is owed, or who alone holds all data.
pub(crate) fn needed(look: &Look<'_>) -> u32 {
    let target = look.target().replicas;
    if target == 0 || look.memory.outage.is_none() {
        return target;
    }
    let beyond =
        |record: &&Record| matches!(record.holder, HolderId::Claims(_)) && size_for(look, record) > target;
    let unread = look.memory.holders.values().filter(|record| owed(look, record) == Owed::Reading);
    let unread = unread.filter(beyond).map(|record| size_for(look, record)).max().unwrap_or(0);
    let best = candidates(look).iter().map(|record| size_for(look, record)).min().unwrap_or(0);
    target.max(unread).max(best)
}

fn size_for(look: &Look<'_>, record: &Record) -> u32 {
    look.home(&record.holder).map_or(0, |name| look.ordinal(name).saturating_add(1))
}

#[cfg(test)]
mod tests {
    use crate::fixture::{memory, record, stopped_set};
    use crate::plan::Cause;
    use crate::{Memory, Step, decide};

    #[test]
    fn more_pods_come_when_the_resource_says_so() {
        let mut seen = stopped_set(3);
        seen.target.replicas = 5;
        let plan = decide(&seen, &Memory::default());
        assert_eq!(plan.steps, [Step::Resize { to: 5, if_from: 3, cause: Cause::Size }]);
    }

    #[test]
    fn in_an_outage_a_member_beyond_the_size_comes_back_to_be_read() {
        let mut seen = stopped_set(3);
        (seen.target.replicas, seen.workload.as_mut().unwrap().replicas) = (2, 2);
        seen.replicas.values_mut().nth(2).unwrap().pod = None;
        let known = memory([
            record(0).confirmed_in(1).at(3),
            record(1).confirmed_in(1).at(3),
            record(2).confirmed_in(1),
        ]);
        let plan = decide(&seen, &known);
        assert_eq!(plan.steps, [Step::Resize { to: 3, if_from: 2, cause: Cause::Answer }]);
        let older = memory([
            record(0).confirmed_in(2).at(3),
            record(1).confirmed_in(2).at(3),
            record(2).confirmed_in(1),
        ]);
        assert!(
            !decide(&seen, &older).steps.iter().any(|s| matches!(s, Step::Resize { .. })),
            "of an older epoch it owes nothing"
        );
    }
}
