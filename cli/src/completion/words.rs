//! The words that may stand in a place of the command line, as kubectl asks for them.

use std::fmt::{self, Display, Formatter};

use clap::{Arg, Command, CommandFactory, ValueHint};

use crate::arguments::Arguments;

/// What may stand in a place.
#[derive(Debug, Default)]
pub(crate) struct Offered {
    /// Each with what it means.
    words: Vec<(String, String)>,
    /// Also any file.
    has_files: bool,
}

/// Where a word is to come.
struct Place<'a> {
    command: &'a Command,
    /// The option whose value it is.
    option: Option<&'a Arg>,
    /// How many words without a name stand before it.
    unnamed: usize,
    /// No options may follow.
    has_ended: bool,
}

/// What may stand in the place of the last of these words, which were typed behind `kubectl rss`.
pub(crate) fn offered(words: &[String]) -> Offered {
    let mut root = Arguments::command();
    root.build();
    let (typed, before) = words.split_last().map_or(("", words), |(typed, before)| (typed.as_str(), before));
    let mut place = Place { command: &root, option: None, unnamed: 0, has_ended: false };
    before.iter().for_each(|word| place.pass(word));
    // Of `--output=j` the shell has `j` completed.
    if let Some((option, value)) = typed.split_once('=').filter(|_| typed.starts_with("--")) {
        place.pass(option);
        return place.offered(value);
    }
    place.offered(typed)
}

// === impl Place ===

impl<'a> Place<'a> {
    /// Goes on behind a word.
    fn pass(&mut self, word: &str) {
        if self.option.take().is_some() {
            return;
        }
        let command = self.command;
        let long = word.strip_prefix("--").filter(|_| !self.has_ended);
        let short = word.strip_prefix('-').filter(|rest| !self.has_ended && !rest.is_empty());
        match (long, short) {
            (Some(""), _) => self.has_ended = true,
            (Some(name), _) => self.option = option(command, |arg| arg.get_long() == Some(name)),
            // What follows at once is its value.
            (None, Some(short)) => {
                let mut letters = short.chars();
                let letter = letters.next().filter(|_| letters.next().is_none());
                self.option = option(command, |arg| letter.is_some() && arg.get_short() == letter);
            }
            (None, None) => match command.find_subcommand(word).filter(|_| self.unnamed == 0) {
                Some(below) => self.command = below,
                None => self.unnamed += 1,
            },
        }
    }

    fn offered(&self, typed: &str) -> Offered {
        let mut offered = match self.option {
            Some(option) => Offered::values(option),
            None if typed.starts_with('-') && !self.has_ended => Offered::options(self.command),
            None if self.command.has_subcommands() => Offered::commands(self.command),
            None => {
                let all: Vec<&Arg> = self.command.get_positionals().collect();
                all.get(self.unnamed).map(|arg| Offered::values(arg)).unwrap_or_default()
            }
        };
        offered.words.retain(|(word, _)| word.starts_with(typed));
        offered
    }
}

/// The option that is followed by a value.
fn option(command: &Command, is_it: impl Fn(&Arg) -> bool) -> Option<&Arg> {
    command.get_opts().find(|arg| arg.get_action().takes_values() && is_it(arg))
}

// === impl Offered ===

impl Offered {
    fn values(of: &Arg) -> Self {
        let told = |value: &clap::builder::PossibleValue| {
            let means = value.get_help().map(ToString::to_string).unwrap_or_default();
            (value.get_name().to_owned(), means)
        };
        let words = of.get_possible_values().iter().map(told).collect();
        let is_path =
            matches!(of.get_value_hint(), ValueHint::AnyPath | ValueHint::FilePath | ValueHint::DirPath);
        Self { words, has_files: is_path }
    }

    fn options(command: &Command) -> Self {
        let seen = command.get_arguments().filter(|arg| !arg.is_hide_set());
        let told = |arg: &Arg| {
            let means = arg.get_help().map(ToString::to_string).unwrap_or_default();
            Some((format!("--{}", arg.get_long()?), means))
        };
        Self { words: seen.filter_map(told).collect(), has_files: false }
    }

    fn commands(command: &Command) -> Self {
        let seen = command.get_subcommands().filter(|one| !one.is_hide_set());
        let told = |one: &Command| {
            (one.get_name().to_owned(), one.get_about().map(ToString::to_string).unwrap_or_default())
        };
        Self { words: seen.map(told).collect(), has_files: false }
    }
}

/// A line each, with what it means behind a tabulator, and last what Cobra, with which kubectl completes, is to do: 0 is to
/// offer files where there is no word, 4 is not to.
impl Display for Offered {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (word, means) in &self.words {
            match means.lines().next() {
                Some(means) => writeln!(f, "{word}\t{means}")?,
                None => writeln!(f, "{word}")?,
            }
        }
        write!(f, ":{}", if self.has_files { 0 } else { 4 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offered_behind(words: &[&str]) -> (Vec<String>, bool) {
        let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        let Offered { words, has_files } = offered(&words);
        (words.into_iter().map(|(word, _)| word).collect(), has_files)
    }

    #[test]
    fn each_place_offers_its_commands_options_and_values() {
        for (words, wanted) in [
            (&[][..], &["explain", "policy"][..]),
            (&["ex"], &["explain"]),
            (&["policy", "in"], &["inspect"]),
            (&["policy", "inspect", "--cl"], &["--claims"]),
            (&["policy", "inspect", "-o", "j"], &["json"]),
            (&["policy", "-o", "json", "insp"], &["inspect"]),
            (&["explain", "orders", "--output=j"], &["json"]),
            (&["explain", "-n", "db", "orders", "--con"], &["--context"]),
            (&["explain", "-ojson", "--k"], &["--kubeconfig"]),
            (&["completion", "ku"], &["kubectl"]),
        ] {
            let (offered, has_files) = offered_behind(words);
            assert!(
                wanted.iter().all(|word| offered.iter().any(|had| had == word)),
                "{words:?}: {offered:?}"
            );
            assert!(!has_files, "{words:?}");
        }
    }

    #[test]
    fn files_are_offered_where_one_is_named_and_nowhere_else() {
        for words in [
            &["policy", "conform", ""][..],
            &["policy", "inspect", ""],
            &["policy", "component", "a.wasm", ""],
            &["explain", "--kubeconfig", ""],
            &["policy", "replay", "a.json", "--with", "b"],
            &["policy", "push", "--", ""],
        ] {
            assert_eq!(offered_behind(words), (vec![], true), "{words:?}");
        }
        for words in [
            &["explain", ""][..],
            &["explain", "-n", ""],
            &["policy", "component", "a", "b", ""],
            &["no", "such", ""],
        ] {
            let (_, has_files) = offered_behind(words);
            assert!(!has_files, "{words:?}");
        }
        let (offered, _) = offered_behind(&[""]);
        assert!(!offered.iter().any(|word| word.starts_with("__")), "{offered:?}");
    }
}
