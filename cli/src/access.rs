//! How a registry is reached.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::file;

#[derive(Args)]
pub(crate) struct Access {
    /// Also trust the authorities whose certificates are in this file, in PEM.
    #[arg(long, value_name = "FILE")]
    pub(crate) ca: Option<PathBuf>,
    /// Speak to the registry without TLS. Everybody on the way can then read the login and change the policy.
    #[arg(long, conflicts_with = "ca")]
    pub(crate) plain_http: bool,
}

/// What the command line says of TLS already: nobody is advised to do that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tls {
    /// Nothing.
    Default,
    /// Whom to trust.
    Authorities,
    /// That there is none.
    Without,
}

// === impl Access ===

impl Access {
    pub(crate) fn tls(&self) -> Tls {
        match (self.plain_http, &self.ca) {
            (true, _) => Tls::Without,
            (false, Some(_)) => Tls::Authorities,
            (false, None) => Tls::Default,
        }
    }

    /// The certificates in PEM, if there are any.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub(crate) fn authorities(&self) -> Result<Option<Vec<u8>>> {
        let read = |path: &PathBuf| {
            file::read(path, file::KEYS).with_context(|| format!("failed to read {} (--ca)", path.display()))
        };
        self.ca.as_ref().map(read).transpose()
    }
}

// === impl Tls ===

impl Tls {
    /// What to do about a certificate that is not trusted.
    pub(crate) fn untrusted(self) -> &'static str {
        match self {
            Self::Default => "give its authority by --ca",
            Self::Authorities => {
                "no authority of --ca, nor of this machine, vouches for it: give the one that does"
            }
            Self::Without => {
                "it is where the registry sends to: leave --plain-http away, and give its authority by --ca"
            }
        }
    }

    /// What to do about a registry that does not speak TLS.
    pub(crate) fn not_spoken(self) -> &'static str {
        match self {
            Self::Default => "if it has none: --plain-http",
            Self::Authorities => "if it has none: --plain-http in the place of --ca",
            Self::Without => "it is where the registry sends to: see that this is right",
        }
    }

    /// What to do about a connection that breaks.
    pub(crate) fn broken(self) -> &'static str {
        match self {
            Self::Default => "; if it does not speak TLS: --plain-http",
            Self::Authorities => "; if it does not speak TLS: --plain-http in the place of --ca",
            Self::Without => "; if it speaks TLS: leave --plain-http away",
        }
    }
}
