//! Lists that come in pages. `oci-client` reads the first page alone: the address of the next one is in a header, and it
//! keeps none.

use bytes::Bytes;
use futures::FutureExt;
use oci_client::Reference;
use oci_client::errors::OciDistributionError;
use oci_client::secrets::RegistryAuth;
use reqwest::header::{ACCEPT, LINK};
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, Proxy, RequestBuilder, Url};

use super::{Scheme, Session};
use crate::policy::fetch::error::{Cause, quoted};

/// What a registry gives of a list.
pub(in crate::policy::fetch) enum Page {
    /// A page, in bytes, and what follows it.
    Read(Bytes, Next),
    /// One with more bytes than may be: neither it nor what follows is known.
    TooLarge,
}

/// What follows a page.
pub(in crate::policy::fetch) enum Next {
    /// Nothing.
    End,
    /// Another page.
    At(Url),
    /// A page at another registry, to which nothing is sent.
    Elsewhere,
}

/// A registry's list, page by page.
pub(in crate::policy::fetch) struct Pages<'a> {
    session: &'a Session,
    client: Client,
    /// The bytes that a page may have.
    size: usize,
}

impl Session {
    /// The registry's list of what names the image with this digest as its subject, and where its first page is; each page
    /// has at most `size` bytes.
    ///
    /// All of it is asked for: by the specification a registry may choose what is of a type, and some give each entry
    /// the type of its configuration.
    pub(in crate::policy::fetch) async fn referrers(
        &self,
        reference: &Reference,
        digest: &str,
        size: usize,
    ) -> Result<(Pages<'_>, Url), Cause> {
        let (scheme, registry) = (self.scheme.name(), reference.resolve_registry());
        let first = format!("{scheme}://{registry}/v2/{}/referrers/{digest}", reference.repository());
        let first = Url::parse(&first).map_err(|error| Cause::Own(error.to_string()))?;
        Ok((Pages { session: self, client: self.plain(Policy::default()).await?, size }, first))
    }

    /// A client that goes out as the other one does.
    pub(super) async fn plain(&self, redirect: Policy) -> Result<Client, Cause> {
        let mut builder = Client::builder()
            .redirect(redirect)
            .read_timeout(self.patience.read)
            .connect_timeout(self.patience.connect * 2)
            .user_agent(super::USER_AGENT);
        let wrong = |error: reqwest::Error| Cause::Own(error.to_string());
        for (scheme, of) in [(Scheme::Https, Proxy::https as fn(String) -> _), (Scheme::Http, Proxy::http)] {
            builder = builder.proxy(of(self.gate.proxy(scheme)).map_err(wrong)?);
        }
        let der = self.authorities.for_client().into_iter();
        let trusted: Result<Vec<_>, _> = der.map(|known| Certificate::from_der(&known.data)).collect();
        let builder = builder.tls_certs_merge(trusted.map_err(wrong)?);
        // It reads the system's certificates.
        let made = tokio::task::spawn_blocking(move || builder.build()).await;
        made.map_err(|error| Cause::Own(error.to_string()))?.map_err(wrong)
    }

    /// Who asks is told to this registry alone: with a redirect to another the client leaves it out.
    fn with_login(&self, request: RequestBuilder) -> RequestBuilder {
        match (&self.token, &self.auth) {
            (Some(token), _) => request.bearer_auth(token),
            (None, RegistryAuth::Basic(user, password)) => request.basic_auth(user, Some(password)),
            (None, _) => request,
        }
    }
}

impl Pages<'_> {
    /// The page that is there.
    pub(in crate::policy::fetch) async fn at(&self, url: &Url) -> Result<Page, Cause> {
        let Self { session, client, size } = self;
        let ask = || async { page(session.with_login(client.get(url.clone())), url, *size).await }.boxed();
        session.tried(ask).await
    }
}

async fn page(request: RequestBuilder, url: &Url, size: usize) -> Result<Page, OciDistributionError> {
    let mut response = request.header(ACCEPT, "application/vnd.oci.image.index.v1+json").send().await?;
    let code = response.status().as_u16();
    if code != 200 {
        let (url, message) = (quoted(url.as_str()), String::new());
        return Err(OciDistributionError::ServerError { code, url, message });
    }
    let links = response.headers().get_all(LINK).iter().filter_map(|value| value.to_str().ok());
    let next = match links.filter_map(next).find_map(|next| url.join(next).ok()) {
        Some(next) if next.origin() == url.origin() => Next::At(next),
        Some(_) => Next::Elsewhere,
        None => Next::End,
    };
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if bytes.len() + chunk.len() > size {
            return Ok(Page::TooLarge);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Page::Read(bytes.into(), next))
}

/// Where a header `Link` (RFC 8288) says that the next page is.
fn next(link: &str) -> Option<&str> {
    let is_next = |link: &&str| {
        let mut parameters = link.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
        parameters.any(|(name, value)| name.trim() == "rel" && value.trim().trim_matches('"') == "next")
    };
    let link = link.split(',').find(is_next)?;
    link.split(';').next()?.trim().strip_prefix('<')?.strip_suffix('>')
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_next_page_is_where_the_header_says() {
        for (link, expected) in [
            (r#"</v2/p/referrers/d?last=x>; rel="next""#, Some("/v2/p/referrers/d?last=x")),
            (r#"<https://h/first>; rel="first", </n>; title="a"; rel=next"#, Some("/n")),
            (r#"</v2>; rel="prev""#, None),
            ("</v2>", None),
            ("nothing", None),
            ("", None),
        ] {
            assert_eq!(super::next(link), expected, "{link}");
        }
    }
}
