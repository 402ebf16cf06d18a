//! Whether guarded commands can run in the pod of a member, and why not.

use crate::hold::Reason;
use crate::look::Look;
use crate::names::ReplicaName;
use crate::observation::Pod;

/// Why no guarded command can run in the pod of this member.
pub(crate) fn obstacle(look: &Look<'_>, name: &ReplicaName) -> Option<Reason> {
    let pod = look.pod(name)?;
    if is_missing(look, pod) {
        return Some(Reason::GuardMissing(name.clone()));
    }
    (!pod.guarded || pod.unguardable).then(|| Reason::Unguarded(name.clone()))
}

/// Made from the wanted template, and yet without the guard: the cluster changes pods when they are made.
fn is_missing(look: &Look<'_>, pod: &Pod) -> bool {
    let wanted = look.seen.workload.as_ref().filter(|workload| workload.is_current());
    !pod.guarded && wanted.is_some_and(|wanted| wanted.revision == pod.revision)
}
