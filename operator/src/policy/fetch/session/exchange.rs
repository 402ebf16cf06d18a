//! Exchanges an identity token for an access token (OAuth 2, RFC 6749, section 6), as the token services of registries
//! offer it. `oci-client` has no such request.

use futures::FutureExt;
use http_auth::ChallengeParser;
use oci_client::Reference;
use oci_client::errors::OciDistributionError;
use oci_client::secrets::RegistryAuth;
use reqwest::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};
use serde::Deserialize;

use super::Session;
use crate::policy::fetch::error::{Cause, quoted};
use crate::policy::fetch::login::Unusable;

/// The bytes that an answer with a token may have.
const ANSWER: usize = 64 << 10;

/// The name of the operator in the request: the service wants one.
const CLIENT_ID: &str = "rss-operator";

/// Where a registry says that tokens are given, and for which of its services.
struct Challenge {
    realm: Url,
    service: Option<String>,
}

#[derive(Deserialize)]
struct Answer {
    access_token: Option<String>,
    token: Option<String>,
}

impl Session {
    /// The access token for this image. A registry that asks for no login gets none.
    pub(super) async fn exchange(
        &self,
        reference: &Reference,
        identity: &str,
    ) -> Result<RegistryAuth, Cause> {
        // A redirect with 307 would carry the token to another host.
        let client = self.plain(Policy::none()).await?;
        let (scheme, registry) = (self.scheme.name(), reference.resolve_registry());
        let ping = format!("{scheme}://{registry}/v2/");
        let asked = self.tried(|| asked(&client, &ping).boxed()).await?;
        let Some(header) = asked else { return Ok(RegistryAuth::Anonymous) };
        let challenge = Challenge::parse(&header).ok_or(Cause::Login(Unusable::IdentityToken))?;
        let form = challenge.form(reference.repository(), identity);
        let token = self.tried(|| token(&client, &challenge.realm, &form).boxed()).await?;
        Ok(RegistryAuth::Bearer(token))
    }
}

/// The header by which a registry asks for a login, if it does.
async fn asked(client: &Client, ping: &str) -> Result<Option<String>, OciDistributionError> {
    let response = client.get(ping).send().await?;
    let header = response.headers().get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
    match response.status().as_u16() {
        200 => Ok(None),
        401 => Ok(Some(header.unwrap_or_default().to_owned())),
        code => Err(OciDistributionError::ServerError { code, url: quoted(ping), message: String::new() }),
    }
}

async fn token(client: &Client, realm: &Url, form: &str) -> Result<String, OciDistributionError> {
    let request = client.post(realm.clone()).header(CONTENT_TYPE, "application/x-www-form-urlencoded");
    let response = request.body(form.to_owned()).send().await?;
    let code = response.status().as_u16();
    match code {
        200 => read(response).await,
        // The service is asked again only where it may answer otherwise: accounts are locked for wrong logins.
        429 | 500..=599 => {
            let (url, message) = (quoted(realm.as_str()), String::new());
            Err(OciDistributionError::ServerError { code, url, message })
        }
        _ => Err(OciDistributionError::AuthenticationFailure(format!(
            "it answered {code} to an identity token"
        ))),
    }
}

/// An answer is read up to its bound. Its text may hold a secret, so no message quotes it.
async fn read(mut response: Response) -> Result<String, OciDistributionError> {
    let wrong = |what: &str| OciDistributionError::RegistryTokenDecodeError(what.to_owned());
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if bytes.len() + chunk.len() > ANSWER {
            return Err(wrong("its answer is longer than 64 KiB"));
        }
        bytes.extend_from_slice(&chunk);
    }
    let answer: Option<Answer> = serde_json::from_slice(&bytes).ok();
    let token = answer.and_then(|answer| answer.access_token.or(answer.token));
    token.ok_or_else(|| wrong("its answer holds no token"))
}

// === impl Challenge ===

impl Challenge {
    /// The first challenge of type Bearer.
    fn parse(header: &str) -> Option<Self> {
        let mut all = ChallengeParser::new(header).map_while(Result::ok);
        let bearer = all.find(|challenge| challenge.scheme.eq_ignore_ascii_case("Bearer"))?;
        let of = |name: &str| {
            let mut parameters = bearer.params.iter();
            parameters.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_unescaped())
        };
        Some(Self { realm: Url::parse(&of("realm")?).ok()?, service: of("service") })
    }

    /// The body of the request.
    fn form(&self, repository: &str, identity: &str) -> String {
        let scope = format!("repository:{repository}:pull");
        let mut form = self.realm.clone();
        form.query_pairs_mut()
            .clear()
            .append_pair("grant_type", "refresh_token")
            .append_pair("client_id", CLIENT_ID)
            .append_pair("scope", &scope)
            .append_pair("refresh_token", identity)
            .extend_pairs(self.service.iter().map(|service| ("service", service)));
        form.query().unwrap_or_default().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_realm_and_the_service_are_those_of_the_first_bearer_challenge() {
        for (header, realm, service) in [
            (
                r#"Bearer realm="https://r.example/oauth2/token",service="r.example""#,
                "https://r.example/oauth2/token",
                true,
            ),
            (r#"Basic realm="x", Bearer realm="https://r.example/t""#, "https://r.example/t", false),
        ] {
            let challenge = Challenge::parse(header).unwrap();
            assert_eq!((challenge.realm.as_str(), challenge.service.is_some()), (realm, service), "{header}");
        }
        for header in
            ["", "Basic realm=\"x\"", "Bearer service=\"x\"", "Bearer realm=\"no address\"", "Bearer"]
        {
            assert!(Challenge::parse(header).is_none(), "{header}");
        }
    }

    #[test]
    fn each_value_of_the_form_is_escaped() {
        let realm = Url::parse("https://r.example/token?account=a").unwrap();
        let challenge = Challenge { realm, service: Some("a&b".to_owned()) };
        assert_eq!(
            challenge.form("team/policy", "t=&+"),
            "grant_type=refresh_token&client_id=rss-operator&scope=repository%3Ateam%2Fpolicy%3Apull\
             &refresh_token=t%3D%26%2B&service=a%26b"
        );
    }
}
