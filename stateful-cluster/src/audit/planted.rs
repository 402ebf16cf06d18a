//! Planted bugs: each is caught by the audit alone, under the guarantee that it breaks and no other.

use super::{Rule, audit};
use crate::decide;
use crate::fixture::{add, healthy, identity, revision, settled, uid};
use crate::memory::{Memory, Why};
use crate::observation::{Birth, Life, Node, Observation, Taken, Trust};
use crate::plan::{Cause, Plan, Step};
use crate::target::Retention;
use crate::timer::Timer;
use std::collections::BTreeSet;

#[derive(Clone)]
struct Case {
    seen: Observation,
    before: Memory,
    plan: Plan,
}

impl Case {
    fn of(seen: Observation, before: Memory) -> Self {
        let plan = decide(&seen, &before);
        Self { seen, before, plan }
    }

    fn breaches(&self) -> BTreeSet<Rule> {
        let found = audit(&self.seen, &self.before, &self.plan).err().unwrap_or_default();
        found.into_iter().map(|breach| breach.rule).collect()
    }
}

fn is_caught(sentence: &str, sound: &Case, rule: Rule, plant: fn(&mut Case)) {
    assert_eq!(sound.breaches(), BTreeSet::new(), "without it: {sentence}");
    let mut case = sound.clone();
    plant(&mut case);
    assert_eq!(case.breaches(), BTreeSet::from([rule]), "{sentence}");
}

fn one_is_gone() -> Case {
    let mut seen = healthy(3);
    seen.gone(1);
    Case::of(seen, settled(3))
}

fn rename(case: &mut Case, to: u32) {
    let Some(Step::CreatePod { identity: name, why, .. }) = case.plan.steps.first_mut() else {
        panic!("no birth")
    };
    case.plan.memory.given.remove(name);
    case.plan.memory.spent.remove(name);
    *name = identity(to);
    case.plan.memory.given.insert(identity(to), *why);
    case.plan.memory.spent.insert(identity(to));
}

#[test]
fn an_identity_that_is_given_twice_is_caught() {
    let rule = Rule::NewIdentity;
    is_caught("the identity of the one that is gone", &one_is_gone(), rule, |case| rename(case, 1));
    is_caught("a name that another pod has", &one_is_gone(), rule, |case| {
        let of = case.plan.steps[0].identity().clone();
        case.seen.taken.insert(of, Taken::Leaving);
    });
    is_caught("a name that nobody drew", &one_is_gone(), rule, |case| rename(case, 77));
    let mut sound = one_is_gone();
    sound.seen.births.insert(identity(105), Birth::Refused);
    is_caught("a name that was sent before", &sound, rule, |case| rename(case, 105));
}

#[test]
fn a_birth_that_is_not_written_down_is_caught() {
    is_caught("not promised", &one_is_gone(), Rule::Promised, |case| case.plan.memory.given.clear());
    let mut seen = healthy(3);
    seen.gone(1);
    let mut before = settled(3);
    before.given.insert(identity(50), Why::Replacement);
    let sound = Case::of(seen, before);
    is_caught("forgotten", &sound, Rule::Forgotten, |case| case.plan.memory.given.clear());
    let mut sound = sound;
    add(&mut sound.seen, 50);
    is_caught("not yet in the caches", &sound, Rule::Forgotten, |case| {
        case.seen.pod(50).cached = false;
        case.plan.memory.given.clear();
    });
}

#[test]
fn one_too_many_is_caught() {
    let mut seen = healthy(3);
    seen.pod(0).leaving = true;
    let sound = Case::of(seen, settled(3));
    assert_eq!(sound.plan.steps.len(), 1);
    is_caught("two end", &sound, Rule::Room, |case| {
        add(&mut case.seen, 60);
        case.seen.pod(60).leaving = true;
    });
}

#[test]
fn what_is_beyond_the_budget_is_caught() {
    let rule = Rule::Budget;
    is_caught("a replacement too many", &one_is_gone(), rule, |case| case.seen.target.budget = 0);
    is_caught("one that is not counted", &one_is_gone(), rule, |case| case.plan.memory.spent.clear());
    is_caught("one that is called growth", &one_is_gone(), rule, |case| {
        let Some(Step::CreatePod { identity, why, .. }) = case.plan.steps.first_mut() else {
            panic!("no birth")
        };
        *why = Why::Growth;
        case.plan.memory.given.insert(identity.clone(), Why::Growth);
        case.plan.memory.grown = 2;
    });
    let mut seen = healthy(3);
    seen.pod(0).life = Life::Ended;
    let sound = Case::of(seen, settled(3));
    is_caught("thrown away without one to follow", &sound, rule, |case| case.seen.target.budget = 0);
}

