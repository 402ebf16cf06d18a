//! That a lights-out would not be recovered any more.

use super::{Happened, Reason};
use crate::api;
use crate::api::condition::{ConditionType, get};
use crate::report::{Told, would_hold};

/// What the condition before did not tell: that it is False now, or for another reason.
#[must_use]
pub fn of_readiness(told: &Told<'_>) -> Option<Happened> {
    let (reason, message) = would_hold(told)?;
    let before = get(&told.previous.conditions, ConditionType::RecoveryReady);
    let is_known = before.is_some_and(|before| before.status == "False" && before.reason == reason);
    let note = format!("RecoveryReady is False ({reason}): {message}");
    let reason = Reason::Shell(api::Reason::WouldNotRecover);
    (!is_known).then_some(Happened { reason, is_warning: true, replica: None, note })
}
