//! What no plan may do whatever a policy answered: by what it was told, and not by what is so.

use planner::names::ReplicaName;
use planner::observation::Command;
use planner::plan::Run;
use planner::position::{History, Interval, LONGEST, Position};
use planner::record::{Reading, Record, Taken};
use planner::{AppState, Memory, Observation, Plan, Step, holder_of};

/// The first law that this plan breaks.
pub(crate) fn of_plan(seen: &Observation, memory: &Memory, plan: &Plan) -> Result<(), String> {
    for step in &plan.steps {
        let strange = step.replica().filter(|name| !seen.replicas.contains_key(*name));
        strange.map_or(Ok(()), |name| Err(format!("{name:?} is none of this set")))?;
        if let Step::Run(run) = step {
            is_led(seen, run)?;
            match run.command {
                Command::Seed => holds_what_was_told(seen, plan, run)?,
                Command::Promote => is_not_behind(seen, plan, run)?,
                _ => {}
            }
        }
    }
    keeps_the_base(seen, memory, plan)?;
    let long = plan.memory.holders.values().find(|record| length(record) > LONGEST);
    long.map_or(Ok(()), |record| Err(format!("the position of {} has no room on its claim", record.replica)))
}

/// Who joins or follows is told of running primaries alone.
fn is_led(seen: &Observation, run: &Run) -> Result<(), String> {
    let is_primary = |name| state(seen, name) == Some(AppState::Primary);
    match run.peers.iter().find(|peer| !is_primary(*peer)) {
        Some(peer) => Err(format!("{} is told of {peer:?}, which is no running primary", run.replica)),
        None => Ok(()),
    }
}

/// Where nobody runs, all that counts was read by who reads now, gave a position, and is included; so is what the set
/// is recorded to have begun with. A person may name whom they want.
fn holds_what_was_told(seen: &Observation, plan: &Plan, run: &Run) -> Result<(), String> {
    let memory = &plan.memory;
    let named = memory.outage.as_ref().is_some_and(|outage| outage.named.is_some());
    let runs = |name| matches!(state(seen, name), Some(AppState::Primary | AppState::Secondary));
    if named || seen.replicas.keys().any(runs) {
        return Ok(());
    }
    let own = seen.replicas.get(&run.replica).and_then(|replica| holder_of(replica, &seen.target));
    let mine = own.as_ref().and_then(|holder| memory.holders.get(holder)).and_then(said);
    let epoch = memory.epoch.number;
    let counts = |record: &&Record| {
        record.confirmed == epoch && epoch > 0 && !(record.joining || record.waived || record.ended)
    };
    for record in memory.holders.values().filter(counts).filter(|record| Some(&record.holder) != own.as_ref())
    {
        let told = record.reading.as_ref().filter(|taken| taken.starts == record.starts);
        let who = &record.replica;
        match told.filter(|taken| taken.measure.reader == seen.reader).map(|taken| &taken.reading) {
            None => return Err(format!("it seeds beside {who}, which was not read")),
            Some(Reading::At(Position::Ordinal(_))) if record.left => {}
            Some(Reading::At(position)) if mine.is_some_and(|mine| includes(mine, position)) => {}
            Some(reading) => {
                return Err(format!("it seeds at {mine:?} beside {who}, which told {reading:?}"));
            }
        }
    }
    match memory.epoch.base.as_ref().map(|base| &base.position) {
        // A set without claims that lost everything begins anew.
        Some(_) if !seen.target.has_claims() => Ok(()),
        Some(base @ Position::History(_)) if !mine.is_some_and(|mine| includes(mine, base)) => {
            Err(format!("it seeds at {mine:?}, which is below {base}"))
        }
        _ => Ok(()),
    }
}

/// Where no primary runs, no secondary is promoted while another is known to hold more.
fn is_not_behind(seen: &Observation, plan: &Plan, run: &Run) -> Result<(), String> {
    if seen.replicas.keys().any(|name| state(seen, name) == Some(AppState::Primary)) {
        return Ok(());
    }
    let told = |name: &ReplicaName| {
        let holder = seen.replicas.get(name).and_then(|replica| holder_of(replica, &seen.target))?;
        plan.memory.holders.get(&holder)?.running.as_ref().and_then(Taken::position)
    };
    let Some(mine) = told(&run.replica) else { return Ok(()) };
    let mut others = seen.replicas.keys().filter(|name| state(seen, name) == Some(AppState::Secondary));
    let is_ahead = |there: &Position| includes(there, mine) && !includes(mine, there);
    match others.find(|name| told(name).is_some_and(is_ahead)) {
        Some(other) => Err(format!("{} is promoted, and {other} is known to hold more", run.replica)),
        None => Ok(()),
    }
}

/// What an epoch began with is forgotten only when everybody told of other sources alone.
fn keeps_the_base(seen: &Observation, memory: &Memory, plan: &Plan) -> Result<(), String> {
    let claims = seen.replicas.values().flat_map(|replica| &replica.claims);
    let known = claims.filter_map(|claim| claim.record.as_ref()).map(|record| &record.epoch);
    let newest = known.chain([&memory.epoch]).max_by_key(|epoch| epoch.number);
    let same = newest.filter(|epoch| epoch.number == plan.memory.epoch.number);
    let base = same.and_then(|epoch| epoch.base.as_ref()).map(|base| &base.position);
    let (Some(Position::History(base)), None) = (base, &plan.memory.epoch.base) else { return Ok(()) };
    let parted = |record: &Record| match said(record) {
        Some(Position::History(here)) => here.0.keys().all(|source| !base.0.contains_key(source)),
        _ => false,
    };
    let counts = |record: &&Record| !(record.ended || record.waived || record.is_new());
    match plan.memory.holders.values().filter(counts).find(|record| !parted(record)) {
        Some(record) => Err(format!("{base} is forgotten, and {} may hold it", record.replica)),
        None => Ok(()),
    }
}

fn state(seen: &Observation, name: &ReplicaName) -> Option<AppState> {
    seen.replicas.get(name).map(|replica| AppState::of(replica.pod.as_ref(), &seen.target))
}

/// As it was told, also where this very plan starts something there.
fn said(record: &Record) -> Option<&Position> {
    record.reading.as_ref().and_then(Taken::position)
}

fn length(record: &Record) -> usize {
    let taken = [&record.reading, &record.running].into_iter().flatten();
    taken.filter_map(Taken::position).map(|position| position.to_string().len()).max().unwrap_or(0)
}

/// Every number of the one is among those of the other: if one is missing, then the first of an interval is, or one
/// that comes after the last of one.
fn includes(here: &Position, there: &Position) -> bool {
    match (here, there) {
        (Position::Ordinal(here), Position::Ordinal(there)) => here >= there,
        (Position::History(History(here)), Position::History(History(there))) => {
            there.iter().all(|(source, wanted)| {
                let held = here.get(source).map(Vec::as_slice).unwrap_or_default();
                wanted
                    .iter()
                    .filter(|wanted| wanted.first <= wanted.last)
                    .all(|wanted| is_within(held, wanted))
            })
        }
        _ => false,
    }
}

fn is_within(held: &[Interval], wanted: &Interval) -> bool {
    let after = held.iter().filter_map(|interval| interval.last.checked_add(1));
    let mut points = after.filter(|at| (wanted.first..=wanted.last).contains(at)).chain([wanted.first]);
    points.all(|at| held.iter().any(|interval| (interval.first..=interval.last).contains(&at)))
}
