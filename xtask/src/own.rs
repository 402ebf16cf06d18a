//! A cluster of the user's own, in place of the local one.

use std::process::Command;

use anyhow::{Context, Result};
use clap::Args;

use crate::cluster::kubelite::KUBELITE;
use crate::run;

/// Which cluster, and what images are called there.
#[derive(Args, Clone, Debug)]
pub struct Own {
    /// Use this context of your own kubeconfig in place of the local cluster.
    // What takes it takes it as an option, and is in the local cluster without it.
    #[arg(long, required = false, value_name = "NAME")]
    pub context: String,
    /// What stands before the names of images in that cluster, such as a registry and a folder there.
    #[arg(long, value_name = "PREFIX", requires = "context")]
    pub image_prefix: Option<String>,
}

// === impl Own ===

impl Own {
    /// See that there is a kubectl and that it knows the context.
    pub(crate) fn check(&self) -> Result<()> {
        program().context(
            "there is no kubectl on the PATH, which --context needs: install it, or run `cargo xtask cluster up` \
             once, which builds a program that is one, too",
        )?;
        let name = &self.context;
        let found = run::output(self.kubectl().args(["config", "get-contexts", name, "-o", "name"]));
        found
            .map(drop)
            .with_context(|| format!("kubectl knows no context {name} (see kubectl config get-contexts)"))
    }

    /// A kubectl that speaks to the cluster.
    #[must_use]
    pub fn kubectl(&self) -> Command {
        let mut command = program().unwrap_or_else(|| Command::new("kubectl"));
        command.arg("--context").arg(&self.context);
        command
    }

    /// An image's name as the cluster knows it.
    pub(crate) fn image(&self, name: &str) -> String {
        match &self.image_prefix {
            Some(prefix) => format!("{}/{name}", prefix.trim_end_matches('/')),
            None => name.to_owned(),
        }
    }
}

/// The user's own; else the local cluster's, which is kubectl by its first word.
fn program() -> Option<Command> {
    if let Some(program) = run::find("kubectl") {
        return Some(Command::new(program));
    }
    let mut command = Command::new(KUBELITE.built()?);
    command.arg("kubectl");
    Some(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_stands_before_an_image_and_is_parted_from_it_once() {
        let image = |prefix: Option<&str>| {
            Own { context: String::new(), image_prefix: prefix.map(str::to_owned) }.image("galera:example")
        };
        assert_eq!(image(None), "galera:example");
        assert_eq!(image(Some("host.example/team")), "host.example/team/galera:example");
        assert_eq!(image(Some("host.example/team/")), "host.example/team/galera:example");
    }
}
