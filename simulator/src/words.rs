//! The words behind the name of a program that tells stories. One that is not known is refused: taken for nothing, it would
//! have other stories told than those that were meant, or none, and nothing would be found in them.

use std::collections::BTreeMap;
use std::io::Write;
use std::ops::Range;
use std::process::ExitCode;

/// What stands behind a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Nothing: it is said, or it is not.
    Nothing,
    /// A number, 0 too.
    Number,
    /// How many or how much: 1 at least, for in nothing nothing is found.
    Amount,
}

/// The words that were said, with the numbers behind them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words(BTreeMap<&'static str, Option<u64>>);

/// What a program ends with whose command line is wrong.
const WRONG: u8 = 2;

// === impl Words ===

impl Words {
    /// Those of a command line, without the name of the program.
    ///
    /// # Errors
    /// One of them is not known, is said twice, or has not behind it what it takes: which, and those that are known.
    pub fn read(
        said: impl IntoIterator<Item = String>,
        known: &[(&'static str, Takes)],
    ) -> Result<Self, String> {
        read(said.into_iter(), known).map(Self).map_err(|why| format!("{why}; known are {}", list(known)))
    }

    /// Whether a word was said.
    #[must_use]
    pub fn has(&self, word: &str) -> bool {
        self.0.contains_key(word)
    }

    /// The number behind a word that was said.
    #[must_use]
    pub fn number(&self, word: &str) -> Option<u64> {
        self.0.get(word).copied().flatten()
    }

    /// The numbers from that of a word on, as many as `--count` says, all of them below an end; where nothing is said,
    /// from `first` on, and `count` of them.
    ///
    /// # Errors
    /// No number is left below the end.
    pub fn range(&self, word: &str, (first, count): (u64, u64), end: u64) -> Result<Range<u64>, String> {
        let first = self.number(word).unwrap_or(first);
        let count = self.number("--count").unwrap_or(count);
        let all = first..first.saturating_add(count).min(end);
        let last = end.saturating_sub(1);
        if all.is_empty() {
            Err(format!("{word} {first}: there are none, the last is {last}"))
        } else {
            Ok(all)
        }
    }

    /// Of words of which one makes the others mean nothing.
    ///
    /// # Errors
    /// Two of them were said.
    pub fn at_most_one(&self, of: &[&str]) -> Result<(), String> {
        let said: Vec<&str> = of.iter().copied().filter(|word| self.has(word)).collect();
        if said.len() > 1 { Err(format!("{} do not go together", said.join(" and "))) } else { Ok(()) }
    }
}

/// Says why a command line is wrong, for whoever wrote it, and gives what to end with.
#[must_use]
pub fn refused(why: &str) -> ExitCode {
    // That nobody can be told can be told to nobody.
    let _ = writeln!(std::io::stderr(), "{why}");
    ExitCode::from(WRONG)
}

fn read(
    mut said: impl Iterator<Item = String>,
    known: &[(&'static str, Takes)],
) -> Result<BTreeMap<&'static str, Option<u64>>, String> {
    let mut words = BTreeMap::new();
    while let Some(word) = said.next() {
        let meant = known.iter().find(|(name, _)| *name == word);
        let (name, takes) = *meant.ok_or_else(|| format!("{word} is not known"))?;
        let number = match takes {
            Takes::Nothing => None,
            Takes::Number => Some(number(name, said.next(), 0)?),
            Takes::Amount => Some(number(name, said.next(), 1)?),
        };
        if words.insert(name, number).is_some() {
            return Err(format!("{name} is said twice"));
        }
    }
    Ok(words)
}

/// The number behind a word, which is so much at least.
fn number(word: &str, said: Option<String>, least: u64) -> Result<u64, String> {
    let said = said.unwrap_or_default();
    let number = said.parse::<u64>().ok().filter(|number| *number >= least);
    number.ok_or_else(|| format!("{word} takes a number from {least} on, not '{said}'"))
}

fn list(known: &[(&'static str, Takes)]) -> String {
    let told = known.iter().map(|(name, takes)| match takes {
        Takes::Nothing => (*name).to_owned(),
        Takes::Number | Takes::Amount => format!("{name} NUMBER"),
    });
    told.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> Result<Words, String> {
        let known = [("--from", Takes::Number), ("--count", Takes::Amount), ("--trace", Takes::Nothing)];
        Words::read(line.split_whitespace().map(str::to_owned), &known)
    }

    #[test]
    fn a_number_is_found_by_the_word_before_it() {
        let said = said("--trace --from 0").unwrap();
        assert!(said.has("--trace") && !said.has("--count"));
        assert_eq!(
            (said.number("--from"), said.number("--count"), said.number("--trace")),
            (Some(0), None, None)
        );
    }

    #[test]
    fn what_is_not_known_or_no_number_is_named_with_what_is_known() {
        for (line, why) in [
            ("--form 17", "--form is not known"),
            ("--from=17", "--from=17 is not known"),
            ("--trace 17", "17 is not known"),
            ("--trace --help", "--help is not known"),
            ("--from", "--from takes a number from 0 on, not ''"),
            ("--from --trace", "--from takes a number from 0 on, not '--trace'"),
            ("--from -1", "--from takes a number from 0 on, not '-1'"),
            ("--from 1.5", "--from takes a number from 0 on, not '1.5'"),
            ("--count 0", "--count takes a number from 1 on, not '0'"),
            ("--from 1 --from 2", "--from is said twice"),
        ] {
            let known = "; known are --from NUMBER, --count NUMBER, --trace";
            assert_eq!(said(line), Err(format!("{why}{known}")), "{line}");
        }
    }

    #[test]
    fn a_range_goes_to_the_end_at_most_and_one_of_nothing_is_refused() {
        for (line, range) in [
            ("", Ok(1..8)),
            ("--from 0 --count 2", Ok(0..2)),
            ("--from 9", Ok(9..10)),
            ("--from 10", Err("--from 10: there are none, the last is 9".to_owned())),
            (
                "--from 18446744073709551615",
                Err("--from 18446744073709551615: there are none, the last is 9".to_owned()),
            ),
        ] {
            assert_eq!(said(line).unwrap().range("--from", (1, 7), 10), range, "{line}");
        }
    }

    #[test]
    fn of_two_words_that_do_not_go_together_neither_is_left_out_in_silence() {
        let said = said("--trace --from 3").unwrap();
        assert_eq!(said.at_most_one(&["--trace", "--count"]), Ok(()));
        let why = "--from and --trace do not go together";
        assert_eq!(said.at_most_one(&["--from", "--trace"]), Err(why.to_owned()));
    }
}
