//! When an outage begins, and which of its candidates are still to be tried.

use crate::look::Look;
use crate::memory::{Failure, Outage};
use crate::plan::News;
use crate::position::Position;
use crate::record::{HolderId, Record};

/// It begins with the first look in which nobody runs and nobody may.
pub(super) fn begin(look: &mut Look<'_>, news: &mut Vec<News>) {
    if look.memory.outage.is_none() && look.is_dark() {
        look.memory.outage = Some(Outage::default());
        look.memory.outages += 1;
        if look.epoch() > 0 && look.target().replicas > 0 {
            news.push(News::OutageNoticed);
        }
    }
}

/// A candidate whose seed began and was closed unconfirmed is struck off, unless its machine started anew meanwhile. If
/// its history grew by that try, it alone holds what was added, and it alone is left. Beside followers that run there is no
/// list: that it was tried stays written down until its member is confirmed.
pub(super) fn strike_failed_candidates(look: &mut Look<'_>, _: &mut Vec<News>) {
    if look.memory.outage.is_none() || look.running().next().is_some() {
        return;
    }
    let tried: Vec<HolderId> = look
        .memory
        .holders
        .values()
        .filter(|record| record.tried.is_some() && record.standing().is_some())
        .map(|record| record.holder.clone())
        .collect();
    for holder in tried {
        strike(look, &holder);
    }
}

/// Where another reader reads by now the list is made anew, and what one of them read is not measured by the other.
fn strike(look: &mut Look<'_>, holder: &HolderId) {
    let Some(record) = look.memory.holders.get_mut(holder) else { return };
    let grew = has_grown(record);
    let counts = record.tried.as_ref().is_some_and(|tried| !tried.was_cut_off(look.seen));
    let reader = record.standing().and_then(|taken| taken.measure.reader.clone());
    let replica = record.replica.clone();
    let Some(tried) = record.tried.take() else { return };
    let Some(outage) = look.memory.outage.as_mut() else { return };
    if counts {
        outage.failed.push(Failure { replica, why: tried.words().to_owned() });
    }
    if let Some(list) = outage.candidates.as_mut().filter(|_| tried.reader == reader && (counts || grew)) {
        list.retain(|other| if grew { other == holder } else { other != holder });
    }
}