#[test]
fn a_replacement_that_was_refused_counts_for_nothing_and_any_other_does() {
    let mut seen = healthy(3);
    seen.gone(0);
    seen.gone(1);
    seen.pod(2).life = Life::Ended;
    let mut before = settled(3);
    for number in [50, 51] {
        seen.births.insert(identity(number), Birth::Refused);
        before.given.insert(identity(number), Why::Replacement);
        before.spent.insert(identity(number));
    }
    let sound = Case::of(seen, before);
    assert_eq!(sound.plan.steps.len(), 3, "one goes, and two come");
    is_caught("they were made, and are gone", &sound, Rule::Forgotten, |case| {
        case.seen.births.values_mut().for_each(|birth| *birth = Birth::Gone);
        case.plan.steps.retain(|step| !matches!(step, Step::DeletePod { .. }));
    });
    is_caught("they may have been made, and are gone", &sound, Rule::Forgotten, |case| {
        case.seen.births.clear();
        for number in [50, 51] {
            case.seen.ripen(Timer::Unknown(identity(number)));
        }
        case.plan.steps.retain(|step| !matches!(step, Step::DeletePod { .. }));
    });
    is_caught("they were there", &sound, Rule::Budget, |case| {
        case.before.given.clear();
        case.plan.memory.spent.extend(case.before.spent.clone());
        case.plan.steps.retain(|step| matches!(step, Step::DeletePod { .. }));
    });
}

#[test]
fn a_deletion_without_a_cause_is_caught() {
    let mut seen = healthy(3);
    seen.pod(0).life = Life::Ended;
    let ended = Case::of(seen, settled(3));
    is_caught("it lives", &ended, Rule::Cause, |case| case.seen.pod(0).life = Life::Available);
    is_caught("it is another pod", &ended, Rule::Cause, |case| case.seen.pod(0).uid = uid(9));
    let mut seen = healthy(3);
    (seen.pod(0).node, seen.pod(0).labelled) = (Node::Silent, false);
    seen.ripen(Timer::Unheard(uid(0)));
    let stranded = Case::of(seen, settled(3));
    is_caught("its node is heard", &stranded, Rule::Cause, |case| case.seen.pod(0).node = Node::Heard);
    let mut seen = healthy(3);
    (seen.pod(0).node, seen.pod(0).leaving) = (Node::Silent, true);
    let ends = Case::of(seen, settled(3));
    assert_eq!(ends.plan.steps.len(), 2);
    is_caught("it ends where it is heard", &ends, Rule::Cause, |case| case.seen.pod(0).node = Node::Heard);
    is_caught("too soon", &stranded, Rule::Cause, |case| case.seen.ages.clear());
    is_caught("an update that needs another pod", &updated(), Rule::Cause, |case| {
        case.seen.pod(0).revision = revision("z", "1");
    });
}

#[test]
fn a_pod_that_ended_and_makes_room_for_the_next_one_of_it_without_a_pause_is_caught() {
    let mut seen = healthy(3);
    seen.pod(0).life = Life::Ended;
    seen.release(&[]);
    seen.ripen(Timer::Ended(uid(0)));
    let sound = Case::of(seen, settled(3));
    assert_eq!(sound.plan.steps.len(), 1);
    is_caught("it ended a moment ago", &sound, Rule::Cause, |case| case.seen.ages.clear());
}

#[test]
fn a_pod_that_is_thrown_away_for_want_of_a_claim_that_is_refused_is_caught() {
    let mut seen = healthy(3);
    seen.pod(1).life = Life::Starting;
    seen.ripen(Timer::Unhealthy(uid(1)));
    let sound = Case::of(seen, settled(3));
    assert_eq!(sound.plan.steps.len(), 1);
    is_caught("its claim is refused", &sound, Rule::Cause, |case| {
        case.seen.refused.insert((identity(1), "data".into()));
    });
}

