//! The words of a hold.

use std::fmt;

use super::Reason;
use crate::names::ReplicaName;
use crate::observation::Command;
use crate::position::Position;
use crate::record::Reading;

impl Reason {
    /// The same for people who know the policy by this name, such as `policy galera 1.2`.
    #[must_use]
    pub fn told_of(&self, policy: &str) -> String {
        struct Told<'a>(&'a Reason, &'a str);
        impl fmt::Display for Told<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.write(f, self.1)
            }
        }
        Told(self, policy).to_string()
    }

    #[expect(clippy::too_many_lines, reason = "one line for each reason")]
    fn write(&self, f: &mut fmt::Formatter<'_>, policy: &str) -> fmt::Result {
        match self {
            Self::NotOurs(other) => write!(f, "installation {other} looks after this set"),
            Self::Paused => write!(f, "paused: nothing is changed"),
            Self::Unheard(who, why) => write!(f, "{who} gave no answer ({why}); it may be running"),
            Self::Failing(who, why) => write!(f, "{who} says that it failed: {why}"),
            Self::NotRunning(who, why) => write!(f, "{who} has no running container: {why}"),
            Self::Unguarded(who) => write!(
                f,
                "{who} has a pod in which no command can be guarded (made without the guard, or without a shell); it is only watched"
            ),
            Self::GuardMissing(who) => write!(
                f,
                "the pod of {who} has no container with RSS_POD_UID and /run/rss, although it was made from the wanted template: the cluster changes pods when they are made; it is only watched, and another pod would be made alike"
            ),
            Self::Unread(who, None) => write!(f, "the position of {who} is not known yet"),
            Self::Unread(who, Some(why)) => write!(f, "the position of {who} is not known yet: {why}"),
            Self::LostData(who, why) => {
                write!(f, "{who} held data of the newest epoch and now has none to read: {why}")
            }
            Self::PositionWentBack { name, shows, held } => write!(
                f,
                "the position of {name} went back: it shows {shows}, and it held {held} before; its data was removed, restored or reset, and nobody knows what else it held"
            ),
            Self::Diverged(a, b) => write!(f, "{a} and {b} each hold data that the other has not"),
            Self::BelowBase(who) => {
                write!(f, "{who} is best and holds less than the set began this epoch with")
            }
            Self::BaseOfOtherKind { best, base, here } => {
                write!(
                    f,
                    "{best} is best by what is read now, {}, but this epoch began with {}, read by another policy or other settings: neither is known to be more",
                    in_kind(here),
                    in_kind(base)
                )
            }
            Self::NoneOfEpoch(left) => {
                write!(
                    f,
                    "no data counts as of the newest epoch: what is there was given up, is older, not whole or new"
                )?;
                left.iter().try_for_each(|(who, reading)| write!(f, "; {who}: {}", known(reading.as_ref())))
            }
            Self::JoinerAhead(who) => {
                write!(
                    f,
                    "{who} was joining and holds more than every candidate: it served last, or its copy is not whole"
                )
            }
            Self::SeedsExhausted(tries) => {
                write!(f, "no candidate that holds all data is left to be tried as seed")?;
                tries.iter().try_for_each(|failure| write!(f, "; {}: {}", failure.replica, failure.why))
            }
            Self::PolicyUnavailable(why) => write!(f, "{policy} cannot be asked: {why}"),
            Self::NoSeedVerdict(why) => write!(f, "{policy} named no seed: {why}"),
            Self::SeedRefused { proposed, why } => {
                write!(f, "{policy} proposed {proposed} as seed; refused because {why}")
            }
            Self::NoOrderVerdict(why) => write!(f, "{policy} gave no order of primaries: {why}"),
            Self::OrderRefused { proposed, why } => {
                let names: Vec<&str> = proposed.iter().map(|name| name.0.as_str()).collect();
                write!(
                    f,
                    "{policy} proposed {} as order of primaries; refused because {why}",
                    names.join(", ")
                )
            }
            Self::LeaderRefused { member, proposed, why } => {
                write!(f, "{policy} proposed that {member} follows {proposed}; refused because {why}")
            }
            Self::PolicyHolds(who, why) => write!(f, "{policy} lets {who} wait: {why}"),
            Self::AwaitsApproval(who, command, why) => {
                write!(
                    f,
                    "planned: {}; recovery.mode is Ask, so that waits for a person",
                    planned(who, *command, why.as_deref())
                )
            }
            Self::PlannedOnly(who, command, why) => {
                write!(
                    f,
                    "planned: {}; recovery.mode is PlanOnly, so that is not done",
                    planned(who, *command, why.as_deref())
                )
            }
            Self::StartOpen { who, attempt, pod, node, grace } => {
                write!(f, "start {attempt} of {who} on node {node}, in pod {pod}, is not known to be over")?;
                grace.map_or(Ok(()), |seconds| {
                    write!(f, "; its pod is gone, and {seconds} s after that it counts as over by itself")
                })
            }
            Self::UnderWay(who, command) => write!(f, "{command:?} of {who} is under way"),
            Self::Overdue(who, command) => {
                write!(f, "{command:?} of {who} is past its timeout and may still get on")
            }
            Self::NotUp(who, command, said) => {
                let end = if said.is_empty() { String::new() } else { format!(" ({said})") };
                write!(
                    f,
                    "{command:?} of {who} is over{end} and {who} does not run; its pod is replaced if that lasts"
                )
            }
            Self::NotTurned(who, command, said) => {
                let ended =
                    if said.is_empty() { "is under way".to_owned() } else { format!("ended: {said}") };
                write!(f, "{command:?} of {who} {ended}; {who} has until its timeout to answer so")
            }
            Self::LockBusy(who) => {
                write!(f, "the volume of {who} is in use by a process that was not started here")
            }
            Self::Errant(who) => {
                write!(f, "what {who} holds is not known to be of the set's history; a join would destroy it")
            }
            Self::NoPrimary(who) => write!(f, "no primary runs that {who} could join"),
            Self::JoinsBusy(who) => write!(f, "{who} joins after those that are joining"),
            Self::NoPromotion(who, why) => {
                write!(f, "no secondary is promoted because of {who}: {why}")
            }
            Self::TwoGroups(a, b) => write!(f, "{a} and {b} run in different groups"),
            Self::RestoreSize { wanted, before } => {
                write!(f, "{wanted} replicas are wanted, but the set had {before} when it was scaled to 0")
            }
            Self::Immutable(field) => write!(f, "{field} cannot be changed in place"),
            Self::TemplateRefused(generation) => {
                write!(
                    f,
                    "no pod could start with the template of generation {generation}; the last good one is kept"
                )
            }
            Self::DataAlone(who, cause) => {
                write!(
                    f,
                    "{who} keeps its pod ({cause:?}): its data ends with that, and nobody else is known to hold it; it is replaced once another holds that, or a person gives it up"
                )
            }
            Self::RepairDelayed(who) => write!(f, "{who} was repaired lately; the next repair waits"),
            Self::LastServer(who) => write!(f, "{who} may be the last member that serves, and is left alone"),
            Self::NotWell(who) => write!(f, "the change waits until {who} is well"),
            Self::WorkloadPending => {
                write!(
                    f,
                    "the StatefulSet, or StatefulCluster, is not there yet, is being deleted, is behind its specification, or was not compared yet with what is wanted"
                )
            }
            Self::PlacesOpen { open, wanted } => write!(
                f,
                "{open} of {wanted} places have nobody yet: the StatefulCluster gives them to other names, within its budget"
            ),
            Self::OtherWorkload(what) => write!(
                f,
                "{what} is of this set on its other workload: make the set on that one again, or delete all that it left if \
                 nobody needs that"
            ),
            Self::ClaimTerminating(who) => {
                write!(f, "a claim of {who} is being deleted: its data is gone once the pod of {who} ends")
            }
            Self::RecordUnreadable(who) => write!(f, "the record on a claim of {who} cannot be read"),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, "the policy")
    }
}

