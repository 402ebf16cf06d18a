//! The command line.

use crate::telemetry::LogFormat;
use clap::{Parser, Subcommand};
use std::net::SocketAddr;

/// Looks after ReplicatedStatefulSets.
#[derive(Clone, Debug, Parser)]
#[command(name = "rss-operator", version)]
pub struct Arguments {
    /// Look after the sets of this namespace only; may be given more than once. Default: all.
    #[arg(long = "namespace", value_name = "NAME", value_parser = namespace)]
    pub namespaces: Vec<String>,
    /// Create or update the definition of the resource first.
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

/// Something else than to operate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Print the definition of the resource.
    Crd,
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
        assert_eq!(parse("crd").unwrap().command, Some(Command::Crd));
    }
}
