//! Lights out, and the first bootstrap: all that is owed is read, no start is open, and exactly
//! one member that holds all of it is started.

mod explain;

use crate::app_state::AppState;
use crate::draft::{Draft, Flow};
use crate::hold::Reason;
use crate::key::KeyKind;
use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::{AttemptState, Command, Pod};
use crate::ordering::{is_headless, secondaries};
use crate::plan::{Cause, News};
use crate::record::{HolderId, Record};
pub(crate) use crate::rules::seed::explain::accept_seed;
use crate::rules::seed::explain::{explain_no_candidate, hold_lost};
use crate::seeding::{
    Owed, all_that_adds, candidates, extras, is_named, joiner_ahead, leftovers, owed, unread_joiners,
};
use crate::timer::Timer;
use crate::veto;

/// What a person can do about an answer that is no position.
const ASKED_AGAIN: &str =
    "it is asked again; if that lasts, correct commands.sequence, or the policy that reads its output";

pub(crate) fn seed(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    let nothing_wanted = look.target().replicas == 0 || look.target().primaries == 0;
    // Where some follow already, one of them is promoted, or who led them starts beside them.
    let is_followed = is_headless(look) && secondaries(look).next().is_some();
    if look.memory.outage.is_none() || nothing_wanted || is_followed {
        return Flow::On;
    }
    read_owed(draft);
    let waits = is_waiting(look, is_named(look));
    if !draft.plan.steps.is_empty() || waits {
        read_each(draft, extras(look));
    }
    if !look.is_dark() || !draft.plan.steps.is_empty() || waits {
        return Flow::Enough;
    }
    read_joiners(draft);
    if draft.plan.steps.is_empty() { choose(draft) } else { Flow::Enough }
}

/// Who was joining may hold more than all others, so it is asked before one of them begins; but not for ever.
fn read_joiners(draft: &mut Draft<'_>) {
    let look = draft.look;
    if is_named(look) {
        return;
    }
    for (name, container) in unread_joiners(look) {
        if !look.is_ripe(&Timer::Unasked(name.clone(), container.clone())) {
            draft.run(name, Command::Read, Cause::Answer);
        }
    }
}

/// Everyone whose reading is owed is read, where it can be.
fn read_owed(draft: &mut Draft<'_>) {
    let look = draft.look;
    for record in look.memory.holders.values() {
        match owed(look, record) {
            Owed::Reading => read(draft, record),
            Owed::NeverRead(why) => {
                let name = &record.replica;
                reread(draft, record);
                let others = all_that_adds(look).next().is_some();
                let keys = others.then(|| (KeyKind::AcceptLoss, name.to_string()));
                let why = format!("{why}; {ASKED_AGAIN}");
                draft.hold_replica(name, Reason::Unread(name.clone(), Some(why)), keys.as_slice());
            }
            Owed::Lost(why) => {
                let name = &record.replica;
                reread(draft, record);
                let keys = [(KeyKind::AcceptLoss, name.to_string())];
                draft.hold_replica(name, Reason::LostData(name.clone(), why), &keys);
            }
            Owed::WentBack(back) => {
                let name = &record.replica;
                reread(draft, record);
                let mut keys = vec![(KeyKind::AcceptLoss, name.to_string())];
                let seeds = accept_seed(look, &[]).into_iter();
                keys.extend(seeds.filter(|(_, subject)| *subject == name.0));
                draft.hold_replica(name, back.reason(name), &keys);
            }
            Owed::Nothing | Owed::Adds(_) => {}
        }
    }
}

/// Nobody waits for these as for those that owe: they are asked beside the others, and again where that was lost for as
/// long as something else is waited for.
fn read_each<'b>(draft: &mut Draft<'_>, records: impl Iterator<Item = &'b Record>) {
    let look = draft.look;
    for record in records.filter(|record| record.standing().is_none()) {
        if let Some(name) = look.home(&record.holder).filter(|name| *look.state(name) == AppState::Stopped) {
            draft.run(name, Command::Read, Cause::Answer);
        }
    }
}

/// What owes nothing is read where nobody may seed: a person who is to name one sees what it holds.
fn read_leftovers(draft: &mut Draft<'_>) {
    let look = draft.look;
    read_each(draft, leftovers(look));
    leftovers(look).for_each(|record| reread(draft, record));
}

/// What could not be read may be readable a little later.
pub(crate) fn reread(draft: &mut Draft<'_>, record: &Record) {
    let look = draft.look;
    let Some(name) = look.home(&record.holder) else { return };
    let Some(container) = look.pod(name).and_then(Pod::live_container) else { return };
    if look.is_ripe(&Timer::Unreadable(name.clone(), container.clone()))
        && *look.state(name) == AppState::Stopped
    {
        draft.run(name, Command::Read, Cause::Answer);
    }
}

