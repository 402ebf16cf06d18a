//! Stories that seeds draw: many replacements, with all that may go wrong on the way.

use shell_simulator::identities::tell;
use simulator::{each, sampled};

/// Run where no runtime is: each story has a clock of its own.
#[test]
fn whatever_befalls_pods_nodes_and_operators_no_identity_is_given_twice_and_all_are_well_in_the_end() {
    let sum = each(1..sampled(9, 26), 2, tell).unwrap_or_else(|(seed, told)| panic!("{told}\nseed {seed}"));
    assert!(sum.replaced > sampled(20, 80) && sum.crashes > sampled(2, 10), "{sum:?}");
}
