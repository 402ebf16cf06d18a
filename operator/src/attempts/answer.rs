//! Reads what `status` printed.

use planner::names::{ContainerId, GroupId};
use planner::observation::{Answer, Output};

/// The longest group, progress or text that is kept, in bytes.
const LONGEST: usize = 200;

/// The answer in an output. A fact is told anew by each line: the last one counts.
pub(super) fn read(output: &Output, container: ContainerId) -> Answer {
    let lines = || output.stderr.lines().chain(output.stdout.lines()).map(str::trim);
    let fact = |key: &str| lines().filter_map(|line| line.strip_prefix(key)).next_back().map(cut);
    let text = lines().rfind(|line| !line.is_empty() && !line.starts_with("rss."));
    Answer {
        code: output.code,
        container,
        group: fact("rss.group=").filter(|group| !group.is_empty()).map(GroupId),
        progress: fact("rss.progress="),
        text: text.map(cut).unwrap_or_default(),
    }
}

fn cut(text: &str) -> String {
    let text = text.trim();
    text[..text.floor_char_boundary(LONGEST)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(stdout: &str, stderr: &str) -> Answer {
        let (stdout, stderr) = (stdout.to_owned(), stderr.to_owned());
        read(&Output { code: 8, stdout, stderr, truncated: false }, ContainerId::from("c"))
    }

    #[test]
    fn facts_are_told_from_text() {
        let answer = answer("rss.group=g1\nprimary, 3 members\nrss.progress=copied 40 %\n\n", "a warning\n");
        assert_eq!(answer.code, 8);
        assert_eq!(answer.group, Some(GroupId::from("g1")));
        assert_eq!(answer.progress.as_deref(), Some("copied 40 %"));
        assert_eq!(answer.text, "primary, 3 members");
    }

    #[test]
    fn standard_error_is_read_where_standard_output_says_nothing() {
        let answer = answer("", "rss.group=g2\ncannot connect\n");
        assert_eq!((answer.group, answer.text.as_str()), (Some(GroupId::from("g2")), "cannot connect"));
    }

    #[test]
    fn the_last_word_on_a_fact_counts_and_an_empty_group_is_none() {
        assert_eq!(answer("rss.group=old\nrss.group=new\n", "").group, Some(GroupId::from("new")));
        assert_eq!(answer("rss.group=\n", "").group, None);
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        assert_eq!(answer(&"ü".repeat(300), "").text.len(), LONGEST);
        assert_eq!(answer(&format!("x{}", "ü".repeat(300)), "").text.len(), LONGEST - 1);
    }
}
