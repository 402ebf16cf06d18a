//! One fetch of one tenant.
//!
//! Each has a client of its own: a client keeps the first login that it was given for a registry, and would use that of
//! one tenant for the next.

mod exchange;
mod pages;

pub(super) use pages::{Next, Page};

use std::io;
use std::panic::AssertUnwindSafe;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use oci_client::client::{Client, ClientConfig, ClientProtocol};
use oci_client::errors::OciDistributionError;
use oci_client::secrets::RegistryAuth;
use oci_client::{Reference, RegistryOperation};

use super::access::{Access, Scheme};
use super::authorities::{self, Authorities};
use super::blob::Capped;
use super::error::Cause;
use super::gate::Gate;
use super::login::Authentication;
use super::manifest;
use super::patience::Patience;
use super::proxy::Proxy;
use crate::policy::{Digest, limits};

/// All that a manifest and the component may take in, every try, redirect and token included. The client holds a
/// manifest, a token or an error as a whole, however long it is.
pub(super) const TRAFFIC: usize = 4 * limits::COMPONENT;

/// As whom it asks.
const USER_AGENT: &str = concat!("rss-operator/", env!("CARGO_PKG_VERSION"));

/// A client, its way out, and for whom it asks.
pub(super) struct Session {
    client: Client,
    gate: Gate,
    auth: RegistryAuth,
    /// What the registry's token service gave, if it has one.
    token: Option<String>,
    authorities: Authorities,
    scheme: Scheme,
    patience: Patience,
}

impl Session {
    /// Opens it, and asks the registry how it wants to be asked. All that comes in is at most `traffic` bytes.
    pub(super) async fn open(
        (access, proxy): (&Access, &Proxy),
        authorities: &Authorities,
        patience: Patience,
        traffic: usize,
        reference: &Reference,
        authentication: Authentication,
    ) -> Result<Self, Cause> {
        let gate = Gate::open(access, proxy, patience.connect, traffic).await;
        let gate = gate.map_err(|error| Cause::Own(error.to_string()))?;
        let config = ClientConfig {
            protocol: ClientProtocol::HttpsExcept(access.insecure.iter().map(ToString::to_string).collect()),
            extra_root_certificates: authorities.for_client(),
            platform_resolver: None,
            read_timeout: Some(patience.read),
            connect_timeout: Some(patience.connect * 2),
            user_agent: USER_AGENT,
            https_proxy: Some(gate.proxy(Scheme::Https)),
            http_proxy: Some(gate.proxy(Scheme::Http)),
            ..ClientConfig::default()
        };
        let is_insecure =
            access.insecure.iter().any(|insecure| insecure.to_string() == reference.resolve_registry());
        let scheme = if is_insecure { Scheme::Http } else { Scheme::Https };
        let (client, authorities) = (client(config).await?, authorities.clone());
        let auth = RegistryAuth::Anonymous;
        let mut session = Self { client, gate, auth, token: None, authorities, scheme, patience };
        session.auth = match authentication {
            Authentication::Direct(auth) => auth,
            Authentication::Identity(token) => session.exchange(reference, &token).await?,
        };
        // The client itself would take a failure here for a registry that asks for nothing.
        session.token = session
            .tried(|| session.client.auth(reference, &session.auth, RegistryOperation::Pull).boxed())
            .await?;
        Ok(session)
    }

    /// From now on at most `traffic` bytes more come in.
    pub(super) fn allow(&self, traffic: usize) {
        self.gate.allow(traffic);
    }

    /// A manifest and its digest, which is of the very bytes.
    pub(super) async fn manifest(&self, reference: &Reference) -> Result<(Digest, Bytes), Cause> {
        let pull = || self.client.pull_manifest_raw(reference, &self.auth, &manifest::ACCEPTED).boxed();
        let (bytes, _) = self.tried(pull).await?;
        Ok((Digest::of(&bytes), bytes))
    }

    /// The bytes with this digest, `most` at most.
    pub(super) async fn blob(
        &self,
        reference: &Reference,
        digest: Digest,
        most: usize,
    ) -> Result<Bytes, Cause> {
        let name = digest.to_string();
        let pull = || {
            let name = name.as_str();
            let pull = async move {
                let mut bytes = Capped::new(most);
                // By its digest alone: a descriptor may name other places to take it from.
                self.client.pull_blob(reference, name, &mut bytes).await.map(|()| bytes.into_bytes())
            };
            pull.boxed()
        };
        let bytes = self.tried(pull).await?;
        match Digest::of(&bytes) == digest {
            true => Ok(bytes.into()),
            false => Err(Cause::WrongDigest(name)),
        }
    }

    /// Sends a request until it succeeds, fails for good, or was sent often enough.
    /// The futures are boxed: of others the compiler does not see that they may move between threads.
    async fn tried<'a, T>(
        &self,
        ask: impl Fn() -> BoxFuture<'a, Result<T, OciDistributionError>>,
    ) -> Result<T, Cause> {
        let mut pauses = self.patience.pauses();
        loop {
            // A registry can make the client panic, by a token that is no header for one.
            let cause = match AssertUnwindSafe(ask()).catch_unwind().await {
                Ok(Ok(value)) => return Ok(value),
                Ok(Err(error)) => self.cause(&error),
                Err(_) => return Err(Cause::Answered("what makes the client fail".to_owned())),
            };
            match pauses.next() {
                Some(pause) if cause.is_passing() => tokio::time::sleep(pause).await,
                _ => return Err(cause),
            }
        }
    }

    /// The gate knows better than the client why there was no connection.
    fn cause(&self, error: &OciDistributionError) -> Cause {
        match (Cause::of(error, self.auth != RegistryAuth::Anonymous), self.gate.refusal()) {
            (cause @ Cause::NotAPolicy(_), _) | (cause, None) => cause,
            (_, Some(refusal)) => Cause::Way(refusal),
        }
    }
}

/// Making one reads the system's certificates, twice.
async fn client(config: ClientConfig) -> Result<Client, Cause> {
    let make = move || match authorities::system_has_some() {
        true => Client::try_from(config).map_err(|error| Cause::Own(error.to_string())),
        false => Err(Cause::NoAuthorities),
    };
    let made = tokio::task::spawn_blocking(make).await;
    made.unwrap_or_else(|error| Err(Cause::Own(io::Error::other(error).to_string())))
}
