//! Where identities are given once another member takes the place of one that is lost with its machine or its volume, and
//! that cannot be read: an epoch begins without it in a set that runs on, with what one that serves says that it holds.

use crate::app_state::AppState;
use crate::look::Look;
use crate::memory::{Base, Epoch};
use crate::names::{NodeName, ReplicaName};
use crate::observation::{Pod, Role};
use crate::ordering::{has_primary_start, said};
use crate::places::{is_released, standing};
use crate::plan::News;
use crate::record::{Record, Taken};
use crate::target::{Failover, Mode};
use crate::timer::Timer;

/// Whoever was of the epoch before, and was not given up with it, is of one that began without others: an operator that dies
/// may have written it to some of the claims.
pub(super) fn carry_over(look: &mut Look<'_>, _: &mut Vec<News>) {
    let Epoch { number, without, .. } = look.memory.epoch.clone();
    for (holder, record) in look.memory.holders.iter_mut().filter(|_| !without.is_empty()) {
        let is_former = record.confirmed + 1 == number;
        record.waived |= is_former && without.contains(holder);
        if is_former && !(record.joining || record.waived || record.ended) {
            record.confirmed = number;
        }
    }
}

/// One that serves said what it holds, and the epoch begins. All others are of it: who owed a reading owes it.
pub(super) fn begin_without(look: &mut Look<'_>, news: &mut Vec<News>) {
    let lost = given_up(look).next().map(|record| (record.holder.clone(), record.replica.clone()));
    let Some(((holder, name), base)) = lost.zip(what_is_kept(look)) else { return };
    let number = look.epoch() + 1;
    look.memory.epoch = Epoch { number, base: Some(base), without: vec![holder] };
    carry_over(look, news);
    news.push(News::GivenUp(number, name));
}

/// What one that serves said in this look, by what it is measured now.
fn what_is_kept(look: &Look<'_>) -> Option<Base> {
    let of =
        |taken: &Taken| Some(Base { position: taken.position()?.clone(), measure: taken.measure.clone() });
    speakers(look).find_map(|name| of(said(look, look.record(name)?)?))
}

/// Those that lead in the newest epoch, and have led in it before.
pub(crate) fn speakers<'b>(look: &'b Look<'_>) -> impl Iterator<Item = &'b ReplicaName> {
    let led =
        |name: &&ReplicaName| look.record(name).is_some_and(|record| record.last == Some(Role::Primary));
    look.live_primaries().filter(led)
}

/// Whose data is lost to the set for long enough, as far as that may be decided without a person; nobody, while nobody leads
/// on that led before.
pub(crate) fn given_up<'b>(look: &'b Look<'_>) -> impl Iterator<Item = &'b Record> {
    let may = may_replace(look)
        && look.target().mode == Mode::Auto
        && look.memory.outage.is_none()
        && speakers(look).next().is_some();
    counting(look).filter(move |record| may && !is_owed_for_ever(record) && may_be_given_up(look, record))
}

/// It was read at rest as a history, which every later seed has to include: nobody has to give up anything.
pub(crate) fn is_owed_for_ever(record: &Record) -> bool {
    record.position().is_some_and(|position| !position.is_ordinal())
}

/// Its place is wanted, it was away for long enough, and what it may hold is no more than the resource allows to lose.
pub(crate) fn may_be_given_up(look: &Look<'_>, record: &Record) -> bool {
    let allowed = match look.target().failover {
        Failover::Never => false,
        Failover::NoKnownLoss => record.last == Some(Role::Secondary) && !has_primary_start(record),
        Failover::AllowLoss => true,
    };
    allowed && is_lost(look, record)
}

/// Others take the place of members.
pub(crate) fn is_replaced(look: &Look<'_>) -> bool {
    look.target().replace_after.is_some() && !look.is_numbered()
}

/// Others do, and the set goes on: somebody leads, where anybody is to. While nobody has the place of the last one that was
/// given up, nobody else is: whoever makes pods bounds by that how many go.
pub(crate) fn may_replace(look: &Look<'_>) -> bool {
    let follows = || look.target().primaries == 0 && look.running().any(|name| look.is_confirmed(name));
    let is_full = standing(look) >= look.target().replicas;
    is_replaced(look) && is_full && (look.live_primaries().next().is_some() || follows())
}

/// It was away for long enough.
pub(crate) fn is_lost(look: &Look<'_>, record: &Record) -> bool {
    is_away(look, record) && look.is_ripe(&Timer::Lost(record.replica.clone()))
}

/// Records whose data would be owed in an outage.
pub(crate) fn counting<'b>(look: &'b Look<'_>) -> impl Iterator<Item = &'b Record> {
    let of_epoch = |record: &&Record| record.confirmed == look.epoch() && look.epoch() > 0 && counts(record);
    let stays = |record: &&Record| !is_released(look, &record.replica);
    look.memory.holders.values().filter(of_epoch).filter(stays)
}

fn counts(record: &Record) -> bool {
    !(record.joining || record.waived || record.ended || record.is_behind())
}

/// Whose data counts and is away, and after how many seconds each is given up; and who was, perhaps in this very look: it
/// is so for as long as that lasts.
pub(crate) fn away<'b>(look: &'b Look<'_>) -> impl Iterator<Item = (&'b ReplicaName, u64)> {
    let after = look.target().replace_after.filter(|_| is_replaced(look));
    let given_up = look.memory.epoch.without.iter().filter_map(|holder| look.memory.holders.get(holder));
    let is_other = |record: &&Record| record.confirmed != look.epoch() || !counts(record);
    let here = look.memory.holders.values().filter(|record| look.home(&record.holder).is_some());
    let records = counting(look).chain(given_up).chain(here.filter(is_other));
    let records = records.filter(|record| is_away(look, record));
    records.zip(after.into_iter().cycle()).map(|(record, seconds)| (&record.replica, seconds))
}

/// Its claims are gone; or it has no pod, or one that is over, is told to end, was never put on a node, or whose node is
/// not heard of. A pod that does not start on a node that is well is not lost, nor one that fits nowhere for its template.
fn is_away(look: &Look<'_>, record: &Record) -> bool {
    let Some(name) = look.home(&record.holder) else { return true };
    let is_unheard = |node: &NodeName| look.seen.nodes.get(node).is_some_and(|node| !node.ready);
    let is_placed = |pod: &Pod| pod.node.is_some() || !fits(look, pod);
    let is_lost = |pod: &Pod| {
        pod.finished || pod.terminating || !is_placed(pod) || pod.node.as_ref().is_some_and(is_unheard)
    };
    let says_nothing = matches!(look.state(name), AppState::Down(_) | AppState::Unknown(_));
    says_nothing && look.pod(name).is_none_or(is_lost)
}

/// Its template has been put on a node, or was good for the whole set.
fn fits(look: &Look<'_>, pod: &Pod) -> bool {
    let mut others = look.seen.replicas.values().filter_map(|replica| replica.pod.as_ref());
    look.memory.good.as_ref() == Some(&pod.revision)
        || others.any(|other| other.revision == pod.revision && other.node.is_some())
}

#[cfg(test)]
pub(crate) mod tests;
