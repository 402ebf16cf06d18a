//! For each property policies that break it, and nothing else.

use super::*;
use crate::policy::conform::{Property, conform, survey};
use crate::policy::guest::Image;

/// Policies that break this property alone.
fn breaking(property: Property) -> Vec<Guest> {
    match property {
        Property::Answers => vec![gives_up_at_last()],
        // Without imports and in a fresh instance each time there is nothing by which two runs could differ; `twice` gives
        // a policy what none may have.
        Property::SameTwice => vec![],
        Property::FailureIsUnreadable => vec![reads_if("(local.get $exit_code)")],
        Property::CutIsUnreadable => vec![reads_if("(local.get $truncated)")],
        Property::NothingIsNoPosition => vec![reads_if(&nothing())],
        Property::NoiseIsUnreadable => {
            vec![reads_if(&noise()), unless(&noise(), Guest::sequence(Image::empty()))]
        }
        Property::NamesAreKnown => vec![
            Guest::seed().body("(i64.store (i32.const 516) (i64.load (i32.const 1024)))"),
            Guest::replicas().body("(i64.store (i32.const 520) (i64.load (i32.const 1024)))"),
        ],
        Property::OrdersAreWhole => {
            let fewer = "(i32.store (i32.const 516) (i32.sub (local.get $count) (i32.const 1)))";
            vec![Guest::primaries().body(fewer)]
        }
        Property::WellFormed => {
            let reversed = Image::history(&[("a", &[(2, 1)])]);
            vec![unless(&nothing(), Guest::sequence(reversed))]
        }
        Property::OrderMeansNothing => vec![seeds_the_first(), orders_as_given()],
    }
}

/// Says that it cannot read where this does not hold.
fn unless(condition: &str, guest: Guest) -> Guest {
    guest.body(&format!("(if (i32.eqz {condition}) (then (i32.store8 (i32.const 1024) (i32.const 2))))"))
}

/// Reads a position where this holds.
fn reads_if(condition: &str) -> Guest {
    unless(condition, Guest::sequence(Image::ordinal(42)))
}

/// Neither failed nor cut.
const WHOLE: &str = "(i32.eqz (i32.or (local.get $exit_code) (local.get $truncated)))";

/// An output without a byte.
fn nothing() -> String {
    format!("(i32.and {WHOLE} (i32.eqz (local.get $stdout_length)))")
}

/// A long output that does not begin with a line break.
fn noise() -> String {
    format!(
        "(i32.and {WHOLE} (if (result i32) (i32.gt_u (local.get $stdout_length) (i32.const 0x8000))
            (then (i32.ne (i32.load8_u (local.get $stdout)) (i32.const 10))) (else (i32.const 0))))"
    )
}

/// At the last output that it is given, a long one that begins with an n: an interface that gave up is asked no more.
fn gives_up_at_last() -> Guest {
    let body = "(if (i32.gt_u (local.get $stdout_length) (i32.const 0x8000))
        (then (if (i32.eq (i32.load8_u (local.get $stdout)) (i32.const 0x6e)) (then (unreachable)))))";
    Guest::sequence(Image::unreadable()).body(body)
}

fn seeds_the_first() -> Guest {
    let first = "(i64.store (i32.const 516) (i64.load (i32.sub (local.get $end) (i32.mul (local.get $count) (i32.const 72)))))";
    Guest::seed().body(first)
}

fn orders_as_given() -> Guest {
    let as_given = "(local.set $i (i32.const 0))
        (loop $each
          (i64.store
            (i32.add (local.get $out) (i32.mul (local.get $i) (i32.const 8)))
            (i64.load (i32.add (local.get $list) (i32.mul (local.get $i) (i32.const 72)))))
          (local.set $i (i32.add (local.get $i) (i32.const 1)))
          (br_if $each (i32.lt_u (local.get $i) (local.get $count))))";
    Guest::primaries().body(as_given)
}

#[test]
fn each_property_has_policies_that_break_it_and_nothing_else_and_they_are_refused_by_its_name() {
    for property in Property::ALL {
        let guests = breaking(property);
        assert_eq!(guests.is_empty(), property == Property::SameTwice, "{property:?} is broken by no policy");
        for guest in guests {
            let component = loaded(&guest);
            let surveyed = survey(&component, "{}");
            let broken: Vec<_> = surveyed.broken.iter().map(|one| one.property).collect();
            assert_eq!(broken, [property], "{:?}", surveyed.broken);
            assert_eq!(conform(&component, "{}").map_err(|broken| broken.property), Err(property));
        }
    }
}
