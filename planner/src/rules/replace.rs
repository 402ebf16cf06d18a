//! Where identities are given once, who is lost with its machine or its volume is given up, and another one takes its place,
//! once nobody needs what it held.

use crate::draft::{Draft, Flow};
use crate::look::Look;
use crate::names::ReplicaName;
use crate::places::is_released;
use crate::plan::{Cause, Step};
use crate::recall::loss::{is_lost, may_replace};
use crate::rules::leave::has_left;

pub(crate) fn replace(draft: &mut Draft<'_>) -> Flow {
    let (look, to) = (draft.look, draft.look.target().replicas);
    let has_size = look.seen.workload.as_ref().is_some_and(|workload| workload.replicas == to);
    if !has_size || !may_replace(look) || look.memory.outage.is_some() {
        return Flow::On;
    }
    match lost(look).find(|name| has_left(draft, name)) {
        Some(name) => {
            let released = vec![name.clone()];
            draft.alone(Step::Resize { to, if_from: to, released, cause: Cause::Answer })
        }
        None => Flow::On,
    }
}

/// Who is lost in a place that is wanted, and was not given up by name. What was started there may live: its identity and
/// its claims are nobody else's, and its open start keeps others from seeding.
fn lost<'b>(look: &'b Look<'_>) -> impl Iterator<Item = &'b ReplicaName> {
    let wanted = look.in_places(0..look.target().replicas).filter(|name| !is_released(look, name));
    let is_gone = |name: &ReplicaName| look.record(name).is_some_and(|record| is_lost(look, record));
    wanted.filter(move |name| !look.state(name).is_running() && is_gone(name))
}

#[cfg(test)]
mod tests {
    use crate::fixture::{holder, name, record, running, start};
    use crate::observation::{Command, Status};
    use crate::position::{History, Position};
    use crate::recall::loss::tests::{Change, stranded};
    use crate::record::{Reading, Record};
    use crate::target::Failover;
    use crate::{Memory, Observation, Step, audit, decide};

    /// Member 2 is lost, and what it held was given up.
    fn given_up(change: Change) -> (Observation, Memory) {
        let (mut seen, mut known) = stranded(|_, _| {});
        known.holders.get_mut(&holder(2)).unwrap().waived = true;
        change(&mut seen, &mut known);
        (seen, known)
    }

    fn at(last: u64) -> Reading {
        Reading::At(Position::History(History::up_to("a", last)))
    }

