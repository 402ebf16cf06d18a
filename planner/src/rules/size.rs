//! More pods: as the resource says, or to bring one back whose data is still owed.

use crate::draft::{Draft, Flow};
use crate::hold::Reason;
use crate::key::KeyKind;
use crate::look::Look;
use crate::ordering::is_headless;
use crate::plan::{Cause, Step};
use crate::record::{HolderId, Reading, Record, Taken};
use crate::rules::failover::{lost_primaries, may_be_alive};
use crate::seeding::{Owed, candidates, owed};
use crate::target::Failover;

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
    // A lost primary that may be alive is waited for where it is.
    let is_waited_for = look.memory.outage.is_none() && may_be_alive(look).is_some();
    let needed = if is_waited_for { target.replicas } else { needed(look) };
    if workload.replicas >= needed {
        return Flow::On;
    }
    let cause = if needed > target.replicas { Cause::Answer } else { Cause::Size };
    let (if_from, released) = (workload.replicas, Vec::new());
    draft.alone(Step::Resize { to: needed, if_from, released, cause })
}

/// How many pods there must be. In an outage also that of a member beyond the wanted size that keeps the others waiting
/// for its reading, or who alone holds all data; and that of a primary that was lost, until another has its place. No
/// number brings one back whose identity is given once.
pub(crate) fn needed(look: &Look<'_>) -> u32 {
    let target = look.target().replicas;
    if target == 0 || !look.is_numbered() {
        return target;
    }
    let awaited = awaited(look).map(|record| size_for(look, record)).max().unwrap_or(0);
    if look.memory.outage.is_none() {
        return target.max(awaited);
    }
    let unread = look.memory.holders.values().filter(|record| is_unread(look, record) && outlives(record));
    let unread = unread.map(|record| size_for(look, record)).max().unwrap_or(0);
    let best = candidates(look).iter().map(|record| size_for(look, record)).min().unwrap_or(0);
    target.max(unread).max(best).max(awaited)
}

/// Where secondaries run without the primary, and another may take its place without a person: it may have to start
/// beside them, for it may hold what they do not.
pub(crate) fn awaited<'b>(look: &'b Look<'_>) -> impl Iterator<Item = &'b Record> {
    // Who is given up with its name can never be had again.
    let is_needed = look.target().failover != Failover::Never || !look.is_numbered();
    let by_itself = is_headless(look) && is_needed;
    lost_primaries(look).filter(move |record| by_itself && outlives(record))
}

fn outlives(record: &Record) -> bool {
    matches!(record.holder, HolderId::Claims(_))
}

/// It was not read, or gave no position: what could not be read may be readable a little later.
fn is_unread(look: &Look<'_>, record: &Record) -> bool {
    let gave_none = |taken: &Taken| matches!(taken.reading, Reading::Unreadable(_));
    match owed(look, record) {
        Owed::Reading | Owed::NeverRead(_) => true,
        Owed::Lost(_) => record.standing().is_some_and(gave_none),
        Owed::Nothing | Owed::Adds(_) | Owed::WentBack(_) => false,
    }
}

fn size_for(look: &Look<'_>, record: &Record) -> u32 {
    look.home(&record.holder).map_or(0, |name| look.place(name).saturating_add(1))
}

#[cfg(test)]
mod tests {
    use crate::fixture::{memory, record, stopped_set};
    use crate::memory::Outage;
    use crate::plan::Cause;
    use crate::record::{HolderId, Reading};
    use crate::target::Storage;
    use crate::{Memory, Record, Step, decide};

    fn resize(if_from: u32, to: u32, cause: Cause) -> Step {
        Step::Resize { to, if_from, released: Vec::new(), cause }
    }

    #[test]
    fn more_pods_come_when_the_resource_says_so() {
        let mut seen = stopped_set(3);
        seen.target.replicas = 5;
        let plan = decide(&seen, &Memory::default());
        assert_eq!(plan.steps, [resize(3, 5, Cause::Size)]);
    }

    #[test]
    fn in_an_outage_a_member_beyond_the_size_comes_back_to_be_read() {
        let mut seen = stopped_set(3);
        (seen.target.replicas, seen.workload.as_mut().unwrap().replicas) = (2, 2);
        seen.replicas.values_mut().nth(2).unwrap().pod = None;
        let read = |n: u32| record(n).confirmed_in(2).at(3);
        let new = |n: u32| record(n).starts(0).reads(Reading::Empty);
        let unreadable = || Reading::Unreadable("exit 1".to_owned());
        let back = [resize(2, 3, Cause::Answer)];
        for (sentence, others, beyond, comes) in [
            ("it owes its reading", [read(0), read(1)], record(2).confirmed_in(2), true),
            (
                "it was asked and gave none",
                [read(0), read(1)],
                record(2).confirmed_in(2).reads(unreadable()),
                true,
            ),
            (
                "it has nothing to read",
                [read(0), read(1)],
                record(2).confirmed_in(2).reads(Reading::Empty),
                false,
            ),
            ("of an older epoch it owes nothing", [read(0), read(1)], record(2).confirmed_in(1), false),
            ("nobody could ever read it", [new(0), new(1)], record(2).starts(0).reads(unreadable()), true),
            ("it is new", [new(0), new(1)], new(2), false),
        ] {
            let [first, second] = others;
            let mut known = memory([first, second, beyond]);
            known.holders.values_mut().for_each(|record| record.epoch = known.epoch.clone());
            let plan = decide(&seen, &known);
            assert_eq!(plan.steps == back, comes, "{sentence}: {:?}", plan.steps);
            assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
        }
    }

    #[test]
    fn what_ends_with_its_pod_brings_back_nobody() {
        for (storage, comes) in [(Storage::Claims { lock: true }, true), (Storage::Pod, false)] {
            let mut seen = stopped_set(3);
            seen.target.storage = storage;
            (seen.target.replicas, seen.workload.as_mut().unwrap().replicas) = (2, 2);
            seen.pod_mut(2).terminating = true;
            let records = (0..3).map(|n| {
                let record = record(n).confirmed_in(1);
                let is_read = if n == 2 { record } else { record.at(3) };
                let pod = HolderId::Pod(format!("pod-{n}").as_str().into());
                let holder = if storage == Storage::Pod { pod } else { is_read.holder.clone() };
                Record { holder, ..is_read }
            });
            let known = Memory { outage: Some(Outage::default()), ..memory(records) };
            let plan = decide(&seen, &known);
            assert_eq!(plan.steps == [resize(2, 3, Cause::Answer)], comes, "{storage:?}: {:?}", plan.steps);
        }
    }
}
