//! Stories that seeds draw: many replacements, with all that may go wrong on the way.

use shell_simulator::identities::tell;

/// Run where no runtime is: each story has a clock of its own.
#[test]
fn whatever_befalls_pods_nodes_and_operators_no_identity_is_given_twice_and_all_are_well_in_the_end() {
    let (mut replaced, mut crashes) = (0, 0);
    for seed in 1..=25 {
        let (tally, identities) = tell(seed).unwrap_or_else(|told| panic!("{told}\nseed {seed}"));
        (replaced, crashes) = (replaced + identities, crashes + tally.crashes);
    }
    assert!(replaced > 80 && crashes > 10, "{replaced} replaced, {crashes} crashes");
}
