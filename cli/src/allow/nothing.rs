//! Why there is nothing to allow.

use operator::api::{RecoveryMode, ReplicatedStatefulSet};

use crate::explain::Explained;

/// Why nobody can name this replica.
pub(super) fn no_seed(
    set: &ReplicatedStatefulSet,
    replica: &str,
    offered: &[&str],
    explained: &Explained,
) -> String {
    let known: Vec<&str> =
        set.status.iter().flat_map(|status| &status.replica_states).map(|one| one.name.as_str()).collect();
    let none = match known.contains(&replica) {
        true => String::new(),
        false if known.is_empty() => ", and its status tells of no replica".to_owned(),
        false => format!(", which is none of its replicas ({})", known.join(", ")),
    };
    let others = match offered {
        [] => "nor of any other".to_owned(),
        offered => format!("only of {}", offered.join(", ")),
    };
    let known = explained.last_known(replica).map(|known| {
        format!("; {replica} was {known}, and only what was read since it stopped can be started from")
    });
    format!("offers no AcceptSeed of {replica}{none}, {others}{}", known.unwrap_or_default())
}

/// Why there is nothing to approve.
pub(super) fn no_plan(set: &ReplicatedStatefulSet) -> String {
    let mode = set.spec.recovery.as_ref().and_then(|recovery| recovery.mode).unwrap_or_default();
    match mode {
        RecoveryMode::Ask => {
            "has nothing to approve now: no plan waits (AwaitsApproval), though its recovery.mode is Ask"
                .to_owned()
        }
        mode => format!(
            "has nothing to approve: its recovery.mode is {mode:?}, and a plan waits (AwaitsApproval) only with Ask"
        ),
    }
}
