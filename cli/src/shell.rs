//! Words of commands that are printed for a person to paste into a POSIX shell.

/// A word as it is where a shell takes it for itself, else in quotes.
pub(crate) fn word(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:@%+=,".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => quoted(text),
    }
}

/// A word in quotes, within which nothing has a meaning to a shell.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_word_that_means_itself_to_a_shell_is_written_as_it_is() {
        for plain in ["orders", "7f3a9c01d2e4", "/etc/kube/config", "arn:aws:eks:x/y", "admin@night"] {
            assert_eq!(word(plain), plain);
        }
        assert_eq!(quoted("AcceptLoss/x/1"), "'AcceptLoss/x/1'");
    }

    #[test]
    fn a_shell_reads_every_word_as_it_was_and_runs_nothing_of_it() {
        for text in
            ["", " ", "a b", "it's", "';exit 7;'", "$(exit 7)", "`exit 7`", "a\nb", "~", "*", "\\", "#", "ä"]
        {
            for written in [word(text), quoted(text)] {
                let output =
                    Command::new("sh").args(["-c", &format!("printf %s {written}")]).output().unwrap();
                assert_eq!(String::from_utf8(output.stdout).unwrap(), text, "{written}");
                assert!(output.status.success(), "{written}");
            }
        }
    }
}