fn has_grown(record: &Record) -> bool {
    let before = record.tried.as_ref().and_then(|tried| tried.from.as_ref());
    match (before, record.position()) {
        (Some(before @ Position::History(_)), Some(now)) => now.includes(before) && now != before,
        (None, Some(Position::History(_))) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{self, holder, memory, reader, record, stopped_set};
    use crate::guarantees::attempt;
    use crate::memory::Outage;
    use crate::observation::{AttemptState, Command, Fate, Output, Status};
    use crate::plan::News;
    use crate::position::{History, Position};
    use crate::record::{HolderId, Reading};
    use crate::start::StartKind;
    use crate::{Memory, Observation, decide};

    #[test]
    fn an_outage_begins_when_nobody_runs_and_nobody_may() {
        let known = memory([0, 1].map(|n| record(n).confirmed_in(1)));
        assert_eq!(decide(&stopped_set(2), &known).memory.outages, 2);
        assert_eq!(decide(&stopped_set(2).answers(1, 0), &known).memory.outages, 1, "one runs");
        let mut seen = stopped_set(2);
        seen.pod_mut(1).status = Status::Silent("lost".to_owned());
        assert_eq!(decide(&seen, &known).memory.outages, 1, "one may");
    }

    #[test]
    fn a_failed_seed_says_how_its_command_ended() {
        let mut known = memory([record(0).confirmed_in(1).open_start("a")]);
        known.outage = Some(Outage { candidates: Some(vec![holder(0)]), ..Outage::default() });
        let tried = known.holders.get_mut(&holder(0)).unwrap();
        (tried.open[0].kind, tried.open[0].attempt) = (StartKind::Seed, "a".into());
        tried.open[0].confirmed = false;
        let (stdout, stderr) = ("starting\n".to_owned(), "x\n/nope.sh: not found\n\n".to_owned());
        let ended = AttemptState::Ended(Output { code: 4, stdout, stderr, truncated: false });
        let mut seen = stopped_set(1);
        seen.attempts.insert("a".into(), attempt(0, Command::Seed, ended));
        seen.fates.insert("a".into(), Fate::Over);
        let mut known = decide(&seen, &known).memory;
        let record = known.holders.get_mut(&holder(0)).unwrap();
        *record = record.clone().at(9);
        let plan = decide(&stopped_set(1), &known);
        let hold = plan.holds.iter().find(|hold| hold.reason.name() == "SeedsExhausted").unwrap();
        assert!(hold.reason.to_string().ends_with("; x-0: exit 4: /nope.sh: not found"), "{}", hold.reason);
    }

    #[test]
    fn an_outage_is_told_of_a_set_that_served_and_is_wanted() {
        let told = |epoch: u64, replicas: u32| {
            let mut seen = stopped_set(2);
            seen.target.replicas = replicas;
            let mut known = memory([0, 1].map(|ordinal| record(ordinal).confirmed_in(epoch)));
            known.epoch.number = epoch;
            decide(&seen, &known).news.contains(&News::OutageNoticed)
        };
        assert_eq!(
            [(1, 2), (0, 2), (1, 0), (0, 0)].map(|(epoch, size)| told(epoch, size)),
            [true, false, false, false]
        );
    }

    fn tried(before: impl Into<Option<Position>>, after: Position) -> Vec<HolderId> {
        outage_after(&stopped_set(2), before.into(), after).candidates.unwrap()
    }

    /// The outage after the seed of member 0, which began and came to nothing.
    fn outage_after(seen: &Observation, before: Option<Position>, after: Position) -> Outage {
        let mut failed = record(0).confirmed_in(1).reads(Reading::At(after));
        failed.tried = Some(fixture::tried(0, before, ""));
        let mut known: Memory = memory([failed, record(1).confirmed_in(1).at(9)]);
        known.outage = Some(Outage { candidates: Some(vec![holder(0), holder(1)]), ..Outage::default() });
        let plan = decide(seen, &known);
        assert_eq!(crate::audit(seen, &known, &plan), Ok(()));
        assert!(plan.memory.holders.values().all(|record| record.tried.is_none()));
        plan.memory.outage.unwrap()
    }

    #[test]
    fn a_seed_that_its_machine_cut_off_was_not_tried() {
        let history = |last| Position::History(History::up_to("a", last));
        for (sentence, node, boot, after, left, failed) in [
            ("the machine runs on", "node-0", "boot-0", history(9), vec![holder(1)], 1),
            ("it started anew", "node-0", "later", history(9), vec![holder(0), holder(1)], 0),
            ("it did, and the history grew before", "node-0", "later", history(10), vec![holder(0)], 0),
            ("its boot is not told", "node-0", "", history(9), vec![holder(1)], 1),
            ("another machine started anew", "node-1", "later", history(9), vec![holder(1)], 1),
        ] {
            let mut seen = stopped_set(2);
            seen.nodes.get_mut(&node.into()).unwrap().boot = boot.into();
            let outage = outage_after(&seen, Some(history(9)), after);
            assert_eq!((outage.candidates.unwrap(), outage.failed.len()), (left, failed), "{sentence}");
        }
    }

    #[test]
    fn a_candidate_that_failed_is_struck_off_unless_its_history_grew() {
        assert_eq!(tried(Position::Ordinal(9), Position::Ordinal(9)), [holder(1)]);
        assert_eq!(
            tried(Position::Ordinal(9), Position::Ordinal(12)),
            [holder(1)],
            "a bare number proves no growth"
        );
        let history = |last| Position::History(History::up_to("a", last));
        assert_eq!(tried(history(9), history(9)), [holder(1)]);
        assert_eq!(tried(history(9), history(10)), [holder(0)], "it alone holds what was added");
        assert_eq!(tried(None, history(10)), [holder(0)], "it had nothing before");
        assert_eq!(tried(None, Position::Ordinal(10)), [holder(1)]);
    }

    #[test]
    fn what_one_policy_read_before_a_seed_is_not_measured_by_what_another_reads_after_it() {
        let mut failed = record(0).confirmed_in(1).at(9);
        failed.tried = Some(fixture::tried(0, Some(Position::Ordinal(9)), ""));
        failed.tried.as_mut().unwrap().reader = Some("another".into());
        let mut known: Memory = memory([failed, record(1).confirmed_in(1).at(9)]);
        let (reader, candidates) = (Some(reader()), Some(vec![holder(0), holder(1)]));
        known.outage = Some(Outage { reader, candidates, ..Outage::default() });
        let plan = decide(&stopped_set(2), &known);
        let outage = plan.memory.outage.clone().unwrap();
        assert_eq!(outage.candidates.unwrap(), [holder(0), holder(1)], "the list is of this reader");
        assert_eq!(outage.failed.len(), 1, "that it came to nothing is told all the same");
        assert!(plan.memory.holders.values().all(|record| record.tried.is_none()));
    }
}
