//! What a policy is tried with, for the interfaces that it exports.

use super::cases::{self, Case};
use crate::policy::component::Component;
use crate::policy::interface::Interface;
use crate::policy::question::{Member, ReplicasInput};

/// One question, or several of which the answers are compared.
pub(super) enum Attempt {
    Output(Case),
    /// The same members in other orders.
    Orders(Interface, Vec<Member>),
    Member(ReplicasInput),
}

impl Attempt {
    pub(super) fn interface(&self) -> Interface {
        match self {
            Self::Output(_) => Interface::Sequence,
            Self::Orders(interface, _) => *interface,
            Self::Member(_) => Interface::Replicas,
        }
    }
}

/// All that a policy is tried with, for the interfaces that it exports.
pub(super) fn attempts(component: &Component) -> Vec<Attempt> {
    let exports = |interface| component.exports().contains(&interface);
    let mut all = Vec::new();
    if exports(Interface::Sequence) {
        all.extend(cases::outputs().into_iter().map(Attempt::Output));
    }
    for members in cases::sets() {
        for interface in [Interface::Seed, Interface::Primaries].into_iter().filter(|one| exports(*one)) {
            all.push(Attempt::Orders(interface, members.clone()));
        }
        if exports(Interface::Replicas) {
            all.extend(treatments(&members).map(Attempt::Member));
        }
    }
    all
}

/// Each member, with no primary and with those before it.
fn treatments(members: &[Member]) -> impl Iterator<Item = ReplicasInput> {
    members.iter().enumerate().flat_map(|(index, member)| {
        let before: Vec<String> = members[..index].iter().map(|member| member.name.clone()).collect();
        [Vec::new(), before].map(|primaries| ReplicasInput { member: member.clone(), primaries })
    })
}
