//! A primary of an older epoch takes writes that nobody will keep: it is stopped.

use crate::draft::{Draft, Flow};
use crate::names::ReplicaName;
use crate::observation::Command;
use crate::plan::Cause;

pub(crate) fn fence(draft: &mut Draft<'_>) -> Flow {
    let look = draft.look;
    if look.live_primaries().next().is_none() {
        return Flow::On;
    }
    let of_old = |name: &&ReplicaName| {
        look.record(name).is_some_and(|record| record.confirmed < look.epoch() && !record.joining)
    };
    for name in look.running().filter(of_old) {
        draft.run(name, Command::Stop, Cause::Epoch);
    }
    Flow::On
}
