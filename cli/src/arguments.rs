//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use clap_complete::Shell;

use crate::new::Name;
use crate::output::Format;

/// The Replicated Stateful Set, from the command line.
///
/// Exit codes: 0 all is well; 1 what was asked for failed, or what was looked at is not well; 2 the command line is wrong.
#[derive(Parser)]
#[command(name = "kubectl-rss", bin_name = "kubectl rss", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Write and build policies: what the operator asks about an application.
    #[command(subcommand)]
    Policy(PolicyCommand),
    /// Print a script for a shell that completes `kubectl-rss`.
    ///
    /// For bash: source <(kubectl-rss completion bash)
    Completion {
        /// For which shell.
        shell: Shell,
    },
}

#[derive(Subcommand)]
pub(crate) enum PolicyCommand {
    /// Write a new crate with a policy that builds and passes its fixtures as it is.
    ///
    /// The SDK is written beside it, into vendor: the crate needs nothing but its registry's serde and schemars. What
    /// is there already is never written over.
    New {
        /// What the policy is called: lower case letters, digits and -, beginning with a letter, at most 63.
        name: Name,
        /// Where to write it; by default a new folder of that name, here.
        #[arg(long, value_name = "FOLDER")]
        folder: Option<PathBuf>,
        /// How to answer.
        #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t)]
        output: Format,
    },
    /// Build the component of a policy and print where it is, how large, and its digest.
    ///
    /// It is written to policies/NAME.wasm in cargo's target folder. Built elsewhere from the same source, lock file
    /// and compiler, its bytes are the same.
    Build {
        /// The folder of the policy's crate.
        #[arg(default_value = ".")]
        folder: PathBuf,
        /// How to answer.
        #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t)]
        output: Format,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_sound_and_defaults_are_what_people_expect() {
        Arguments::command().debug_assert();
        let arguments = Arguments::try_parse_from(["kubectl-rss", "policy", "build"]).unwrap();
        let Command::Policy(PolicyCommand::Build { folder, output }) = arguments.command else {
            panic!("build")
        };
        assert_eq!((folder, output), (PathBuf::from("."), Format::Text));
    }
}
