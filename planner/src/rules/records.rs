//! A record that cannot be read may name an open start: nothing is started beside it.

use crate::draft::{Draft, Flow};
use crate::hold::Reason;

pub(crate) fn records(draft: &mut Draft<'_>) -> Flow {
    let unreadable =
        |replica: &crate::observation::Replica| replica.claims.iter().any(|claim| claim.unreadable);
    let seen = draft.look.seen;
    let names: Vec<_> =
        seen.replicas.iter().filter(|(_, r)| unreadable(r)).map(|(name, _)| name.clone()).collect();
    for name in &names {
        draft.hold_replica(name, Reason::RecordUnreadable(name.clone()), &[]);
    }
    if names.is_empty() { Flow::On } else { Flow::Enough }
}
