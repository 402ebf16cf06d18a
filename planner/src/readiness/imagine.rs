//! The power is cut: what would be seen when it is back, if nothing went wrong beside that.

use crate::decision::Verdicts;
use crate::look::Look;
use crate::measure::Measure;
use crate::memory::Memory;
use crate::names::{ContainerId, ReplicaName};
use crate::observation::{Answer, Observation, Pod, Replica, Role, Status};
use crate::record::{HolderId, Reading, Record, Taken};
use crate::rehearsal::{Heard, Rehearsal};
use crate::target::Storage;
use crate::timer::{Age, Timer};

/// OCF: not running.
const STOPPED: i32 = 7;

/// Every member that runs has stopped with what it said last, and its starts are proven over, as by a boot of its
/// node. A member that does not run, or is not heard, is as it is.
pub(super) fn all_stopped(look: &Look<'_>) -> (Observation, Memory) {
    let (mut seen, mut memory) = (look.seen.clone(), look.memory.clone());
    (seen.attempts, seen.fates, seen.ages) = Default::default();
    (seen.verdicts, seen.target.keys) = (Verdicts::default(), Vec::new());
    seen.ages.extend(look.seen.replicas.iter().filter_map(asked_in_vain));
    // It is the first look of the next outage: a bare number counts for that one.
    let measure = Measure { outage: memory.outages.saturating_add(1), reader: seen.reader.clone() };
    let revision = seen.workload.as_ref().map(|workload| workload.revision.clone());
    for (name, replica) in &mut seen.replicas {
        // What claims say stands in Memory, with what is imagined here.
        replica.claims.iter_mut().for_each(|claim| claim.record = None);
        let Some(pod) = replica.pod.as_mut() else { continue };
        pod.active = Some(false);
        if goes_with_its_claim(look, name) {
            never_start(pod);
        } else if look.state(name).is_running() {
            stop(pod);
            pod.revision = revision.clone().unwrap_or_else(|| pod.revision.clone());
        }
    }
    for record in memory.holders.values_mut() {
        let home = look.home(&record.holder).filter(|name| look.state(name).is_running());
        if let Some(name) = home {
            at_rest(look, name, record, &measure);
        }
    }
    if look.target().storage == Storage::Container {
        look.running().for_each(|name| begin_anew(&mut seen, &mut memory, name, &measure));
    }
    (seen, memory)
}

/// Nobody can be asked in a look that is imagined, so nobody waits for who owes nothing.
fn asked_in_vain((name, replica): (&ReplicaName, &Replica)) -> Option<(Timer, Age)> {
    let container = replica.pod.as_ref()?.live_container()?;
    Some((Timer::Unasked(name.clone(), container.clone()), Age::Ripe))
}

/// What a container holds ends with it: another one begins from nothing.
fn begin_anew(seen: &mut Observation, memory: &mut Memory, name: &ReplicaName, measure: &Measure) {
    let pod = seen.replicas.get_mut(name).and_then(|replica| replica.pod.as_mut());
    let Some((status, id)) =
        pod.and_then(|pod| Some((&mut pod.status, pod.container.as_mut()?.id.as_mut()?)))
    else {
        return;
    };
    memory.holders.remove(&HolderId::Container(id.clone()));
    *id = ContainerId(format!("after {id}"));
    if let Status::Answer(answer) = status {
        answer.container = id.clone();
    }
    let holder = HolderId::Container(id.clone());
    let mut new = Record::new(holder.clone(), name.clone(), memory.epoch.clone());
    let (container, measure) = (id.clone(), measure.clone());
    new.reading = Some(Taken {
        reading: Reading::Empty,
        starts: 0,
        container,
        measure,
        cut: false,
        facts: Vec::new(),
        raw: String::new(),
    });
    memory.holders.insert(holder, new);
}

/// A pod that runs keeps a claim that is being deleted; once it has stopped, the kubelet mounts that for nobody.
fn goes_with_its_claim(look: &Look<'_>, name: &ReplicaName) -> bool {
    let claims = look.seen.replicas.get(name).map_or(&[][..], |replica| &replica.claims);
    look.state(name).is_running() && claims.iter().any(|claim| claim.terminating)
}

fn never_start(pod: &mut Pod) {
    (pod.container, pod.status) = (None, Status::NotAsked);
    pod.trouble = Some("its claim is being deleted, and no pod starts on it any more".to_owned());
}

fn stop(pod: &mut Pod) {
    pod.role = Some(Role::Stopped);
    let Some(container) = pod.live_container().cloned() else { return };
    let answer = Answer { code: STOPPED, container, group: None, progress: None, text: String::new() };
    pod.status = Status::Answer(answer);
}

fn at_rest(look: &Look<'_>, name: &ReplicaName, record: &mut Record, measure: &Measure) {
    record.open.retain(|start| !look.is_here(start, name));
    record.lock_busy = false;
    let said = look.memory.rehearsals.get(name).filter(|said| said.holder == record.holder);
    let said = said.filter(|_| !goes_with_its_claim(look, name));
    record.reading = said.and_then(|said| taken(look, said, measure));
}

/// What an answer would be if it were given at rest. One that gave no position says nothing of that: many an application
/// is read otherwise while it runs.
fn taken(look: &Look<'_>, rehearsal: &Rehearsal, measure: &Measure) -> Option<Taken> {
    let old = look.is_ripe(&Timer::RehearsalOld(rehearsal.attempt.clone()));
    let Heard::Said(judged) = &rehearsal.heard else { return None };
    let is_known = !old && !matches!(judged.reading, Reading::Unreadable(_));
    is_known.then(|| Taken {
        reading: judged.reading.clone(),
        starts: rehearsal.starts,
        container: rehearsal.container.clone(),
        measure: measure.clone(),
        cut: false,
        facts: judged.facts.clone(),
        raw: String::new(),
    })
}
