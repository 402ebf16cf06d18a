//! `kubectl rss`: the tool of a policy's author.
#![expect(clippy::print_stderr, reason = "a command line tool says what went wrong")]

mod arguments;
mod build;
mod component;
mod new;
mod output;

use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory, Parser};

use arguments::{Arguments, Command, PolicyCommand};

fn main() -> ExitCode {
    match run(Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // The chain of causes on one line; a backtrace would bury the cure.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: Arguments) -> Result<()> {
    match arguments.command {
        Command::Completion { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut Arguments::command(), "kubectl-rss", &mut script);
            output::write(&script)
        }
        Command::Policy(PolicyCommand::New { name, folder, output }) => {
            output::answer(&new::create(&name, folder)?, output)
        }
        Command::Policy(PolicyCommand::Build { folder, output }) => {
            output::answer(&build::build(&folder)?, output)
        }
    }
}
