//! Which commit the tree is, if it is one.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use super::store;
use crate::image::digest;
use crate::{run, workspace};

/// A commit, and what of it is tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Commit {
    /// Its hash.
    pub(crate) name: String,
    /// The digest of all that it holds but results: the same where a commit adds nothing else.
    pub(crate) source: String,
}

/// What is in the tree, beside results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tree {
    /// A commit, and nothing else.
    Clean(Commit),
    /// A commit, and files that differ from it.
    Dirty(Commit),
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
        let name = git(&["rev-parse", "HEAD"])?.trim().to_owned();
        let source = source(&git(&["ls-tree", "HEAD"])?);
        let changed = git(&[
            "status",
            "--porcelain",
            "--untracked-files=all",
            "--",
            ".",
            &format!(":(exclude){}", store::FOLDER),
        ])?;
        let commit = Commit { name, source };
        Ok(if changed.trim().is_empty() { Self::Clean(commit) } else { Self::Dirty(commit) })
    }

    /// The commit, whatever differs from it.
    pub(crate) fn commit(&self) -> &Commit {
        match self {
            Self::Clean(commit) | Self::Dirty(commit) => commit,
        }
    }
}

/// Of what `git ls-tree` says of a commit's root: a line for each file and folder, with the hash of what it holds.
fn source(root: &str) -> String {
    let is_tried = |line: &&str| line.split_once('\t').is_none_or(|(_, name)| name != store::FOLDER);
    digest::of(root.lines().filter(is_tried).collect::<Vec<_>>().join("\n").as_bytes())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_tried_is_all_that_a_commit_holds_but_results() {
        let clone = std::env::temp_dir().join(format!("rss-clone-{}", std::process::id()));
        let git = |words: &str| {
            let who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
            run::output(Command::new("git").arg("-C").arg(&clone).args(who).args(words.split(' ')))
        };
        let commit = |message: &str| {
            git("add --all").expect("a clone of our own");
            git(&format!("commit --quiet --allow-empty --message {message}")).expect("a clone of our own");
        };
        let clean = || match Tree::of(&clone) {
            Ok(Tree::Clean(commit)) => commit,
            other => panic!("{other:?}"),
        };
        fs::create_dir_all(clone.join(store::FOLDER)).expect("a folder for temporary files");
        git("init --quiet").expect("git is there");
        commit("one");
        let one = clean();
        fs::write(clone.join(store::FOLDER).join("rounds.jsonl"), "{}").expect("a folder of our own");
        assert_eq!(clean(), one, "results that nobody committed yet are none of the source");
        commit("results");
        let results = clean();
        assert!(results.source == one.source && results.name != one.name);
        fs::write(clone.join("new"), "text").expect("a folder of our own");
        assert_eq!(Tree::of(&clone).ok(), Some(Tree::Dirty(results)), "a file that no commit has");
        commit("new");
        assert_ne!(clean().source, one.source);
        fs::remove_dir_all(&clone).expect("a folder of our own");
    }
}
