//! What is remembered of templates.

use super::{Case, Rule, is_caught, updated};
use crate::fixture::{healthy, identity, revision};
use crate::memory::Memory;
use crate::observation::{Life, Node, Trust};
use crate::timer::Timer;

#[test]
fn a_template_that_is_judged_without_evidence_is_caught() {
    let rule = Rule::Template;
    let mut sound = updated();
    sound.seen.rejected.insert(revision("a", "2"));
    sound.seen.ripen(Timer::Stuck(revision("a", "2")));
    let taken_back = Case::of(sound.seen, sound.before);
    assert_eq!(taken_back.plan.memory.failed, Some(revision("a", "2")));
    is_caught("taken back too soon", &taken_back, rule, |case| case.seen.ages.clear());
    is_caught("another one", &taken_back, rule, |case| {
        case.seen.ripen(Timer::Stuck(revision("b", "1")));
        case.plan.memory.failed = Some(revision("b", "1"));
    });
    is_caught("nobody shows it", &taken_back, rule, |case| case.seen.rejected.clear());
    is_caught("only one on a silent node does", &taken_back, rule, |case| {
        case.seen.rejected.clear();
        (case.seen.pod(0).revision, case.seen.pod(0).node) = (revision("a", "2"), Node::Silent);
    });
    is_caught("only one that was ill before does", &taken_back, rule, |case| {
        case.seen.rejected.clear();
        (case.seen.pod(0).revision, case.seen.pod(0).life) = (revision("a", "2"), Life::Unready);
        case.before.excused.insert(identity(0));
    });
    let proven = Case::of(healthy(2), Memory { grown: 2, ..Memory::default() });
    assert_eq!(proven.plan.memory.proven, Some(revision("a", "1")));
    is_caught("proven without one of them", &proven, rule, |case| case.seen.pod(1).life = Life::Unready);
    is_caught("proven by one that restarts", &proven, rule, |case| case.seen.pod(1).trust = Trust::Fresh);
    is_caught("proven by another", &proven, rule, |case| case.seen.pod(1).revision = revision("b", "1"));
}
