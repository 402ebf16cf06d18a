//! What TLS computes with: `ring`, as in the operator.

/// Lets this process speak TLS. Only the first that asks is heard; another has asked for the same.
pub(crate) fn install() {
    let _ = rustls::crypto::ring::default_provider().install_default();
}
