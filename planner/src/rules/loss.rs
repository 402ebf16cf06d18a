//! Where identities are given once: one that serves is asked what it holds, so that an epoch may begin without a member that
//! is lost; where that is not allowed, a person is asked.

use crate::draft::{Draft, Flow};
use crate::hold::Reason;
use crate::key::KeyKind;
use crate::look::Look;
use crate::names::ReplicaName;
use crate::recall::loss::{
    counting, given_up, is_lost, is_owed_for_ever, is_replaced, may_be_given_up, may_replace, speakers,
};
use crate::record::Record;
use crate::rules::failover::ask_running;
use crate::target::Mode;

pub(crate) fn loss(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    let lost = |record: &&Record| is_lost(look, record) && !is_owed_for_ever(record);
    for record in counting(look).filter(lost).filter(|_| is_replaced(look)) {
        let (name, why) = (&record.replica, why(look, record));
        let keys = [(KeyKind::AcceptLoss, name.to_string())];
        draft.hold_replica(name, Reason::Unread(name.clone(), Some(why)), &keys);
    }
    if given_up(look).next().is_some() {
        let speakers: Vec<&ReplicaName> = speakers(look).collect();
        ask_running(draft, &speakers);
    }
    Flow::On
}

/// Why the set does not go on without it yet.
fn why(look: &Look<'_>, record: &Record) -> String {
    let target = look.target();
    let cause = match () {
        () if target.mode != Mode::Auto => format!("recovery.mode is {:?}", target.mode),
        () if !may_be_given_up(look, record) => {
            format!("recovery.failover is {:?}, and {}", target.failover, led(record))
        }
        () if speakers(look).next().is_none() => "nobody leads that led before".to_owned(),
        () if !may_replace(look) => "nobody has the place of the one that was given up last".to_owned(),
        () => "those that serve are asked what they hold".to_owned(),
    };
    format!("it is lost with its machine or its volume; {cause}")
}

fn led(record: &Record) -> &'static str {
    if record.last == Some(crate::observation::Role::Secondary) {
        "it followed"
    } else {
        "it may have taken writes"
    }
}

#[cfg(test)]
mod tests {
    use crate::decide;
    use crate::fixture::{holder, name};
    use crate::observation::Role;
    use crate::recall::loss::tests::{Change, stranded};
    use crate::target::{Failover, Mode};

    #[test]
    fn a_person_is_told_why_the_set_does_not_go_on_without_who_is_lost_yet() {
        let cases: [(Change, &str); 6] = [
            (|seen, _| seen.target.mode = Mode::Ask, "recovery.mode is Ask"),
            (
                |seen, _| seen.target.failover = Failover::Never,
                "recovery.failover is Never, and it may have taken writes",
            ),
            (
                |seen, known| {
                    seen.target.failover = Failover::Never;
                    known.holders.get_mut(&holder(2)).unwrap().last = Some(Role::Secondary);
                },
                "recovery.failover is Never, and it followed",
            ),
            (
                |seen, _| (seen.target.has_secondary, seen.target.primaries) = (true, 1),
                "nobody leads that led before",
            ),
            (
                |seen, _| {
                    (seen.target.replicas, seen.target.primaries) = (4, 4);
                    seen.workload.as_mut().unwrap().replicas = 4;
                },
                "nobody has the place of the one that was given up last",
            ),
            (|_, _| {}, "those that serve are asked what they hold"),
        ];
        for (change, said) in cases {
            let (seen, known) = stranded(change);
            let plan = decide(&seen, &known);
            let hold = plan.holds.iter().find(|hold| hold.reason.name() == "Unread").unwrap();
            assert!(hold.reason.to_string().ends_with(said), "{said}: {}", hold.reason);
            assert_eq!(hold.keys.iter().map(|key| &key.subject).collect::<Vec<_>>(), [&name(2).0], "{said}");
        }
    }
}
