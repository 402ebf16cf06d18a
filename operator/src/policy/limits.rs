//! What a policy may use. Every bound is a constant: one that can be set is one that gets switched off.

/// The size of a component in bytes. Its bytes are kept in a ConfigMap, which holds 1 MiB in all.
pub const COMPONENT: usize = 768 << 10;
