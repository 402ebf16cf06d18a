//! A host, as registries are named by.

use std::fmt;
use std::str::FromStr;

/// What Docker Hub is called in names of images, and where it answers.
const HUB: &str = "docker.io";
const HUB_ANSWERS: &str = "index.docker.io";

/// A host, with a port where one is named; in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Authority {
    host: String,
    port: Option<u16>,
}

/// A text that names no host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a registry is HOST or HOST:PORT, such as registry.example.com:5000")]
pub struct NotAnAuthority;

impl Authority {
    /// Whether this names `host` at `port`, where no port means `usual`.
    pub(super) fn is_at(&self, host: &str, port: u16, usual: u16) -> bool {
        let named = if self.host == HUB { HUB_ANSWERS } else { &self.host };
        named.eq_ignore_ascii_case(host) && self.port.unwrap_or(usual) == port
    }
}

impl FromStr for Authority {
    type Err = NotAnAuthority;

    fn from_str(text: &str) -> Result<Self, NotAnAuthority> {
        let (host, port) = match text.split_once(':') {
            Some((host, port)) => (host, Some(port.parse().map_err(|_| NotAnAuthority)?)),
            None => (text, None),
        };
        let good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
        if host.is_empty() || !host.bytes().all(good) || port == Some(0) {
            return Err(NotAnAuthority);
        }
        let host =
            if host.eq_ignore_ascii_case(HUB_ANSWERS) { HUB.to_owned() } else { host.to_ascii_lowercase() };
        Ok(Self { host, port })
    }
}

impl fmt::Display for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.port {
            Some(port) => write!(f, "{}:{port}", self.host),
            None => f.write_str(&self.host),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_is_a_host_and_perhaps_a_port() {
        for (text, shown) in
            [("Registry.Example", "registry.example"), ("h:5000", "h:5000"), ("index.docker.io", "docker.io")]
        {
            assert_eq!(text.parse::<Authority>().unwrap().to_string(), shown);
        }
        for wrong in ["", ":5000", "h:", "h:0", "h:70000", "https://h", "h/p", "user@h"] {
            assert_eq!(wrong.parse::<Authority>(), Err(NotAnAuthority), "{wrong}");
        }
    }

    #[test]
    fn a_port_that_is_not_named_is_the_usual_one() {
        let host: Authority = "h.example".parse().unwrap();
        assert!(host.is_at("h.example", 443, 443) && !host.is_at("h.example", 5000, 443));
        assert!(!host.is_at("g.example", 443, 443));
        let hub: Authority = "docker.io".parse().unwrap();
        assert!(hub.is_at("index.docker.io", 443, 443));
    }
}
