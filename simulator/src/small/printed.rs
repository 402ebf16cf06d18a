//! What counts of each part of a state. A field that is new does not compile until it is named here.

use super::commands::{Ask, Flight};
use super::enact::Effect;
use super::life::Life;
use super::member::{Mark, Member, Phase, Pod, Process};
use super::moves::Budget;
use super::print::{Printed, Printer, said};
use super::{State, Write};
use planner::key::Key;
use planner::names::{AttemptId, BootId, ClaimUid, ContainerId, PodUid, ReplicaName};
use planner::observation::{Attempt, Command, Fate, Role};

macro_rules! by_fields {
    ($($of:ident { $($field:ident),* } $(but $not:ident)*;)*) => {
        $(impl Printed for $of {
            fn print(&self, to: &mut Printer) {
                let Self { $($field,)* $($not: _,)* } = self;
                $($field.print(to);)*
            }
        })*
    };
}

macro_rules! by_text {
    ($($of:ident),*) => {
        $(impl Printed for $of {
            fn print(&self, to: &mut Printer) {
                self.0.print(to);
            }
        })*
    };
}

macro_rules! by_number {
    ($($of:ident),*) => {
        $(impl Printed for $of {
            fn print(&self, to: &mut Printer) {
                to.word(*self as u64);
            }
        })*
    };
}

macro_rules! by_words {
    ($($of:ident),*) => {
        $(impl Printed for $of {
            fn print(&self, to: &mut Printer) {
                said(self, to);
            }
        })*
    };
}

by_fields! {
    State { members, flights, status, version, life, frozen, writes, lineages, keys, left, breach } but serial;
    Write { lineage, number, acknowledged, given_up };
    Member { claim, version, record, data, torn, joining, boot, pod, process, orphan };
    Pod { uid, container, ended, terminating, active, role, folder };
    Process { pod, container, role, lineage, phase, broken };
    Flight { attempt, member, pod, ask, heard, begun };
    Life { attempts, fates, asking, terminated, queue, stale, served };
    Attempt { replica, pod, container, command, locked, starts, at_rest, state };
    Budget { troubles, faults, writes };
}

by_text! { AttemptId, BootId, ClaimUid, ContainerId, PodUid, ReplicaName }
by_number! { bool, u8, u16, u64, usize, Role, Command }
by_words! { Fate, Key, Mark, Phase }

impl Printed for planner::observation::AttemptState {
    fn print(&self, to: &mut Printer) {
        to.word(u64::from(*self == Self::Running));
        if *self != Self::Running {
            said(self, to);
        }
    }
}

impl Printed for Ask {
    fn print(&self, to: &mut Printer) {
        match self {
            Self::Fate => to.word(0),
            Self::Run(run) => run.print(to),
        }
    }
}

impl Printed for Effect {
    fn print(&self, to: &mut Printer) {
        match self {
            Self::Record { at, claim, record, version } => {
                to.word(*at as u64);
                claim.print(to);
                record.print(to);
                version.print(to);
            }
            Self::Memory { memory, version } => {
                to.word(u64::MAX);
                memory.print(to);
                version.print(to);
            }
            Self::Forget(known) => {
                to.word(u64::MAX - 1);
                known.print(to);
            }
            Self::Step(step) => {
                to.word(u64::MAX - 2);
                step.print(to);
            }
        }
    }
}