#[test]
fn what_is_thrown_away_where_no_node_is_heard_or_together_with_another_is_caught() {
    let mut seen = healthy(3);
    (seen.pod(0).node, seen.pod(1).node) = (Node::Silent, Node::Silent);
    (0..2).for_each(|number| seen.ripen(Timer::Unheard(uid(number))));
    let sound = Case::of(seen, settled(3));
    assert_eq!(sound.plan.steps.len(), 1);
    is_caught("in the dark", &sound, Rule::Dark, |case| case.seen.any_heard = false);
    is_caught("two at once", &sound, Rule::Budget, |case| {
        case.plan.steps.push(Step::SetAside { identity: identity(1), if_pod: uid(1) });
    });
    let mut seen = healthy(3);
    seen.pod(0).life = Life::Unready;
    seen.ripen(Timer::Unhealthy(uid(0)));
    let sound = Case::of(seen, settled(3));
    is_caught("an unhealthy one", &sound, Rule::Dark, |case| case.seen.any_heard = false);
}

#[test]
fn who_is_thrown_away_before_the_last_one_is_made_up_for_is_caught() {
    let (mut ill, mut silent) = (healthy(3), healthy(3));
    ill.pod(0).life = Life::Unready;
    ill.ripen(Timer::Unhealthy(uid(0)));
    silent.pod(0).node = Node::Silent;
    silent.ripen(Timer::Unheard(uid(0)));
    let sound = Case::of(ill.clone(), settled(3));
    is_caught("one is missing", &sound, Rule::Turn, |case| case.seen.gone(1));
    for seen in [ill, silent] {
        let mut before = settled(3);
        before.spent.insert(identity(2));
        let sound = Case::of(seen, before);
        assert_eq!(sound.plan.steps.len(), 1);
        is_caught("it still starts", &sound, Rule::Turn, |case| case.seen.pod(2).life = Life::Starting);
    }
}

fn updated() -> Case {
    let mut seen = healthy(1);
    seen.target.revision = revision("a", "2");
    Case::of(seen, settled(1))
}

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

#[test]
fn a_surplus_that_is_none_is_caught() {
    let mut seen = healthy(3);
    seen.target.replicas = 2;
    let sound = Case::of(seen, settled(3));
    is_caught("two of three", &sound, Rule::Enough, |case| {
        let (identity, if_pod) = (identity(0), uid(0));
        case.plan.steps.push(Step::DeletePod { identity, if_pod, cause: Cause::Size });
    });
    let mut seen = healthy(2);
    (seen.target.replicas, seen.pod(0).life) = (1, Life::Ended);
    let sound = Case::of(seen, settled(2));
    is_caught("beside the one that ended", &sound, Rule::Enough, |case| {
        let (identity, if_pod) = (identity(1), uid(1));
        case.plan.steps.push(Step::DeletePod { identity, if_pod, cause: Cause::Size });
    });
}

#[test]
fn a_claim_of_another_is_caught() {
    let mut seen = healthy(2);
    seen.claims.remove(&(identity(0), "data".into()));
    let sound = Case::of(seen, settled(2));
    is_caught("of an earlier pod", &sound, Rule::OwnClaim, |case| case.seen.pod(0).uid = uid(8));
    is_caught("there is one", &sound, Rule::OwnClaim, |case| {
        let claim = case.seen.claims[&(identity(1), "data".into())].clone();
        case.seen.claims.insert((identity(0), "data".into()), claim);
    });
}

#[test]
fn a_claim_that_may_be_used_and_is_deleted_is_caught() {
    let mut seen = healthy(3);
    (seen.target.replicas, seen.target.when_removed) = (2, Retention::Delete);
    seen.gone(1);
    let sound = Case::of(seen, settled(2));
    assert_eq!(sound.plan.steps.len(), 1);
    let rule = Rule::UnusedClaim;
    is_caught("it is mounted", &sound, rule, |case| {
        let claim = case.seen.claims.get_mut(&(identity(1), "data".into())).unwrap();
        claim.mounted_by.insert("backup".into());
    });
    is_caught("its pod may come", &sound, rule, |case| {
        case.before.given.insert(identity(1), Why::Growth);
        case.plan.memory.given.insert(identity(1), Why::Growth);
    });
    is_caught("a person keeps it", &sound, rule, |case| case.seen.target.when_removed = Retention::Retain);
}

