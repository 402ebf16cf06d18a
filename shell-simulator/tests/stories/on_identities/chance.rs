//! Stories that seeds draw: members that are lost and replaced, sizes that change, and all that befalls other sets.

use shell_simulator::tell_on_identities;
use simulator::{each, sampled};

/// Run where no runtime is: each story has a clock of its own.
#[test]
fn whatever_befalls_a_set_on_identities_no_row_is_lost_and_it_is_well_in_the_end_or_once_a_key_is_given() {
    let sum = each(1..sampled(4, 7), 2, tell_on_identities)
        .unwrap_or_else(|(seed, told)| panic!("{told}\nseed {seed}"));
    assert!(sum.faults > sampled(0, 3), "{sum:?}");
    assert!(sum.replaced >= sampled(0, 1), "{sum:?}");
}