fn read(draft: &mut Draft<'_>, record: &Record) {
    let look = draft.look;
    let Some(name) = look.home(&record.holder) else { return hold_lost(draft, record) };
    if record.open.is_empty() && *look.state(name) == AppState::Stopped {
        draft.run(name, Command::Read, Cause::Answer);
    }
    let keys = may_be_given_up(look, name, record).then(|| (KeyKind::AcceptLoss, name.to_string()));
    draft.hold_replica(name, Reason::Unread(name.clone(), None), keys.as_slice());
}

/// It had data, or others have some. Where nobody has any, who is wanted is waited for: nothing is lost by that.
fn may_be_given_up(look: &Look<'_>, name: &ReplicaName, record: &Record) -> bool {
    let is_wanted = look.place(name) < look.target().replicas;
    record.confirmed > 0 || !is_wanted || all_that_adds(look).next().is_some()
}

/// What must not be so when a seed starts.
fn is_waiting(look: &Look<'_>, is_named: bool) -> bool {
    let is_known = |record: &Record| matches!(owed(look, record), Owed::Nothing | Owed::Adds(_));
    let unread = !look.memory.holders.values().all(is_known);
    let reading =
        look.seen.attempts.values().any(|a| a.command == Command::Read && a.state == AttemptState::Running);
    let missing = look.epoch() == 0 && wanted_without_record(look);
    // A member that says it failed may be a database that somebody else started.
    let failing = look.states.values().any(|state| matches!(state, AppState::Failed(_)));
    failing
        || look.memory.has_open_start()
        || reading
        || (unread && !is_named)
        || missing
        || look.seen.replicas.keys().any(|name| look.is_labelled(name))
}

/// Nothing but data that cannot be read keeps a member from the seed that a person names.
pub(crate) fn waits_for_a_name_alone(look: &Look<'_>) -> bool {
    look.memory.outage.is_some() && look.is_dark() && !is_waiting(look, true)
}

/// Before the first bootstrap every wanted place is to show its data: one may have some.
fn wanted_without_record(look: &Look<'_>) -> bool {
    let size = look.target().replicas;
    let shown = |name: &ReplicaName| look.record(name).is_some_and(|record| record.standing().is_some());
    let (mut count, mut all) = (0, true);
    for name in look.in_places(0..size) {
        count += 1;
        all &= shown(name);
    }
    count < size || !all
}

fn choose(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    let best = candidates(look);
    if let Some(why) = &look.seen.verdicts.unavailable {
        // Whoever may seed, nobody can be asked.
        draft.hold(Reason::PolicyUnavailable(why.clone()), &[]);
    }
    if best.is_empty() {
        explain_no_candidate(draft);
        read_leftovers(draft);
        return Flow::Enough;
    }
    if let Some(record) = joiner_ahead(look, &best) {
        let name = &record.replica;
        let seed = accept_seed(look, &best).into_iter().filter(|(_, subject)| *subject == name.0);
        let keys: Vec<_> = seed.chain([(KeyKind::AcceptLoss, name.to_string())]).collect();
        draft.hold_replica(name, Reason::JoinerAhead(name.clone()), &keys);
        return Flow::Enough;
    }
    match veto::seed(look, &best) {
        Err(reason) => draft.hold(reason, &accept_seed(look, &best)),
        Ok((name, why)) if is_named(look) => start(draft, &name, format!("a person named it; {why}"), &best),
        Ok((name, why)) => start(draft, &name, why, &best),
    }
    Flow::Enough
}

/// The promise of a seed writes down the equal candidates.
fn start(draft: &mut Draft<'_>, name: &ReplicaName, why: String, best: &[&Record]) {
    let look = draft.look;
    if *look.state(name) != AppState::Stopped {
        let why = match look.state(name) {
            AppState::Down(why) => why.clone(),
            other => other.to_string(),
        };
        let reason = Reason::NotRunning(name.clone(), why);
        let mut keys = accept_seed(look, best);
        keys.retain(|(_, subject)| *subject != name.0);
        draft.hold_replica(name, reason, &keys);
        read_leftovers(draft);
        return;
    }
    draft.run(name, Command::Seed, Cause::Answer);
    if draft.has_step(name) {
        let list: Vec<HolderId> = best.iter().map(|record| record.holder.clone()).collect();
        if let Some(outage) = draft.plan.memory.outage.as_mut() {
            outage.candidates = Some(list);
        }
        if look.epoch() > 0
            && !look.target().has_claims()
            && look.memory.holders.values().all(|r| r.confirmed == 0)
        {
            draft.plan.news.push(News::DataGone);
        }
        draft.plan.news.push(News::SeedChosen(name.clone(), why));
    }
}

#[cfg(test)]
mod joiners;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod waits;
