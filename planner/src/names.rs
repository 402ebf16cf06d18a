//! The names by which Kubernetes tells things apart. Each has a type of its own,
//! so that a pod's UID can never be compared with a container's ID.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! name {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }
    };
}

name! {
    /// A place for a member: the name of its pod, such as `rss-orders-0`.
    ReplicaName
}
name! {
    /// `metadata.uid` of a pod.
    PodUid
}
name! {
    /// `metadata.uid` of a PersistentVolumeClaim.
    ClaimUid
}
name! {
    /// `containerID` as the kubelet reports it: one run of one container.
    ContainerId
}
name! {
    /// `metadata.name` of a node.
    NodeName
}
name! {
    /// `status.nodeInfo.bootID` of a node: it changes when the machine starts anew.
    BootId
}
impl BootId {
    /// Whether this boot is known to be over. One that is not known, then or now, tells nothing.
    #[must_use]
    pub(crate) fn is_before(&self, now: &Self) -> bool {
        !self.0.is_empty() && !now.0.is_empty() && self != now
    }
}
name! {
    /// One attempt at one command. Never used twice: it names the folder in the container
    /// that lets a command begin at most once.
    AttemptId
}
name! {
    /// Which group of members an application says it belongs to (`rss.group=ID`).
    GroupId
}
name! {
    /// Who makes a position of what `sequence` prints: a policy with its settings, in a short name. Two that may say
    /// something else of the same output have two names.
    Reader
}
name! {
    /// A revision of the pod template: the value of `controller-revision-hash`.
    Revision
}
