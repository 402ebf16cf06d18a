//! Two groups: both may take writes. Nobody is stopped, nothing is started; a person decides.

use crate::draft::{Draft, Flow};
use crate::hold::Reason;
use crate::recall::two_groups;

pub(crate) fn groups(draft: &mut Draft<'_>) -> Flow {
    let Some((first, second)) = two_groups(draft.look) else { return Flow::On };
    draft.hold(Reason::TwoGroups(first, second), &[]);
    Flow::Enough
}
