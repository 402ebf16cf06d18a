//! What the seed must hold: the rest.

use super::breach::{Breach, Rule};
use super::evidence::{Evidence, Member, State};
use super::extent::Extent;
use super::least::may_go;
use super::owed::{Debt, debt, is_of_now, is_untouched, standing};
use super::seed::seeds;
use crate::observation::Role;
use crate::position::Position;
use crate::record::Record;

/// 4.3 to 4.5: every holder that owes a reading was read, and the seed includes each of them and the
/// base of the epoch; in the first bootstrap each claim of a wanted replica is shown. A person may name
/// the seed (`AcceptSeed`): then what the others hold is given up.
pub(super) fn is_included(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    let Some((_, seed)) = seeds(evidence) else { return };
    let outage = evidence.plan.memory.outage.as_ref();
    if outage.and_then(|outage| outage.named.as_ref()) == Some(&seed.holder) {
        return;
    }
    let own = extent(evidence, seed);
    let mut owed = 0;
    for other in evidence.plan.memory.holders.values().filter(|other| other.holder != seed.holder) {
        let led = is_led(evidence, other);
        let (rule, what) = match debt(evidence, other) {
            Debt::None => continue,
            _ if led => continue,
            Debt::Unread if is_unwanted(evidence, other) => continue,
            Debt::Unread => (Rule::Unread, "is not read"),
            Debt::Lost => (Rule::LosesData, "lost its data"),
            Debt::Holds(theirs) if own.is_some_and(|own| own.includes(theirs)) => {
                owed += 1;
                continue;
            }
            Debt::Holds(_) => (Rule::LosesData, "holds more, or other data"),
        };
        owed += 1;
        found.push(Breach::at(rule, &other.replica, what));
    }
    is_shown(evidence, found);
    is_fit(evidence, seed, owed, found);
}

/// The claims that no record speaks of.
fn is_shown(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    for member in &evidence.members {
        let unknown = member.holder.as_ref().is_some_and(|holder| evidence.after(holder).is_none());
        let bound = member.replica.claims.iter().any(|claim| claim.bound);
        if member.replica.claims.iter().any(|claim| claim.unreadable) {
            found.push(Breach::at(Rule::Unread, member.name, "has a record that cannot be read"));
        } else if unknown && bound && !is_beyond_a_first_bootstrap(evidence, member) {
            found.push(Breach::at(Rule::Unread, member.name, "has a claim that was not read"));
        }
    }
}

/// The seed adds a reading itself, unless nobody does, and includes the base (4.4).
fn is_fit(evidence: &Evidence<'_>, seed: &Record, owed: usize, found: &mut Vec<Breach>) {
    let mut breach = |rule, what: &str| found.push(Breach::at(rule, &seed.replica, what));
    let own = extent(evidence, seed);
    match debt(evidence, seed) {
        Debt::Holds(_) => {}
        Debt::None if owed == 0 || is_without_epoch(evidence, seed) => {}
        Debt::None => breach(Rule::LosesData, "is none of those that hold the newest data"),
        Debt::Unread => breach(Rule::Unread, "seeds unread"),
        Debt::Lost => breach(Rule::LosesData, "seeds without its data"),
    }
    let gone = owed == 0 && !evidence.seen.target.has_claims();
    if !gone && lacks_base(evidence, own) {
        breach(Rule::LosesData, "holds less than the epoch began with");
    }
}

/// A bare number holds for its own outage only. Beside its secondaries an old primary starts unless it is known to lack
/// some of the base: of another kind of position that is not known (4.7).
fn lacks_base(evidence: &Evidence<'_>, own: Option<Extent<'_>>) -> bool {
    let memory = &evidence.plan.memory;
    let Some(base) = &memory.epoch.base else { return false };
    let stale = matches!(base.position, Position::Ordinal(_)) && !is_of_now(evidence, &base.measure);
    let is_number = |position: &Position| matches!(position, Position::Ordinal(_));
    let apart = own.is_some_and(|own| is_number(own.position) != is_number(&base.position));
    let base = Extent { position: &base.position, measure: &base.measure };
    let includes = || own.is_some_and(|own| own.includes(base));
    !(stale || apart && evidence.anybody(State::serves) || includes())
}

/// 4.7: the old primary is seeded beside those that follow it; they hold what it gave them. That is no
/// outage, so a claim without a record counts as of an older epoch (4.3).
fn is_led(evidence: &Evidence<'_>, other: &Record) -> bool {
    let followed = || other.last == Some(Role::Secondary) || is_untouched(evidence, other);
    evidence.serves(&other.holder) || evidence.anybody(State::serves) && followed()
}

/// Data that came without a record and was tried as seed before: it was confirmed in no epoch, and no
/// join touched it.
fn is_without_epoch(evidence: &Evidence<'_>, seed: &Record) -> bool {
    let past = evidence.past(&seed.holder);
    !past.all().any(|old| old.confirmed > 0 || old.joining || old.waived)
}

fn extent<'a>(evidence: &Evidence<'a>, record: &'a Record) -> Option<Extent<'a>> {
    Extent::of(standing(evidence, record)?)
}

fn is_unwanted(evidence: &Evidence<'_>, record: &Record) -> bool {
    let place = evidence.place_of(&record.holder);
    is_untouched(evidence, record)
        && place.is_some_and(|member| is_beyond_a_first_bootstrap(evidence, member))
}

/// 4.5: where no epoch ever was, the claims of the wanted replicas are shown.
fn is_beyond_a_first_bootstrap(evidence: &Evidence<'_>, member: &Member<'_>) -> bool {
    evidence.plan.memory.epoch.number == 0 && may_go(evidence, member)
}