/// What opens an epoch, in words.
fn planned(who: &ReplicaName, command: Command, why: Option<&str>) -> String {
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    match command {
        Command::Promote => format!("{who} becomes primary{why}, the others follow"),
        _ => format!("the set starts from {who}{why}, and those join that hold nothing beyond it"),
    }
}

/// Bytes of a position that are shown: it may have 64 KiB.
const SHOWN: usize = 80;

/// A position with its kind.
fn in_kind(position: &Position) -> String {
    let kind = if position.is_ordinal() { "a bare number" } else { "a history" };
    format!("{kind} ({})", shown(position))
}

fn shown(position: &Position) -> String {
    let text = position.to_string();
    let end = text.floor_char_boundary(SHOWN);
    format!("{}{}", &text[..end], if end < text.len() { "..." } else { "" })
}

/// What is known of some data, in a few words.
fn known(reading: Option<&Reading>) -> String {
    match reading {
        None => "not read yet".to_owned(),
        Some(Reading::At(position)) => shown(position),
        Some(Reading::Empty) => "empty".to_owned(),
        Some(Reading::Unreadable(_)) => "unreadable".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_policy_has_a_part_in_is_told_with_its_name() {
        let (who, why) = (|| "x-1".into(), || "it is late".to_owned());
        for (reason, words) in [
            (Reason::PolicyUnavailable(why()), "policy p 1 cannot be asked: it is late"),
            (Reason::NoSeedVerdict(why()), "policy p 1 named no seed: it is late"),
            (
                Reason::SeedRefused { proposed: who(), why: why() },
                "policy p 1 proposed x-1 as seed; refused because it is late",
            ),
            (Reason::NoOrderVerdict(why()), "policy p 1 gave no order of primaries: it is late"),
            (
                Reason::OrderRefused { proposed: vec![who(), "x-0".into()], why: why() },
                "policy p 1 proposed x-1, x-0 as order of primaries; refused because it is late",
            ),
            (
                Reason::LeaderRefused { member: who(), proposed: "x-9".into(), why: why() },
                "policy p 1 proposed that x-1 follows x-9; refused because it is late",
            ),
            (Reason::PolicyHolds(who(), why()), "policy p 1 lets x-1 wait: it is late"),
            (Reason::Paused, "paused: nothing is changed"),
        ] {
            assert_eq!(reason.told_of("policy p 1"), words);
            assert_eq!(
                reason.to_string(),
                words.replace("policy p 1", "the policy"),
                "nobody knows its name"
            );
        }
    }
}
