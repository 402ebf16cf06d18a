//! Connections that were not made.

use std::net::IpAddr;

use crate::policy::fetch::address::Forbidden;

/// Why a connection was not made, or was cut.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The host has an address that is none of a registry's.
    #[error("{host} is {address}, {why}; if a registry is there, name it by --allow-registry")]
    Address {
        /// Who was to be spoken to.
        host: String,
        /// Where that is.
        address: IpAddr,
        /// What is wrong with it.
        why: Forbidden,
    },
    /// Without TLS.
    #[error("{host} would be spoken to without TLS; if it has none, name it by --insecure-registry")]
    Plain {
        /// Who was to be spoken to.
        host: String,
    },
    /// More bytes than all of a fetch has.
    #[error(
        "the registry sent more than {limit} bytes; a policy is smaller, and so is all that is read of its signatures"
    )]
    TooMuch {
        /// How many it may be.
        limit: usize,
    },
    /// The name has no address.
    #[error(
        "{host} has no address: {why}; see that its name is right and the cluster's name server knows it"
    )]
    Unnamed {
        /// Who was to be spoken to.
        host: String,
        /// What the system said.
        why: String,
    },
    /// The proxy of the environment makes no connection to it.
    #[error(
        "the proxy (HTTPS_PROXY) makes no connection to {host}: {why}; let the proxy admit it, or name the host in NO_PROXY"
    )]
    Proxy {
        /// Who was to be spoken to.
        host: String,
        /// The error of the connection.
        why: String,
    },
    /// Nobody answers there.
    #[error("{host} cannot be reached: {why}; see that it runs and no network policy is in between")]
    Unreachable {
        /// Who was to be spoken to.
        host: String,
        /// What the system said.
        why: String,
    },
}

impl Refusal {
    /// Whether another try may end otherwise.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unnamed { .. } | Self::Unreachable { .. } | Self::Proxy { .. } => true,
            Self::Address { .. } | Self::Plain { .. } | Self::TooMuch { .. } => false,
        }
    }
}
