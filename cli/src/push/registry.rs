//! One push to one registry.

mod failure;

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use oci_client::client::{Certificate, CertificateEncoding, Client, ClientConfig, ClientProtocol};
use oci_client::errors::OciDistributionError;
use oci_client::{Reference, RegistryOperation};
use operator::policy::Digest;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use super::artifact::{Artifact, MANIFEST};
use crate::access::{Access, Tls};
use crate::cryptography;
use crate::login::Login;
use failure::Failure;

/// How long a connection may take, and how long a registry may be silent.
const CONNECT: Duration = Duration::from_secs(10);
const READ: Duration = Duration::from_secs(60);

/// How the registry is reached.
pub(super) struct Way {
    tls: Tls,
    authorities: Vec<Certificate>,
}

/// A registry that was asked how it wants to be asked.
pub(super) struct Registry<'a> {
    client: Client,
    image: &'a Reference,
    login: Login,
    tls: Tls,
}

// === impl Way ===

impl Way {
    /// # Errors
    /// If the file of authorities cannot be read, or holds none.
    pub(super) fn new(access: &Access) -> Result<Self> {
        let authorities = access.authorities()?.map_or(Ok(Vec::new()), |pem| authorities(&pem))?;
        Ok(Self { tls: access.tls(), authorities })
    }
}

/// All that are in a file: the client takes one from each text.
fn authorities(pem: &[u8]) -> Result<Vec<Certificate>> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let found = found.context("failed to read certificates in PEM (--ca)")?;
    ensure!(!found.is_empty(), "the file holds no certificate in PEM (--ca)");
    let der =
        |one: CertificateDer<'_>| Certificate { encoding: CertificateEncoding::Der, data: one.to_vec() };
    Ok(found.into_iter().map(der).collect())
}

// === impl Registry ===

impl<'a> Registry<'a> {
    /// # Errors
    /// If there is no way to it, or it does not take the login.
    pub(super) async fn open(image: &'a Reference, way: Way, login: Login) -> Result<Self> {
        cryptography::install();
        let config = ClientConfig {
            protocol: if way.tls == Tls::Without { ClientProtocol::Http } else { ClientProtocol::Https },
            extra_root_certificates: way.authorities,
            // A policy is smaller than what registries take at once.
            use_monolithic_push: true,
            platform_resolver: None,
            read_timeout: Some(READ),
            connect_timeout: Some(CONNECT),
            user_agent: concat!("kubectl-rss/", env!("CARGO_PKG_VERSION")),
            ..ClientConfig::default()
        };
        let client = Client::try_from(config).context("failed to use the certificates (--ca)")?;
        let (auth, registry) = (login.auth()?, Self { client, image, login, tls: way.tls });
        let asked = registry.client.auth(image, &auth, RegistryOperation::Push).await;
        registry.told("it was not asked for the right to push", asked)?;
        Ok(registry)
    }

    /// Pushes the component, what it is, and last the manifest, which names both.
    ///
    /// # Errors
    /// What the registry did not take.
    pub(super) async fn push(&self, artifact: &Artifact) -> Result<()> {
        self.blob("the component", &artifact.component).await?;
        self.blob("the config", &artifact.config).await?;
        let kind = MANIFEST.parse().context("a media type is a header")?;
        let pushed = self.client.push_manifest_raw(self.image, artifact.manifest.clone(), kind).await;
        self.told("it did not take the manifest", pushed).map(drop)
    }

    /// What is there already is not sent again.
    async fn blob(&self, what: &str, bytes: &[u8]) -> Result<()> {
        let digest = Digest::of(bytes).to_string();
        let is_there = self.client.blob_exists(self.image, &digest).await;
        if is_there.unwrap_or(false) {
            return Ok(());
        }
        let pushed = self.client.push_blob(self.image, bytes.to_vec(), &digest).await;
        self.told(&format!("it did not take {what}"), pushed).map(drop)
    }

    fn told<T>(&self, what: &str, done: Result<T, OciDistributionError>) -> Result<T> {
        done.map_err(|error| Failure::of(&error, self.image.registry(), &self.login, self.tls))
            .with_context(|| format!("{} was not pushed: {what}", self.image))
    }
}
