//! What test and soak found out about one commit: each keeps its result as it ends, and the account tells what there is
//! and what is missing.

mod account;
mod commit;
pub(crate) mod counts;
mod store;

pub use counts::{Counts, Figure, count};

use anyhow::{Result, bail};

use account::Account;
use commit::Tree;
use store::Entry;

/// Runs a piece of work on the tree as it is, and keeps how it ended and what it counted; what is not a commit is tried
/// all the same, and nothing is kept.
pub(crate) struct Keeper {
    before: Option<Tree>,
}

// === impl Keeper ===

impl Keeper {
    /// Before the work.
    pub(crate) fn begin() -> Self {
        Self { before: Tree::now().ok() }
    }

    /// After it: with the name of the file in which it counted.
    ///
    /// # Errors
    /// Its counts cannot be read, or the result not be written.
    pub(crate) fn end(self, part: &str, round: &str, ok: bool, counted: &str) -> Result<()> {
        let counts = counts::taken(&counts::file(counted))?;
        let Some(commit) = tried(self.before, Tree::now().ok()) else { return Ok(()) };
        let (part, round) = (part.to_owned(), round.to_owned());
        store::append(&store::file(), &Entry { commit, part, round, ok, counts })
    }
}

/// The commit that was tried. Somebody who edits meanwhile may have had half of it compiled with another text.
fn tried(before: Option<Tree>, after: Option<Tree>) -> Option<String> {
    match before {
        Some(Tree::Clean(commit)) if after == Some(Tree::Clean(commit.clone())) => Some(commit),
        _ => None,
    }
}

/// What is known of the commit that the tree is, and whether that is all that there should be.
///
/// # Errors
/// The tree is no commit.
pub fn account() -> Result<(String, bool)> {
    of(&Tree::now()?, &store::read(&store::file())?)
}

fn of(tree: &Tree, entries: &[Entry]) -> Result<(String, bool)> {
    let commit = match tree {
        Tree::Clean(commit) => commit,
        Tree::Dirty(commit) => bail!(
            "the tree differs from commit {commit}: what was found of a commit says nothing of another text; \
             git status names the files"
        ),
    };
    let account = Account::of(commit, entries);
    Ok((account.to_string(), account.is_whole()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_tree_that_is_no_commit_nothing_is_kept_and_nothing_told() {
        let (clean, dirty) = (Tree::Clean("a".to_owned()), Tree::Dirty("a".to_owned()));
        assert!(of(&dirty, &[]).is_err() && of(&clean, &[]).is_ok_and(|(_, whole)| !whole));
        assert_eq!(tried(Some(clean.clone()), Some(clean.clone())).as_deref(), Some("a"));
        let moved = Tree::Clean("b".to_owned());
        for (before, after) in [(&dirty, &dirty), (&clean, &dirty), (&dirty, &clean), (&clean, &moved)] {
            assert_eq!(tried(Some(before.clone()), Some(after.clone())), None);
        }
        assert_eq!(tried(None, None), None);
    }
}
