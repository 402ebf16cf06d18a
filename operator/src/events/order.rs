//! Which order of primaries a set follows.

use planner::observation::Command;
use planner::{Plan, Step};
use serde::Deserialize;

use super::{Happened, Reason};
use crate::api::Decision;
use crate::policy::answer::{Answer, Ordered};
use crate::policy::record::{Outcome, Record};
use crate::report::words;

/// The order of primaries that was told last. None: this operator did not look yet.
#[derive(Default)]
pub struct OrderTold(Option<Vec<String>>);

impl OrderTold {
    /// The order that a step of this plan follows, if it is another than before. Before this operator's first look it is
    /// what the status had recorded by then; what is recorded later was not followed for that yet.
    pub fn news(&mut self, plan: &Plan, records: &[Record], recorded: &[Decision]) -> Option<Happened> {
        let follows = |step: &Step| {
            let moves = [Command::Join, Command::Follow, Command::Promote, Command::Demote];
            matches!(step, Step::Run(run) if moves.contains(&run.command))
        };
        let before = self.0.get_or_insert_with(|| {
            let known = recorded.iter().filter_map(|one| Record::deserialize(&*one.0).ok());
            let mut known = known.filter_map(|one| order(&one).map(|order| order.ordering.clone()));
            known.next_back().unwrap_or_default()
        });
        let record = records.iter().rfind(|record| order(record).is_some())?;
        let Ordered { ordering, why } = order(record).filter(|_| plan.steps.iter().any(follows))?;
        let is_news = before != ordering;
        before.clone_from(ordering);
        let by = record.policy.as_ref().map(words::by).unwrap_or_default();
        let note = format!("primaries in the order {}: {why} ({by})", ordering.join(", "));
        let reason = Reason::OrderChosen;
        is_news.then_some(Happened { reason, is_warning: false, replica: None, note })
    }
}

/// The order that was answered, if it counts.
fn order(record: &Record) -> Option<&Ordered> {
    match &record.outcome {
        Outcome::Answered(Answer::Primaries(ordered)) if record.vetoes.is_empty() => Some(ordered),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// The order that a policy gave, of which these vetoes were.
    fn ordered(names: &[&str], vetoes: &[&str]) -> Record {
        let json = json!({"interface": "primaries@0.1.0", "input": {"members": []}, "policy": {},
            "answer": {"ordering": names, "why": "w"}, "vetoes": vetoes});
        serde_json::from_value(json).unwrap()
    }

    fn joins(joins: bool) -> Plan {
        let run = json!({"replica": "x-0", "command": "Join", "attempt": "a", "ifPod": "p", "ifContainer": "c",
            "lock": true, "starts": 1, "atRest": true, "epoch": 1, "peers": [], "cause": "Answer"});
        let steps = if joins { vec![Step::Run(serde_json::from_value(run).unwrap())] } else { Vec::new() };
        Plan { steps, ..Plan::default() }
    }

    #[test]
    fn an_order_is_told_when_it_is_followed_and_is_another_than_before() {
        let recorded = [Decision(json!(ordered(&["x-1", "x-0"], &[])).into())];
        let mut told = OrderTold::default();
        let mut news =
            |plan: &Plan, record: Record| told.news(plan, &[record], &recorded).map(|one| one.note);
        let (one, other) = (|| ordered(&["x-1", "x-0"], &[]), || ordered(&["x-0", "x-1"], &[]));
        assert_eq!(news(&joins(true), one()), None, "it was recorded before this operator began");
        assert_eq!(news(&joins(false), other()), None, "nothing follows it");
        assert_eq!(
            news(&joins(true), ordered(&["x-0", "x-1"], &["it is none"])),
            None,
            "it counts for nothing"
        );
        let said = "primaries in the order x-0, x-1: w (policy largest-integer)";
        assert_eq!(news(&joins(true), other()).as_deref(), Some(said));
        assert_eq!(news(&joins(true), other()), None, "it is known");
        assert!(news(&joins(true), one()).is_some());
        assert!(OrderTold::default().news(&joins(true), &[one()], &[]).is_some(), "the first one");
        let mut first = OrderTold::default();
        assert_eq!(first.news(&joins(false), &[one()], &[]), None, "it is asked for before it is followed");
        let told = first.news(&joins(true), &[one()], &recorded);
        assert!(told.is_some(), "the first one, recorded when it was asked for");
    }
}
