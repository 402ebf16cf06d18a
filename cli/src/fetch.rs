//! What registries have, fetched as the operator fetches it.

use anyhow::{Context, Result, anyhow};
use operator::api::VerifiedBy;
use operator::policy::Digest;
use operator::policy::fetch::{
    self, Artifact, Cause, Claims, Credentials, FetchError, Image, Proxy, Refusal, Registries,
};
use operator::policy::signature::{Demand, Unsigned};

use crate::access::{Access, Tls};
use crate::cryptography;
use crate::login;
use crate::progress;

/// Fetches an image.
///
/// # Errors
/// If the registry does not give it, or it is no policy.
pub(crate) fn fetch(image: &Image, access: &Access) -> Result<Artifact> {
    let Way { registries, credentials, host, tls } = way(image, access)?;
    let fetch = async {
        let digest = registries.resolve(image, &credentials).await?;
        registries.pull(image, digest, &credentials).await
    };
    done(&host, tls, fetch)
}

/// What the registry says of an image, without its component.
///
/// # Errors
/// If the registry does not say, or it is no policy.
pub(crate) fn describe(image: &Image, access: &Access) -> Result<Claims> {
    let Way { registries, credentials, host, tls } = way(image, access)?;
    done(&host, tls, registries.describe(image, &credentials))
}

/// By which of these keys an image is signed, with the digest that it has at the moment.
///
/// # Errors
/// If the registry does not say; within, if it has not the signatures.
#[expect(clippy::type_complexity, reason = "the operator's own answer, beside the digest")]
pub(crate) fn verify(
    image: &Image,
    demand: &Demand,
    access: &Access,
) -> Result<(Digest, Result<Vec<VerifiedBy>, Box<Unsigned>>)> {
    let Way { registries, credentials, host, tls } = way(image, access)?;
    let fetch = async {
        let digest = registries.resolve(image, &credentials).await?;
        let demands = std::slice::from_ref(demand);
        Ok((digest, registries.verify(image, digest, &credentials, demands).await?))
    };
    done(&host, tls, fetch)
}

/// How an image is reached.
struct Way {
    registries: Registries,
    credentials: Credentials,
    /// `HOST:PORT`.
    host: String,
    tls: Tls,
}

fn way(image: &Image, access: &Access) -> Result<Way> {
    cryptography::install();
    let repository = image.repository();
    let host = repository.split('/').next().unwrap_or_default().to_owned();
    let credentials = login::login(image)?.credentials(&host);
    let insecure = if access.plain_http { vec![host.parse()?] } else { Vec::new() };
    // What is named here may be anywhere, on this machine too.
    let access_to = fetch::Access { allowed: vec![host.parse()?], insecure };
    let mut registries = Registries::new(access_to).by_proxy(Proxy::of_environment()?);
    if let Some(pem) = access.authorities()? {
        registries.trust(&pem).context("--ca")?;
    }
    Ok(Way { registries, credentials, host, tls: access.tls() })
}

fn done<T>(host: &str, tls: Tls, fetch: impl Future<Output = Result<T, FetchError>>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("failed to start what speaks to registries")?;
    let fetched = progress::told("fetching", || runtime.block_on(fetch));
    fetched.map_err(|error| match cure(&error.cause, host, tls) {
        Some(cure) => anyhow!("{} was not fetched: {cure}", error.image),
        None => error.into(),
    })
}

/// What the operator's words say of a resource and of its own flags, said of this command line.
fn cure(cause: &Cause, host: &str, tls: Tls) -> Option<String> {
    match cause {
        Cause::Anonymous => Some(format!("the registry asks who it is (401); log in: docker login {host}")),
        Cause::Unauthorized => {
            Some(format!("the registry does not take the login (401); log in again: docker login {host}"))
        }
        Cause::Token(why) => Some(format!(
            "the registry's token service gave no token: {why}; log in again: docker login {host}"
        )),
        Cause::NotFound(absent) => Some(format!(
            "the registry has no such {absent} (404); correct the name, or push it there first"
        )),
        Cause::Certificate(why) => {
            Some(format!("the registry's certificate is not trusted: {why}; {}", tls.untrusted()))
        }
        Cause::Tls(why) => {
            Some(format!("the registry does not speak TLS: {why}; {}", tls.not_spoken()))
        }
        Cause::Way(Refusal::Unreachable { host, why }) => Some(format!(
            "{host} cannot be reached: {why}; see that the registry is up and its name is right"
        )),
        // Without TLS is spoken to the one that is named: another is where that one sends to.
        Cause::Way(Refusal::Plain { host: other }) => Some(match tls {
            Tls::Without => {
                format!("{host} sends to {other} without TLS, and --plain-http is for {host} alone; name that one")
            }
            _ => format!("{other} would be spoken to without TLS; {}", tls.not_spoken()),
        }),
        Cause::Way(Refusal::Unnamed { host, why }) => {
            Some(format!("{host} has no address: {why}; see that its name is right"))
        }
        Cause::Busy => Some("the registry was asked too often (429); try again later".to_owned()),
        Cause::Unwell(status) => Some(format!("the registry is unwell ({status}); try again later")),
        Cause::Broken(why) => {
            Some(format!("the connection broke: {why}; see that the registry is well{}", tls.broken()))
        }
        Cause::Late(after) => Some(format!("it took longer than {after:?}; try again later")),
        Cause::NoAuthorities => Some(
            "this machine has no certificate authorities, in /etc/ssl/certs for one; give the registry's by --ca"
                .to_owned(),
        ),
        _ => None,
    }
}
