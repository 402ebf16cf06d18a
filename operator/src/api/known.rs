//! The fields that a policy is known by, which the status of the one that decides and that of its candidate both have. They
//! are written once; as a struct within both, every reader of either would have to name it.

/// A struct with these fields, and with its own after them.
macro_rules! known_policy {
    ($(#[$about:meta])* pub struct $name:ident { $($own:tt)* }) => {
        $(#[$about])*
        pub struct $name {
            /// It is part of the operator.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub builtin: Option<Builtin>,
            /// The image that it came from, by tag or digest, as a whole name.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub image: Option<String>,
            /// The digest of that image: what the tag stood for when it was asked.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub image_digest: Option<Digest>,
            /// The ConfigMap that it came from.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub config_map: Option<ConfigMapKey>,
            /// The digest of the component itself, whichever way it came.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub digest: Option<Digest>,
            /// The size of the component in bytes.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub size: Option<i64>,
            /// What it calls itself.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub name: Option<String>,
            /// Its own version.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub version: Option<String>,
            /// The settings that it accepted and is asked with.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub settings: Option<Settings>,
            $($own)*
        }
    };
}

/// These fields of one such struct as another, of which nothing else is told.
macro_rules! the_same_policy {
    ($one:expr => $other:ident) => {
        $other {
            builtin: $one.builtin,
            image: $one.image.clone(),
            image_digest: $one.image_digest,
            config_map: $one.config_map.clone(),
            digest: $one.digest,
            size: $one.size,
            name: $one.name.clone(),
            version: $one.version.clone(),
            settings: $one.settings.clone(),
            ..$other::default()
        }
    };
}

pub(super) use {known_policy, the_same_policy};
