//! One rule a file, its table of cases below it. A rule sees the look and adds to the draft.

pub(crate) mod alone;
pub(crate) mod claims;
pub(crate) mod close;
pub(crate) mod elsewhere;
pub(crate) mod failover;
pub(crate) mod fate;
pub(crate) mod fence;
pub(crate) mod follow;
pub(crate) mod groups;
pub(crate) mod join;
pub(crate) mod label;
pub(crate) mod leave;
pub(crate) mod loss;
pub(crate) mod promote;
pub(crate) mod records;
pub(crate) mod refuse;
pub(crate) mod rehearse;
pub(crate) mod renew;
pub(crate) mod repair;
pub(crate) mod replace;
pub(crate) mod rollout;
pub(crate) mod seed;
pub(crate) mod size;
pub(crate) mod unheard;
pub(crate) mod vacant;
pub(crate) mod workload;
