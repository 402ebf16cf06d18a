//! Whose word is taken for who a registry is.

use std::sync::OnceLock;

use oci_client::client::{Certificate, CertificateEncoding};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

/// Certificates that were given in addition to those of the system.
#[derive(Clone, Debug, Default)]
pub(super) struct Authorities(Vec<CertificateDer<'static>>);

/// A text that holds no authorities.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAuthority {
    /// No certificate in it.
    #[error("it holds no certificate in PEM")]
    Empty,
    /// Something else in its place.
    #[error("a certificate in it is none: {0}")]
    Malformed(String),
}

impl Authorities {
    /// Adds all that are in a text in PEM.
    pub(super) fn add(&mut self, pem: &[u8]) -> Result<(), NoAuthority> {
        let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
        let found = found.map_err(|error| NoAuthority::Malformed(error.to_string()))?;
        if found.is_empty() {
            return Err(NoAuthority::Empty);
        }
        for certificate in &found {
            let added = RootCertStore::empty().add(certificate.clone());
            added.map_err(|error| NoAuthority::Malformed(error.to_string()))?;
        }
        self.0.extend(found);
        Ok(())
    }

    pub(super) fn for_client(&self) -> Vec<Certificate> {
        let der = |certificate: &CertificateDer<'_>| Certificate {
            encoding: CertificateEncoding::Der,
            data: certificate.to_vec(),
        };
        self.0.iter().map(der).collect()
    }
}

/// Whether the system has any. The client panics where it has none, whatever it was given. Reading them takes as long as
/// a request to a registry nearby: where there were some, there are.
pub(super) fn system_has_some() -> bool {
    static HAS_SOME: OnceLock<()> = OnceLock::new();
    if HAS_SOME.get().is_some() {
        return true;
    }
    let has_some = has_some();
    if has_some {
        HAS_SOME.get_or_init(|| ());
    }
    has_some
}

fn has_some() -> bool {
    RootCertStore::empty().add_parsable_certificates(rustls_native_certs::load_native_certs().certs).0 > 0
}
