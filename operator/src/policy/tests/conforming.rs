//! What is told of policies that behave, and of ones that do not.

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::policy::conform::{Progress, Property, Surveyed, Underway, conform, survey};
use crate::policy::guest::Image;
use crate::policy::{Interface, limits};

/// Answers `ordinal` where `condition` holds, and that it is unreadable elsewhere.
fn reads_if(condition: &str) -> Guest {
    Guest::sequence(Image::ordinal(42))
        .body(&format!("(if (i32.eqz {condition}) (then (i32.store8 (i32.const 1024) (i32.const 2))))"))
}

#[test]
fn policies_that_behave_conform_and_their_use_of_fuel_is_known() {
    let sequence = Guest::sequence(Image::unreadable());
    for guest in [sequence, Guest::seed(), Guest::primaries(), Guest::replicas()] {
        let conformed = conform(&loaded(&guest), "{}").unwrap();
        assert!(conformed.questions > 30, "{conformed:?}");
        assert!((1..limits::FUEL / 100).contains(&conformed.fuel), "{conformed:?}");
    }
}

#[test]
fn what_breaks_is_shown_with_the_question() {
    let broken = conform(&loaded(&reads_if("(local.get $exit_code)")), "{}").unwrap_err();
    let Question::Sequence(input) = &*broken.question else { panic!("{broken:?}") };
    assert_ne!(input.output.exit_code, 0);
    assert!(broken.to_string().contains("clusterlabs:policy/sequence@0.1.0"), "{broken}");
}

#[test]
fn a_survey_tells_all_that_does_not_hold_and_the_trial_the_first_of_it() {
    let Surveyed { conformed, broken, .. } = survey(&loaded(&Guest::seed()), "{}");
    assert_eq!((conform(&loaded(&Guest::seed()), "{}"), broken), (Ok(conformed), Vec::new()));
    let reads_all = loaded(&Guest::sequence(Image::ordinal(42)));
    let broken = survey(&reads_all, "{}").broken;
    let properties: Vec<_> = broken.iter().map(|broken| broken.property).collect();
    use Property::*;
    let expected = [FailureIsUnreadable, CutIsUnreadable, NothingIsNoPosition, NoiseIsUnreadable];
    assert_eq!(properties, expected);
    assert_eq!(*conform(&reads_all, "{}").unwrap_err(), broken[0]);
    for broken in &broken {
        assert!(broken.property.concerns(broken.question.interface()), "{broken}");
    }
}

#[test]
fn an_interface_that_does_not_answer_is_not_asked_again_by_a_survey() {
    // A set of one is what it is tried with first.
    let of_one = Guest::seed().body("(if (i32.eq (local.get $count) (i32.const 1)) (then (unreachable)))");
    let Surveyed { conformed, broken, observed } = survey(&loaded(&of_one), "{}");
    assert_eq!((conformed.questions, broken.len(), observed.len()), (0, 1, 0));
    assert_eq!(broken[0].property, Property::Answers);
}

/// Reads nothing, and gives up on every question for a seed and for an order.
fn reads_alone(gives_up: &str) -> Guest {
    let choices = ["seed@0.1.0#choose", "primaries@0.1.0#order"].map(|function| {
        format!(
            "(func (export \"clusterlabs:policy/{function}\")
               (param i32 i32 i32 i32) (result i32) {gives_up} (unreachable))"
        )
    });
    let exports = "export sequence; export seed; export primaries;";
    Guest::sequence(Image::unreadable()).with(exports, &choices.concat())
}

#[test]
fn of_interfaces_that_do_not_answer_nothing_is_observed_and_each_is_told() {
    let Surveyed { conformed, broken, observed } = survey(&loaded(&reads_alone("")), "{}");
    let told: Vec<_> = broken.iter().map(|one| (one.property, one.question.interface())).collect();
    assert_eq!(told, [(Property::Answers, Interface::Seed), (Property::Answers, Interface::Primaries)]);
    assert!(conformed.questions > 30 && conformed.fuel < limits::FUEL);
    assert!(observed.iter().all(|(_, interface)| *interface == Interface::Sequence), "{observed:?}");
    for property in [Property::NamesAreKnown, Property::OrdersAreWhole, Property::OrderMeansNothing] {
        assert!(observed.iter().all(|(observed, _)| *observed != property), "{property:?}");
    }
}

#[test]
fn a_question_for_which_the_fuel_was_not_enough_used_all_of_it() {
    let Surveyed { conformed, .. } = survey(&loaded(&reads_alone("(loop $ever (br $ever))")), "{}");
    assert_eq!(conformed.fuel, limits::FUEL);
}

#[test]
fn a_question_at_which_it_trapped_used_what_it_took_until_then() {
    let works = "(local.set 0 (i32.const 1000000))
        (loop $on (br_if $on (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))";
    let Surveyed { conformed, .. } = survey(&loaded(&reads_alone(works)), "{}");
    assert!((1_000_000..limits::FUEL).contains(&conformed.fuel), "{conformed:?}");
}

#[test]
fn a_trial_in_slices_finds_what_a_trial_in_one_does() {
    let in_slices = |guest: &Guest| {
        let mut underway = Underway::new(Arc::new(loaded(guest)), "{}");
        for slices in 1.. {
            match underway.go_on(Duration::ZERO) {
                Progress::More(rest) => underway = *rest,
                Progress::Done(done) => return (slices, done),
            }
        }
        unreachable!("it ends")
    };
    for guest in [Guest::seed(), Guest::replicas(), reads_if("(local.get $truncated)")] {
        let (slices, found) = in_slices(&guest);
        assert_eq!(found, conform(&loaded(&guest), "{}"));
        assert!(slices > 1, "{slices}");
    }
}