    fn lost(known: &mut Memory) -> &mut Record {
        known.holders.get_mut(&holder(2)).unwrap()
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "a table of cases")]
    fn who_is_lost_is_replaced_once_nobody_needs_what_it_held() {
        let cases: [(&str, Change, bool); 15] = [
            ("what it held was given up, and what was started of it may live", |_, _| {}, true),
            ("its pod is gone", |seen, _| seen.replicas.get_mut(&name(2)).unwrap().pod = None, true),
            (
                "nobody gave up what it held",
                |seen, known| (lost(known).waived, seen.target.replace_after) = (false, None),
                false,
            ),
            (
                "its pod is gone, what it held was given up, and nobody is to take the place of another",
                |seen, known| {
                    seen.replicas.get_mut(&name(2)).unwrap().pod = None;
                    seen.target.replace_after = None;
                    *lost(known) = Record { waived: true, ..record(2).confirmed_in(1) };
                },
                false,
            ),
            ("it was not away for long", |seen, _| seen.ages.clear(), false),
            (
                "its machine is heard of again",
                |seen, _| seen.nodes.get_mut(&"node-2".into()).unwrap().ready = true,
                false,
            ),
            (
                "it was given up by name",
                |seen, _| {
                    seen.workload.as_mut().unwrap().released.insert(name(2));
                },
                false,
            ),
            ("nobody serves", |seen, _| *seen = seen.clone().answers(0, 7).answers(1, 7), false),
            ("another size is under way", |seen, _| seen.workload.as_mut().unwrap().replicas = 2, false),
            (
                "one more is too many, and does not say that it has stopped",
                |seen, known| {
                    let mut more = running(4);
                    more.pod_mut(3).status = Status::Silent("no answer".to_owned());
                    seen.replicas.extend(more.replicas.into_iter().skip(3));
                    seen.nodes.extend(more.nodes.into_iter().skip(3));
                    seen.workload.as_mut().unwrap().replicas = 4;
                    known.holders.insert(holder(3), record(3).confirmed_in(1).open_start("a3"));
                },
                false,
            ),
            (
                "it is to be brought in, and what was started of it may live",
                |_, known| {
                    (lost(known).waived, lost(known).joining) = (false, true);
                },
                true,
            ),
            (
                "it was read at rest as a history that all who serve have",
                |_, known| {
                    *lost(known) = record(2).confirmed_in(1).reads(at(3));
                },
                true,
            ),
            (
                "others went on without it, and it was read as a number",
                |seen, known| {
                    seen.target.replace_after = Some(60);
                    *lost(known) = Record { left: true, ..record(2).confirmed_in(1).at(3) };
                },
                true,
            ),
            (
                "nobody leads",
                |seen, known| {
                    (seen.target.has_secondary, seen.target.primaries) = (true, 1);
                    (seen.target.failover, lost(known).waived) = (Failover::Never, false);
                    *lost(known) = record(2).confirmed_in(1).reads(at(3));
                },
                false,
            ),
            (
                "its pod is gone, and its history is in what the set goes on with",
                |seen, known| {
                    seen.replicas.get_mut(&name(2)).unwrap().pod = None;
                    *lost(known) = record(2).confirmed_in(1).reads(at(3));
                },
                true,
            ),
        ];
        for (sentence, change, goes) in cases {
            let (seen, known) = given_up(change);
            let plan = decide(&seen, &known);
            assert_eq!(audit(&seen, &known, &plan), Ok(()), "{sentence}");
            let names = |step: &Step| matches!(step, Step::Resize { to: 3, if_from: 3, released, .. } if released[..] == [name(2)]);
            assert_eq!(plan.steps.iter().any(names), goes, "{sentence}: {:?} {:?}", plan.steps, plan.holds);
        }
    }

    #[test]
    fn who_is_lost_and_too_many_goes_with_its_name() {
        let (mut seen, known) = given_up(|_, _| {});
        (seen.target.replicas, seen.target.primaries) = (2, 2);
        let plan = decide(&seen, &known);
        assert_eq!(audit(&seen, &known, &plan), Ok(()));
        let names =
            |step: &Step| matches!(step, Step::Resize { to: 2, released, .. } if released[..] == [name(2)]);
        assert!(plan.steps.iter().any(names), "{:?} {:?}", plan.steps, plan.holds);
    }

    #[test]
    fn what_was_started_of_who_was_replaced_keeps_others_from_seeding() {
        let (seen, mut known) = given_up(|seen, _| {
            *seen = seen.clone().answers(0, 7).answers(1, 7);
            seen.workload.as_mut().unwrap().released.insert(name(2));
        });
        for n in 0..2 {
            known.holders.insert(holder(n), record(n).confirmed_in(1).at(5));
        }
        known.outage = Some(crate::memory::Outage::default());
        lost(&mut known).open = vec![start(2, "a2")];
        let (serving, well) = given_up(|seen, _| {
            seen.workload.as_mut().unwrap().released.insert(name(2));
        });
        let plan = decide(&serving, &well);
        assert!(plan.holds.iter().all(|hold| hold.reason.name() != "StartOpen"), "nothing waits for it");
        let plan = decide(&seen, &known);
        let seeds = |step: &Step| matches!(step, Step::Run(run) if run.command == Command::Seed);
        assert!(!plan.steps.iter().any(seeds), "{:?}", plan.steps);
        assert!(plan.holds.iter().any(|hold| hold.reason.name() == "StartOpen"), "{:?}", plan.holds);
    }
}
