//! Where an API server is, for messages about it.

use std::fmt::{self, Display, Formatter};

use kube::Config;

use super::login;

/// An API server, and how it was found.
#[derive(Clone, Debug)]
pub(super) struct Place {
    server: String,
    proxy: Option<String>,
    found: String,
    plugin: Option<String>,
    /// Who asks there has credentials.
    has_login: bool,
    again: String,
}

// === impl Place ===

impl Place {
    pub(super) fn of(config: &Config, found: String) -> Self {
        let server = without_login(&config.cluster_url.to_string());
        let proxy = config.proxy_url.as_ref().map(|proxy| without_login(&proxy.to_string()));
        let has_login = login::is_known(&config.auth_info);
        Self { server, proxy, found, plugin: None, has_login, again: String::new() }
    }

    /// The same, asked with what this program gives: it may be run again for a request.
    pub(super) fn with_plugin(self, plugin: Option<String>) -> Self {
        Self { plugin, ..self }
    }

    /// The same, which commands ask that have these words behind their own.
    pub(super) fn asked_again(self, again: String) -> Self {
        Self { again, ..self }
    }

    /// What commands have behind their own words to ask the same server.
    pub(super) fn again(&self) -> &str {
        &self.again
    }

    /// Whether who asks there has credentials.
    pub(super) fn has_login(&self) -> bool {
        self.has_login
    }

    /// Who else may be waited for, as the rest of a sentence.
    pub(super) fn or_plugin(&self) -> String {
        self.plugin.as_ref().map(|plugin| format!(", or {plugin} hangs")).unwrap_or_default()
    }
}

impl Display for Place {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { server, proxy, found, .. } = self;
        write!(f, "{server}")?;
        proxy.iter().try_for_each(|proxy| write!(f, " by the proxy {proxy}"))?;
        write!(f, " ({found})")
    }
}

/// An address, as it can be shown: a proxy's may have a password.
fn without_login(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{}", path.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_what_is_secret_in_it() {
        for (address, shown) in [
            ("https://10.0.0.1:6443/", "https://10.0.0.1:6443"),
            ("https://rancher.example.com/k8s/clusters/c-1", "https://rancher.example.com/k8s/clusters/c-1"),
            ("http://alice:secret@proxy:3128/a@b", "http://proxy:3128/a@b"),
        ] {
            assert_eq!(without_login(address), shown);
        }
    }
}
