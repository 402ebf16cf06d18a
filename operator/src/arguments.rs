//! The command line.

use crate::policy::fetch::{Access, Allowed, Authority, Proxy, Registries};
use crate::policy::isolated::ChildArguments;
use crate::policy::signature::{Key, at_most};
use crate::telemetry::LogFormat;
use anyhow::Context as _;
use clap::{Parser, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;

/// Looks after ReplicatedStatefulSets and StatefulClusters.
#[derive(Clone, Debug, Parser)]
#[command(name = "rss-operator", version)]
pub struct Arguments {
    /// Look after the sets of this namespace only; may be given more than once. Default: all.
    #[arg(long = "namespace", value_name = "NAME", value_parser = namespace)]
    pub namespaces: Vec<String>,
    /// Create or update the definitions of the resources first.
    #[arg(long)]
    pub create_crd: bool,
    /// How log lines are written. Default: text on a terminal, else json.
    #[arg(long, value_enum, env = "RSS_LOG_FORMAT")]
    pub log_format: Option<LogFormat>,
    /// What is logged: a level, or a filter such as `info,operator::exec=trace`.
    #[arg(long, value_name = "FILTER", env = "RUST_LOG", default_value = "info")]
    pub log_level: String,
    /// Where /livez, /readyz and /metrics are served.
    #[arg(long, value_name = "ADDRESS", default_value = "0.0.0.0:8080")]
    pub listen: SocketAddr,
    /// The name of the lease. Default: rss-operator, with the namespaces where some are given.
    #[arg(long, value_name = "NAME")]
    pub lease_name: Option<String>,
    /// Where policies may be fetched from.
    #[command(flatten)]
    pub registries: RegistryArguments,
    /// Threads. The operator waits most of the time: two serve hundreds of sets.
    #[arg(long, value_name = "NUMBER", default_value = "2", value_parser = clap::value_parser!(u8).range(1..=64))]
    pub workers: u8,
    /// The namespace of the operator itself, where its lease is. Default: that of the credentials.
    #[arg(long, value_name = "NAME", env = "POD_NAMESPACE", value_parser = namespace, hide = true)]
    pub own_namespace: Option<String>,
    /// The name by which this process is known among several.
    #[arg(long, value_name = "NAME", env = "POD_NAME", default_value = "rss-operator", hide = true)]
    pub own_name: String,
    /// Something else than to operate.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// Where policies may be fetched from.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct RegistryArguments {
    /// Fetch policies from this registry only, or from this part of it; may be given more than once. Default: all but
    /// those at loopback, link-local and metadata addresses, which need to be named.
    #[arg(long = "allow-registry", value_name = "HOST[:PORT][/PREFIX]")]
    pub allowed: Vec<Allowed>,
    /// Speak to this registry without TLS; may be given more than once.
    #[arg(long = "insecure-registry", value_name = "HOST[:PORT]")]
    pub insecure: Vec<Authority>,
    /// A file with certificates of authorities, in PEM, that registries' certificates may be of, in addition to those of
    /// the system; may be given more than once.
    #[arg(long = "registry-ca", value_name = "FILE")]
    pub authorities: Vec<PathBuf>,
    /// Take policies alone that the public key in this file has signed (cosign sign --key), in PEM; may be given more than
    /// once: one of them must have signed. Policies of ConfigMaps are then refused, for they have no signatures.
    #[arg(long = "policy-public-key", value_name = "FILE")]
    pub keys: Vec<PathBuf>,
}

/// Something else than to operate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Print the definition of a resource.
    Crd {
        /// Of which.
        #[arg(value_enum, default_value_t)]
        resource: Resource,
    },
    /// Load the policy of standard input and print what came of it. The operator starts this process itself.
    #[command(hide = true)]
    LoadPolicy(ChildArguments),
}

/// A resource that this operator looks after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Resource {
    /// Applications that replicate their state.
    #[default]
    ReplicatedStatefulSet,
    /// Replicas whose identity is given once.
    StatefulCluster,
}

impl RegistryArguments {
    /// The registries as these arguments have them.
    ///
    /// # Errors
    /// If a file of authorities cannot be read or holds none, or the environment names a proxy that cannot be used.
    pub fn registries(&self) -> anyhow::Result<Registries> {
        let access = Access { allowed: self.allowed.clone(), insecure: self.insecure.clone() };
        let mut registries = Registries::new(access).by_proxy(Proxy::of_environment()?);
        for file in &self.authorities {
            let wrong = || format!("failed to use {} of --registry-ca", file.display());
            let pem = std::fs::read(file).with_context(wrong)?;
            registries.trust(&pem).with_context(wrong)?;
        }
        Ok(registries)
    }

