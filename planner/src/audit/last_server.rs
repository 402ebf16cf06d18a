//! Who is never repaired.

use super::breach::{Breach, Rule};
use super::evidence::{Evidence, State};
use super::repair::Ending;
use crate::record::Record;
use crate::start::Start;

/// 4.8: a repair never ends the last server: a member that answers Primary or Secondary, or did so in this container, or
/// has the label for clients, while no other is seen to run. One that answers Stopped or Failed, or has no process, serves
/// nobody.
pub(super) fn is_left_alone(evidence: &Evidence<'_>, found: &mut Vec<Breach>) {
    for ending in evidence.endings().filter(Ending::is_repair) {
        let Some(member) = evidence.member(ending.replica) else { continue };
        let served = || {
            let is_here = |start: &Start| member.container() == Some(&start.container);
            let answered =
                |record: &Record| record.open.iter().any(|start| start.confirmed && is_here(start));
            let holder = member.holder.as_ref();
            member.has_label() || holder.is_some_and(|holder| evidence.past(holder).own().any(answered))
        };
        let serves = match member.state {
            State::Primary | State::Secondary => true,
            State::Unknown => served(),
            State::Stopped | State::Failed | State::Down => false,
        };
        let another = evidence.members.iter().any(|other| other.name != member.name && other.state.serves());
        if serves && !another {
            found.push(Breach::at(Rule::LastServer, ending.replica, format!("{:?}", ending.cause)));
        }
    }
}
