//! The command line.

mod policy;

use std::ffi::OsString;

use clap::{Parser, Subcommand};

pub(crate) use policy::{PolicyArguments, PolicyCommand};

use crate::cluster::ClusterArguments;
use crate::completion::For;
use crate::facts::{self, Facts};
use crate::names;
use crate::output::Format;

/// The Replicated Stateful Set, from the command line.
///
/// Exit codes: 0 all is well; 1 what was asked for failed, or what was looked at is not well; 2 the command line is wrong.
/// Of `explain` also: 3 the set is not ready, and the operator goes on or is paused; 4 only a person can help. Of `approve` and `seed` also:
/// 4 what may be allowed was shown, and nothing was allowed.
#[derive(Parser)]
#[command(name = "kubectl-rss", bin_name = "kubectl rss", version)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Write, build and try policies: what the operator asks about an application.
    Policy(PolicyArguments),
    /// Say how a set is, what was chosen and rejected, what it waits for and since when, and the one thing that ends the waiting.
    ///
    /// It is what the operator wrote last: where none runs, that is of the past (docs/operator-recovery.md). With `-o json`, an
    /// object with a version: docs/explain.md.
    ///
    /// Exit codes: 0 it is ready; 3 it is not, and the operator goes on, or is paused (`spec.paused`): what it waits for may
    /// never come, and the keys that are shown are then the only way on; 4 only a person can help; 1 nothing could be said.
    #[command(visible_alias = "status")]
    Explain {
        /// The name of the ReplicatedStatefulSet.
        #[arg(value_parser = names::of_resource)]
        name: String,
        #[command(flatten)]
        cluster: ClusterArguments,
        /// How to answer.
        #[arg(short, long, value_enum, default_value_t)]
        output: Format,
    },
    /// Show what a set would do next where `recovery.mode` is `Ask`, or approve it.
    ///
    /// Without `--plan` nothing is changed: the plan is shown, with the command that approves it.
    ///
    /// Exit codes: 0 it is approved; 4 it was shown; 1 there is no such plan, or the facts have changed since it was shown.
    Approve {
        /// The name of the ReplicatedStatefulSet.
        #[arg(value_parser = names::of_resource)]
        name: String,
        /// The hash of the plan, as it was shown: 12 hexadecimal digits, or the whole key.
        #[arg(long, value_name = "HASH", value_parser = facts::of_plan)]
        plan: Option<Facts>,
        #[command(flatten)]
        cluster: ClusterArguments,
        /// How to answer.
        #[arg(short, long, value_enum, default_value_t)]
        output: Format,
    },
    /// Let a set that waits for a person start from a replica of your choice, whatever others hold beyond it.
    ///
    /// Without `--facts` nothing is changed: what that would cost is shown, with the command that does it.
    ///
    /// Exit codes: 0 it is allowed; 4 it was shown; 1 the set does not offer it, or the facts have changed since it was shown.
    Seed {
        /// The name of the ReplicatedStatefulSet.
        #[arg(value_parser = names::of_resource)]
        name: String,
        /// The replica to start from.
        #[arg(value_parser = names::of_resource)]
        replica: String,
        /// The hash of the facts, as they were shown: 12 hexadecimal digits, or the whole key.
        #[arg(long, value_name = "HASH", value_parser = facts::of_seed)]
        facts: Option<Facts>,
        #[command(flatten)]
        cluster: ClusterArguments,
        /// How to answer.
        #[arg(short, long, value_enum, default_value_t)]
        output: Format,
    },
    /// Show what the policy of a set decided last: each seed, each change of an order, each refusal, and why.
    ///
    /// With `-o json`, an object with the records, and those of a candidate, that `kubectl rss policy replay` reads.
    ///
    /// Exit codes: 0 they are shown, also where there are none; 1 nothing could be said, as where no operator has looked at it.
    Decisions {
        /// The name of the ReplicatedStatefulSet.
        #[arg(value_parser = names::of_resource)]
        name: String,
        #[command(flatten)]
        cluster: ClusterArguments,
        /// How to answer.
        #[arg(short, long, value_enum, default_value_t)]
        output: Format,
    },
    /// Print the script that completes the command line in a shell
    ///
    /// For `kubectl rss`, in every shell in which kubectl completes its own words:
    /// kubectl rss completion kubectl > ~/bin/kubectl_complete-rss && chmod +x ~/bin/kubectl_complete-rss
    /// where ~/bin is any folder of your PATH. For `kubectl-rss` itself, in bash: source <(kubectl-rss completion bash)
    #[command(verbatim_doc_comment)]
    Completion {
        /// Where words are completed.
        shell: For,
    },
    /// Say what may stand in the place of the last of these words; `kubectl_complete-rss` asks.
    #[command(name = "__complete", hide = true, disable_help_flag = true)]
    Complete {
        /// What was typed behind `kubectl rss`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<OsString>,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;
    use std::path::PathBuf;

    #[test]
    fn the_command_line_is_sound_and_defaults_are_what_people_expect() {
        Arguments::command().debug_assert();
        let arguments = Arguments::try_parse_from(["kubectl-rss", "policy", "build"]).unwrap();
        let Command::Policy(PolicyArguments { command: PolicyCommand::Build { folder }, output }) =
            arguments.command
        else {
            panic!("build")
        };
        assert_eq!((folder, output), (PathBuf::from("."), Format::Text));
    }

    #[test]
    fn what_a_command_does_is_told_in_a_line_that_ends_as_those_of_all_others() {
        for command in Arguments::command().get_subcommands() {
            let about = command.get_about().unwrap().to_string();
            assert!(!about.ends_with('.'), "{about}");
        }
    }

    #[test]
    fn the_help_says_that_3_is_also_a_set_that_is_paused() {
        let command = Arguments::command();
        let help = command.find_subcommand("status").unwrap().get_long_about().unwrap().to_string();
        assert!(help.contains("or is paused (`spec.paused`)"), "{help}");
    }

    #[test]
    fn every_command_says_what_it_does_and_takes_the_format_where_kubectl_does() {
        let command = Arguments::command();
        let policy = command.find_subcommand("policy").unwrap();
        for command in policy.get_subcommands() {
            let name = command.get_name();
            assert!(command.get_about().is_some() && command.get_long_about().is_some(), "{name}");
            let told = |argument: &clap::Arg| argument.get_help().is_some();
            assert!(command.get_arguments().all(told), "{name}");
        }
        for words in [["policy", "inspect", "x.wasm", "-ojson"], ["policy", "-ojson", "inspect", "x.wasm"]] {
            let words = ["kubectl-rss"].into_iter().chain(words);
            let Command::Policy(policy) = Arguments::try_parse_from(words).unwrap().command else {
                panic!("policy")
            };
            assert_eq!(policy.output, Format::Json);
        }
    }
}
