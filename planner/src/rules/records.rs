//! A record that cannot be read may name an open start: nothing is started beside it.

use crate::draft::{Draft, Flow};
use crate::hold::Reason;

pub(crate) fn records(draft: &mut Draft<'_>) -> Flow {
    let unreadable =
        |replica: &crate::observation::Replica| replica.claims.iter().any(|claim| claim.unreadable);
    let seen = draft.look.seen;
    let names: Vec<_> =
        seen.replicas.iter().filter(|(_, r)| unreadable(r)).map(|(name, _)| name.clone()).collect();
    for name in &names {
        draft.hold_replica(name, Reason::RecordUnreadable(name.clone()), &[]);
    }
    if names.is_empty() { Flow::On } else { Flow::Enough }
}

#[cfg(test)]
mod tests {
    use crate::fixture::{memory, name, record, stopped_set};
    use crate::plan::Step;
    use crate::{audit, decide};

    #[test]
    fn while_a_record_cannot_be_read_who_stopped_loses_its_label_and_nothing_else_is_done() {
        let mut seen = stopped_set(2).answers(0, 0);
        for n in 0..2 {
            seen.pod_mut(n).active = Some(true);
        }
        seen.replicas.get_mut(&name(0)).unwrap().claims[0].unreadable = true;
        let known = memory([0, 1].map(|n| record(n).confirmed_in(1).open_start(&format!("a{n}"))));
        let plan = decide(&seen, &known);
        let labels: Vec<_> = plan.steps.iter().filter_map(Step::replica).cloned().collect();
        assert!(labels.contains(&name(1)), "{:?}", plan.steps);
        assert!(plan.steps.iter().all(|step| matches!(step, Step::Label { .. })), "{:?}", plan.steps);
        assert_eq!(audit(&seen, &known, &plan), Ok(()));
    }
}