    /// The keys of which one must have signed every policy; empty, if any policy will do.
    ///
    /// # Errors
    /// If a file cannot be read or holds no key, or all of them hold more than a demand may have.
    pub fn keys(&self) -> anyhow::Result<Vec<Key>> {
        let mut keys = Vec::new();
        for file in &self.keys {
            let name = format!("--policy-public-key {}", file.display());
            let wrong = || format!("failed to use {name}");
            let pem = std::fs::read(file).with_context(wrong)?;
            keys.extend(Key::all(&pem, &name).with_context(wrong)?);
        }
        at_most(keys).context("failed to use all of --policy-public-key")
    }
}

/// A name that a namespace can have: an empty one would mean all of them.
fn namespace(text: &str) -> Result<String, String> {
    let good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let edges = !text.starts_with('-') && !text.ends_with('-');
    if (1..=63).contains(&text.len()) && text.bytes().all(good) && edges {
        Ok(text.to_owned())
    } else {
        Err("a namespace has up to 63 of a-z, 0-9 and -, and neither begins nor ends with -".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn parse(line: &str) -> Result<Arguments, clap::Error> {
        Arguments::try_parse_from(std::iter::once("rss-operator").chain(line.split_whitespace()))
    }

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn without_arguments_all_namespaces_are_looked_after() {
        let arguments = parse("").unwrap();
        assert!(arguments.namespaces.is_empty());
        assert_eq!((arguments.workers, arguments.listen.port(), arguments.command), (2, 8080, None));
    }

    #[test]
    fn namespaces_are_given_one_by_one_and_an_empty_one_is_refused() {
        assert_eq!(parse("--namespace a --namespace b-1").unwrap().namespaces, ["a", "b-1"]);
        for bad in ["--namespace=", "--namespace=A", "--namespace=-a", "--namespace=a/b"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_definition_is_printed_by_a_command_of_its_own() {
        assert_eq!(
            parse("crd").unwrap().command,
            Some(Command::Crd { resource: Resource::ReplicatedStatefulSet })
        );
    }

    #[test]
    fn registries_are_given_one_by_one_and_what_is_none_is_refused() {
        let line = "--allow-registry a.example/team --allow-registry b:5000 --insecure-registry b:5000";
        let registries = parse(line).unwrap().registries;
        let allowed: Vec<_> = registries.allowed.iter().map(ToString::to_string).collect();
        assert_eq!(allowed, ["a.example/team", "b:5000"]);
        assert_eq!(registries.insecure, ["b:5000".parse().unwrap()]);
        assert!(registries.registries().is_ok());
        for bad in ["--allow-registry=https://a", "--allow-registry=", "--insecure-registry=a/team"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_file_without_authorities_is_named() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
        for (file, why) in [(file, "it holds no certificate in PEM"), ("/nowhere.pem", "No such file")] {
            let arguments = parse(&format!("--registry-ca {file}")).unwrap();
            let error = format!("{:#}", arguments.registries.registries().unwrap_err());
            assert!(error.contains(file) && error.contains(why), "{error}");
        }
    }

    #[test]
    fn keys_are_given_one_by_one_and_a_file_without_one_is_named() {
        let signed = concat!(env!("CARGO_MANIFEST_DIR"), "/src/policy/fetch/tests/signed");
        let of = |line: &str| parse(line).unwrap().registries.keys();
        let line = format!("--policy-public-key {signed}/ecdsa.pub --policy-public-key {signed}/rsa.pub");
        assert_eq!(of(&line).unwrap().len(), 2);
        assert_eq!(of("").unwrap(), []);
        for (file, why) in [("image.json", "it holds no PUBLIC KEY"), ("nowhere.pub", "No such file")] {
            let error = format!("{:#}", of(&format!("--policy-public-key {signed}/{file}")).unwrap_err());
            assert!(error.contains(file) && error.contains(why), "{error}");
        }
        let many = format!("--policy-public-key {signed}/ecdsa.pub ").repeat(17);
        let error = format!("{:#}", of(&many).unwrap_err());
        assert!(error.contains("--policy-public-key: 17 keys are given, and one of 16 at most"), "{error}");
    }
}