/// The owner of three gave up the one that is gone, whose claim may go too.
fn one_is_given_up() -> Case {
    let mut seen = healthy(3);
    seen.gone(1);
    seen.target.when_removed = Retention::Delete;
    seen.release(&[1]);
    Case::of(seen, settled(3))
}

#[test]
fn what_an_owner_has_no_say_in_is_caught() {
    let rule = Rule::Consent;
    let without = |case: &mut Case, keeps: fn(&Step) -> bool| case.plan.steps.retain(keeps);
    is_caught("a place that was not given up", &one_is_given_up(), rule, |case| {
        case.plan.steps.retain(|step| matches!(step, Step::CreatePod { .. }));
        case.seen.release(&[]);
    });
    let mut sound = one_is_given_up();
    without(&mut sound, |step| matches!(step, Step::DeleteClaim { .. }));
    is_caught("a claim that was not given up", &sound, rule, |case| case.seen.release(&[]));
    let mut seen = healthy(3);
    seen.pod(0).life = Life::Ended;
    seen.release(&[0]);
    let ended = Case::of(seen, settled(3));
    assert_eq!(ended.plan.steps.len(), 1);
    is_caught("a pod that ended", &ended, rule, |case| {
        case.seen.release(&[2]);
    });
    let mut sound = ended.clone();
    sound.seen.claims.remove(&(identity(0), "data".into()));
    is_caught("thrown away beyond the budget", &sound, Rule::Budget, |case| {
        let Some(Step::DeletePod { cause, .. }) = case.plan.steps.first_mut() else { panic!("no end") };
        *cause = Cause::Ended;
        case.seen.release(&[2]);
        case.seen.target.budget = 0;
    });
    is_caught("one that nobody decides about", &ended, Rule::Cause, |case| case.seen.target.released = None);
    is_caught("a template that is written into a pod", &updated(), rule, |case| case.seen.release(&[]));
}

#[test]
fn a_pod_that_is_made_again_for_whom_it_may_not_be_is_caught() {
    let rule = Rule::SameIdentity;
    let mut seen = healthy(3);
    seen.gone(1);
    seen.release(&[]);
    let sound = Case::of(seen, settled(3));
    assert_eq!(sound.plan.memory.given, [(identity(1), Why::Return)].into());
    is_caught("it was given up", &sound, rule, |case| case.seen.release(&[1]));
    is_caught("nobody decides about it", &sound, rule, |case| case.seen.target.released = None);
    is_caught("its pod is there", &sound, rule, |case| {
        add(&mut case.seen, 1);
        case.seen.pod(1).cached = false;
    });
    is_caught("its pod may come", &sound, rule, |case| {
        case.before.given.insert(identity(1), Why::Return);
    });
    is_caught("its name is taken", &sound, rule, |case| {
        case.seen.taken.insert(identity(1), Taken::Standing);
    });
    is_caught("its claim is being deleted", &sound, rule, |case| {
        case.seen.claims.get_mut(&(identity(1), "data".into())).unwrap().leaving = true;
    });
    is_caught("it is not promised", &sound, Rule::Promised, |case| case.plan.memory.given.clear());
}

#[test]
fn what_is_done_to_a_pod_of_nobodys_that_has_a_name_of_ours_is_caught() {
    let mut seen = healthy(3);
    seen.gone(1);
    seen.taken.insert(identity(1), Taken::Standing);
    seen.release(&[]);
    let sound = Case::of(seen, settled(3));
    assert_eq!(sound.plan.steps, []);
    is_caught("it is deleted", &sound, Rule::Cause, |case| {
        let (identity, if_pod) = (identity(1), uid(1));
        case.plan.steps.push(Step::DeletePod { identity, if_pod, cause: Cause::Ended });
    });
    is_caught("it is changed", &sound, Rule::Cause, |case| {
        case.seen.release(&[1]);
        case.plan.steps.push(Step::SetAside { identity: identity(1), if_pod: uid(1) });
    });
}

#[test]
fn what_is_done_while_paused_is_caught() {
    is_caught("paused", &one_is_gone(), Rule::Paused, |case| case.seen.target.paused = true);
}
