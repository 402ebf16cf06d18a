//! What the administrator lets policies be fetched from.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;

use super::address::{self, Forbidden};
use super::authority::{Authority, NotAnAuthority};
use super::image::Image;

/// A registry that is allowed, or a part of one: `HOST[:PORT][/PREFIX]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allowed {
    authority: Authority,
    prefix: Option<String>,
}

/// What the administrator lets policies be fetched from.
#[derive(Clone, Debug, Default)]
pub struct Access {
    /// Where images may be; anywhere, if empty. Their hosts may have any address.
    pub allowed: Vec<Allowed>,
    /// Registries that are spoken to without TLS.
    pub insecure: Vec<Authority>,
}

/// Whether a connection is to be encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    Http,
    Https,
}

impl Access {
    /// Whether this image may be fetched at all.
    pub(super) fn admits(&self, image: &Image) -> bool {
        self.allowed.is_empty() || self.allowed.iter().any(|allowed| allowed.holds(image))
    }

    /// Whether the host may be spoken to so.
    pub(super) fn admits_scheme(&self, scheme: Scheme, host: &str, port: u16) -> bool {
        scheme == Scheme::Https || self.insecure.iter().any(|insecure| insecure.is_at(host, port, 80))
    }

    /// Why the host must not be spoken to at this address, if so.
    pub(super) fn forbids(
        &self,
        scheme: Scheme,
        host: &str,
        port: u16,
        address: IpAddr,
    ) -> Option<Forbidden> {
        let named = |allowed: &Allowed| allowed.authority.is_at(host, port, scheme.port());
        address::forbidden(address).filter(|_| !self.allowed.iter().any(named))
    }

    /// For messages.
    pub(super) fn listed(&self) -> String {
        self.allowed.iter().map(Allowed::to_string).collect::<Vec<_>>().join(", ")
    }
}

impl Allowed {
    /// A prefix ends at a slash: `team` holds `team/policy` and not `team-b/policy`.
    fn holds(&self, image: &Image) -> bool {
        let within = |prefix: &String| {
            image
                .path()
                .strip_prefix(prefix.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.authority == *image.authority() && self.prefix.as_ref().is_none_or(within)
    }
}

impl Scheme {
    /// As in a URL.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// The port that a URL without one means.
    fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

impl FromStr for Allowed {
    type Err = NotAnAuthority;

    fn from_str(text: &str) -> Result<Self, NotAnAuthority> {
        let (host, prefix) = text.split_once('/').unwrap_or((text, ""));
        let prefix = Some(prefix.trim_end_matches('/').to_owned()).filter(|prefix| !prefix.is_empty());
        Ok(Self { authority: host.parse()?, prefix })
    }
}

impl fmt::Display for Allowed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.prefix {
            Some(prefix) => write!(f, "{}/{prefix}", self.authority),
            None => self.authority.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(allowed: &[&str]) -> Access {
        let allowed = allowed.iter().map(|text| text.parse().unwrap()).collect();
        Access {
            allowed,
            insecure: vec!["plain.example:5000".parse().unwrap(), "plain.example".parse().unwrap()],
        }
    }

    #[test]
    fn an_image_is_where_the_administrator_allows_it_to_be() {
        for (allowed, image, admitted) in [
            (&[][..], "anywhere.example/p", true),
            (&["a.example", "b.example/team/"], "a.example/any/thing:1", true),
            (&["a.example", "b.example/team/"], "b.example/team/p:1", true),
            (&["b.example/team"], "b.example/team", true),
            (&["b.example/team"], "b.example/team-b/p", false),
            (&["a.example"], "a.example:5000/p", false),
            (&["a.example"], "a.example.evil/p", false),
            (&["docker.io/team"], "team/p", true),
            (&["a.example"], "p", false),
        ] {
            assert_eq!(access(allowed).admits(&image.parse().unwrap()), admitted, "{allowed:?} {image}");
        }
    }

    #[test]
    fn without_tls_is_only_what_was_named_for_it() {
        let access = access(&[]);
        for (scheme, host, port, admitted) in [
            (Scheme::Https, "any.example", 443, true),
            (Scheme::Http, "any.example", 80, false),
            (Scheme::Http, "plain.example", 5000, true),
            (Scheme::Http, "plain.example", 80, true),
            (Scheme::Http, "plain.example", 8080, false),
        ] {
            assert_eq!(access.admits_scheme(scheme, host, port), admitted, "{scheme:?} {host}:{port}");
        }
    }

    #[test]
    fn a_loopback_address_is_for_a_registry_that_was_allowed_by_name() {
        let access = access(&["localhost:5000/team"]);
        let loopback = "127.0.0.1".parse().unwrap();
        assert_eq!(access.forbids(Scheme::Https, "localhost", 5000, loopback), None);
        assert!(access.forbids(Scheme::Https, "localhost", 5001, loopback).is_some());
        assert!(access.forbids(Scheme::Https, "evil.example", 5000, loopback).is_some());
    }
}
