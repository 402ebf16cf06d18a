//! What no plan may do, worked out from what the members are like, and not from what the planner
//! makes of them.

use crate::member::{Known, Member, Open, Place, Read, State};
use crate::world::{World, base, holder, name, reading};
use planner::names::ReplicaName;
use planner::observation::Command;
use planner::plan::Run;
use planner::record::Reading;
use planner::{Plan, Position, Step};

/// The first law that the plan breaks.
pub(crate) fn broken(world: &World, plan: &Plan) -> Option<String> {
    let at = |step: &Step| (0..3).find(|n| step.replica() == Some(&name(*n)));
    for step in &plan.steps {
        let Some(ordinal) = at(step) else { continue };
        let member = &world.members[ordinal];
        let wrong = match step {
            Step::Run(run) => {
                promised(plan, run, ordinal).or_else(|| led(world, run)).or_else(|| match run.command {
                    Command::Seed => seed(world, plan, ordinal),
                    Command::Follow if member.state == State::Secondary => turn(world, member),
                    Command::Join | Command::Follow => join(world, member),
                    Command::Promote => promote(world, ordinal),
                    _ => None,
                })
            }
            Step::Recycle { .. } => recycle(member),
            _ => None,
        };
        if let Some(wrong) = wrong {
            return Some(format!("law: {wrong}, of x-{ordinal}"));
        }
    }
    None
}

fn promised(plan: &Plan, run: &Run, ordinal: usize) -> Option<String> {
    let written = || {
        let record = plan.memory.holders.get(&holder(ordinal))?;
        record.open.iter().find(|start| start.attempt == run.attempt && start.pod == run.if_pod)
    };
    (run.command.is_start() && written().is_none()).then(|| format!("{:?} is not promised", run.command))
}

/// Whom it is told of, whoever proposed that.
fn led(world: &World, run: &Run) -> Option<String> {
    let serves = |peer: &ReplicaName| {
        world.members.iter().enumerate().any(|(n, member)| name(n) == *peer && member.state == State::Primary)
    };
    run.peers
        .iter()
        .find(|peer| !serves(peer))
        .map(|peer| format!("it is told of {peer}, which is no primary"))
}

fn seed(world: &World, plan: &Plan, ordinal: usize) -> Option<String> {
    let member = &world.members[ordinal];
    if plan.steps.len() > 1 {
        return Some("a seed beside other steps".to_owned());
    }
    if member.state != State::Stopped || member.place == Place::Gone {
        return Some("a seed where nothing says Stopped".to_owned());
    }
    for (other, beside) in world.members.iter().enumerate().filter(|(other, _)| *other != ordinal) {
        if matches!(beside.state, State::Primary | State::Unknown) {
            return Some(format!("a seed beside x-{other}, which is {:?}", beside.state));
        }
        if may_be_alive(beside) && beside.state != State::Secondary {
            return Some(format!("a seed beside an open start of x-{other}"));
        }
        if let Some(wrong) = lacks(member, beside) {
            return Some(format!("a seed that {wrong} of x-{other}"));
        }
    }
    may_be_alive(member).then(|| "a seed on an open start".to_owned())
}

/// No look alone proves these over.
fn may_be_alive(member: &Member) -> bool {
    match member.open {
        Open::None => false,
        Open::Unconfirmed => member.place == Place::Here,
        Open::Held | Open::Elsewhere => true,
    }
}

/// What the other is owed for: confirmed in the newest epoch, or nothing is known of it.
fn lacks(member: &Member, other: &Member) -> Option<String> {
    let owes = match other.known {
        Known::Current | Known::Nothing => true,
        Known::New => other.read != Read::Empty,
        Known::Older | Known::Joining => false,
    };
    if !owes || other.state == State::Secondary {
        return None;
    }
    match (position(member), reading(other.read)) {
        (_, None) => Some("passes over the unread data".to_owned()),
        _ if other.place == Place::Restarted => Some("passes over the void reading".to_owned()),
        (_, Some(Reading::Empty | Reading::Unreadable(_))) => Some("passes over the lost data".to_owned()),
        (Some(mine), Some(Reading::At(owed))) if mine.includes(&owed) => None,
        _ => Some("lacks the data".to_owned()),
    }
}

fn position(member: &Member) -> Option<Position> {
    match reading(member.read) {
        Some(Reading::At(position)) => Some(position),
        _ => None,
    }
}

fn join(world: &World, member: &Member) -> Option<String> {
    let serves = |other: &Member| other.state == State::Primary;
    let is_theirs = match member.known {
        Known::Current | Known::Joining => true,
        Known::Older => position(member).is_some_and(|mine| base().includes(&mine)),
        Known::New => member.read == Read::Empty,
        Known::Nothing => false,
    };
    match () {
        () if member.state != State::Stopped => Some("a join where nothing says Stopped".to_owned()),
        () if !world.members.iter().any(serves) => Some("a join without a primary".to_owned()),
        () if may_be_alive(member) => Some("a join on an open start".to_owned()),
        () if !is_theirs => Some("a join over data that is not theirs".to_owned()),
        () => None,
    }
}

/// A secondary that runs is told of another primary, and nothing is said of its data: it must be known to be of the set.
fn turn(world: &World, member: &Member) -> Option<String> {
    let serves = |other: &Member| other.state == State::Primary;
    match member.known {
        _ if !world.members.iter().any(serves) => Some("a secondary is turned to nobody".to_owned()),
        Known::Current | Known::Joining => None,
        _ => Some("a secondary is turned that is not known to be of the set".to_owned()),
    }
}

fn promote(world: &World, ordinal: usize) -> Option<String> {
    let others = || world.members.iter().enumerate().filter(|(other, _)| *other != ordinal).map(|(_, m)| m);
    let lost = |other: &Member| {
        other.known == Known::Current
            && may_be_alive(other)
            && !matches!(other.state, State::Primary | State::Secondary)
    };
    match () {
        () if world.members[ordinal].state != State::Secondary => {
            Some("a promotion of no secondary".to_owned())
        }
        () if others().any(|other| other.state == State::Primary) => {
            Some("a promotion beside a primary".to_owned())
        }
        () if others().any(lost) => Some("a promotion while the old primary may be alive".to_owned()),
        () => None,
    }
}

fn recycle(member: &Member) -> Option<String> {
    let runs = matches!(member.state, State::Primary | State::Secondary | State::Unknown);
    runs.then(|| format!("the pod of a member that is {:?} is deleted", member.state))
}
