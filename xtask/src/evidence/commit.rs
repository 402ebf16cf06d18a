//! Which commit the tree is, if it is one.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::{run, workspace};

/// What is in the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tree {
    /// A commit, by its hash, and nothing else.
    Clean(String),
    /// A commit, and files that differ from it.
    Dirty(String),
}

// === impl Tree ===

impl Tree {
    /// As it is now.
    ///
    /// # Errors
    /// It is no clone.
    pub(crate) fn now() -> Result<Self> {
        Self::of(&workspace::root())
    }

    fn of(clone: &Path) -> Result<Self> {
        // A clone that belongs to another user than root is as good, and nothing of it is run by git.
        let git = |words: &[&str]| {
            run::output(Command::new("git").args(["-c", "safe.directory=*", "-C"]).arg(clone).args(words))
        };
        let commit = git(&["rev-parse", "HEAD"])?.trim().to_owned();
        let changed = git(&["status", "--porcelain"])?;
        Ok(if changed.trim().is_empty() { Self::Clean(commit) } else { Self::Dirty(commit) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_no_commit_has_makes_the_tree_none() {
        let clone = std::env::temp_dir().join(format!("rss-clone-{}", std::process::id()));
        let git = |words: &str| {
            let who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
            run::output(Command::new("git").arg("-C").arg(&clone).args(who).args(words.split(' ')))
        };
        std::fs::create_dir_all(&clone).expect("a folder for temporary files");
        git("init --quiet").expect("git is there");
        git("commit --quiet --allow-empty --message one").expect("a first commit");
        let Ok(Tree::Clean(commit)) = Tree::of(&clone) else { panic!("{:?}", Tree::of(&clone)) };
        std::fs::write(clone.join("new"), "text").expect("a folder of our own");
        assert_eq!(Tree::of(&clone).ok(), Some(Tree::Dirty(commit)));
        std::fs::remove_dir_all(&clone).expect("a folder of our own");
    }
}
