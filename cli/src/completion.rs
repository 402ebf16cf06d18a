//! `completion`: what completes the command line in a shell.

use clap::CommandFactory;
use clap_complete::Shell;

use crate::arguments::Arguments;

/// The name of the program, as shells know it.
const NAME: &str = "kubectl-rss";

/// The script for a shell.
pub(crate) fn script(shell: Shell) -> Vec<u8> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), NAME, &mut script);
    match (shell, String::from_utf8(script)) {
        // clap_complete goes to a state by one name and looks it up by another if the program has a hyphen.
        (Shell::Bash, Ok(text)) => text.replace("kubectl__subcmd__rss__", "kubectl__rss__").into_bytes(),
        (_, Ok(text)) => text.into_bytes(),
        (_, Err(error)) => error.into_bytes(),
    }
}
