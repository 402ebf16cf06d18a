//! The names by which things are told apart, each with a type of its own.

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
    /// Who a pod is: its name, `NAME-<random>`. It is given to one pod, and never again.
    Identity
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
    /// `metadata.name` of a volumeClaimTemplate.
    ClaimTemplate
}
name! {
    /// What of a template can be changed in a pod that lives: its labels, annotations and images.
    InPlace
}
name! {
    /// The rest of a template: another one needs another pod.
    Lasting
}
