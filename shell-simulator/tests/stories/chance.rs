//! Stories of sets that seeds draw: what befalls the cluster, and what goes wrong with what the operator asks for.

use shell_simulator::tell;
use simulator::{each, sampled};

/// Run where no runtime is: each story has a clock of its own. Every other one is compared with the same without trouble.
#[test]
fn whatever_befalls_a_set_no_law_is_broken_and_it_is_well_in_the_end_or_once_a_key_that_it_names_is_given() {
    let sum = each(1..sampled(13, 31), 2, tell).unwrap_or_else(|(seed, told)| panic!("{told}\nseed {seed}"));
    assert!(sum.crashes > sampled(0, 3) && sum.faults > sampled(5, 20), "{sum:?}");
}
