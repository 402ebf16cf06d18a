//! `completion`: what completes the command line in a shell.

mod words;

use clap::{CommandFactory, ValueEnum};
use clap_complete::Shell;

use crate::arguments::Arguments;
pub(crate) use words::offered;

/// The name of the program, as shells know it.
const NAME: &str = "kubectl-rss";

/// What kubectl starts to complete the words behind `kubectl rss`.
const KUBECTL: &str = r#"#!/bin/sh
# Put this in your PATH as kubectl_complete-rss, and make it executable: kubectl then completes `kubectl rss`.
exec kubectl-rss __complete "$@"
"#;

/// Where words are completed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum For {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
    /// The words behind `kubectl rss`, in every shell in which kubectl completes its own.
    Kubectl,
}

/// The script.
pub(crate) fn script(place: For) -> Vec<u8> {
    match place {
        For::Bash => {
            // clap_complete goes to a state by one name and looks it up by another if the program has a hyphen.
            String::from_utf8_lossy(&of(Shell::Bash))
                .replace("kubectl__subcmd__rss__", "kubectl__rss__")
                .into_bytes()
        }
        For::Elvish => of(Shell::Elvish),
        For::Fish => of(Shell::Fish),
        For::Powershell => of(Shell::PowerShell),
        For::Zsh => of(Shell::Zsh),
        For::Kubectl => KUBECTL.into(),
    }
}

fn of(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), NAME, &mut script);
    script
}
