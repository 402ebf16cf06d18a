//! Lists that come in pages. `oci-client` reads the first page alone: the address of the next one is in a header, and it
//! keeps none.

use bytes::Bytes;
use futures::FutureExt;
use oci_client::Reference;
use oci_client::errors::OciDistributionError;
use oci_client::secrets::RegistryAuth;
use reqwest::header::{ACCEPT, LINK};
use reqwest::{Certificate, Client, Proxy, RequestBuilder, Url};

use super::{Scheme, Session};
use crate::policy::fetch::error::{Cause, quoted};

/// A page, and where the next one is.
struct Page {
    bytes: Bytes,
    next: Option<Url>,
}

impl Session {
    /// The pages of the registry's list of what names the image with this digest as its subject: `most` at most, each of
    /// at most `size` bytes; what is longer, or not of this registry, ends them. None: it has no such list.
    ///
    /// All of it is asked for: by the specification a registry may choose what is of a type, and some give each entry
    /// the type of its configuration.
    pub(in crate::policy::fetch) async fn referrers(
        &self,
        reference: &Reference,
        digest: &str,
        most: usize,
        size: usize,
    ) -> Result<Vec<Bytes>, Cause> {
        let (scheme, registry) = (self.scheme.name(), reference.resolve_registry());
        let first = format!("{scheme}://{registry}/v2/{}/referrers/{digest}", reference.repository());
        let first = Url::parse(&first).map_err(|error| Cause::Own(error.to_string()))?;
        let (client, origin) = (self.plain().await?, first.origin());
        let (mut pages, mut next) = (Vec::new(), Some(first));
        while let Some(url) = next.take().filter(|url| url.origin() == origin && pages.len() < most) {
            let ask = || async { page(self.with_login(client.get(url.clone())), &url, size).await }.boxed();
            let Some(page) = self.tried(ask).await? else { break };
            pages.push(page.bytes);
            next = page.next;
        }
        Ok(pages)
    }

    /// A client that goes out as the other one does.
    async fn plain(&self) -> Result<Client, Cause> {
        let mut builder = Client::builder()
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

/// None: it is longer than a page may be.
async fn page(request: RequestBuilder, url: &Url, size: usize) -> Result<Option<Page>, OciDistributionError> {
    let mut response = request.header(ACCEPT, "application/vnd.oci.image.index.v1+json").send().await?;
    let code = response.status().as_u16();
    if code != 200 {
        let (url, message) = (quoted(url.as_str()), String::new());
        return Err(OciDistributionError::ServerError { code, url, message });
    }
    let links = response.headers().get_all(LINK).iter().filter_map(|value| value.to_str().ok());
    let next = links.filter_map(next).find_map(|next| url.join(next).ok());
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        if bytes.len() + chunk.len() > size {
            return Ok(None);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(Some(Page { bytes: bytes.into(), next }))
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
