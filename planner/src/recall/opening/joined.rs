//! Who was being brought in when the one that led was lost, and leads now.

use crate::fixture::{holder, memory, name, record, stopped_set};
use crate::memory::Outage;
use crate::observation::Status;
use crate::plan::News;
use crate::start::StartKind;
use crate::{Memory, Observation, decide};

type Change = fn(&mut Observation, &mut Memory);

/// Member 1 led epoch 4 and its pod was deleted by force, which an outage began with; 0 joined it, and leads.
fn joined(change: Change) -> (Observation, Memory) {
    let mut seen = stopped_set(2).answers(0, 0);
    let mut joining = record(0).confirmed_in(3).open_start("join");
    (joining.joining, joining.open[0].kind, joining.open[0].confirmed) = (true, StartKind::Join, false);
    let mut led = record(1).confirmed_in(4).open_start("seed");
    led.open[0].pod = "gone".into();
    let mut known = memory([joining, led]);
    known.outage = Some(Outage::default());
    change(&mut seen, &mut known);
    (seen, known)
}

#[test]
fn who_leads_by_a_join_goes_on_with_the_epoch_of_the_one_that_it_joined_and_begins_none() {
    let nothing: Change = |_, _| {};
    let confirmed: Change = |_, known| {
        let long = known.holders.get_mut(&holder(0)).unwrap();
        (long.joining, long.confirmed, long.open[0].confirmed) = (false, 4, true);
    };
    let found: Change = |_, known| {
        let start = &mut known.holders.get_mut(&holder(0)).unwrap().open[0];
        (start.kind, start.confirmed) = (StartKind::Found, true);
    };
    let unbidden: Change =
        |_, known| known.holders.get_mut(&holder(0)).unwrap().open[0].kind = StartKind::Follow;
    let follows: Change = |seen, _| (seen.target.has_secondary, seen.target.primaries) = (true, 1);
    let first: Change = |_, known| {
        known.epoch.number = 0;
        known.holders.values_mut().for_each(|record| (record.confirmed, record.epoch.number) = (0, 0));
    };
    let unclear: Change = |seen, known| {
        seen.pod_mut(1).status = Status::Silent("lost".to_owned());
        known.paused = true;
    };
    for (sentence, change, epoch, goes_on) in [
        ("it joined, and leads", nothing, 4, false),
        ("it led already, and was away", confirmed, 5, false),
        ("it was found", found, 5, false),
        ("it was to follow, and leads", unbidden, 5, false),
        ("it joined, and follows", follows, 4, true),
        ("there was no epoch", first, 1, false),
        ("a pause ends, and one gives no answer", unclear, 4, true),
    ] {
        let (seen, known) = joined(change);
        let plan = decide(&seen, &known);
        assert_eq!((plan.memory.epoch.number, plan.memory.outage.is_some()), (epoch, goes_on), "{sentence}");
        assert_eq!(crate::audit(&seen, &known, &plan), Ok(()), "{sentence}");
    }
}

#[test]
fn who_leads_by_a_join_is_confirmed_once_the_status_knows_that_the_outage_is_over() {
    let (seen, known) = joined(|_, _| {});
    let first = decide(&seen, &known);
    let is_told = |news: &[News]| news.contains(&News::Joined(name(0)));
    let confirmed = |known: &Memory| known.holders[&holder(0)].confirmed;
    assert_eq!((confirmed(&first.memory), is_told(&first.news)), (3, false), "it is over with this look");
    let second = decide(&seen, &first.memory);
    assert_eq!((confirmed(&second.memory), is_told(&second.news)), (4, true));
    assert_eq!(confirmed(&second.memory), second.memory.epoch.number, "who led is owed what it holds");
    assert_eq!(crate::audit(&seen, &first.memory, &second), Ok(()));
}
