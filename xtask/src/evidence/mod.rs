//! What test and soak found out about one commit: each keeps its result as it ends, and the account tells what there is
//! and what is missing.

mod account;
mod commit;
pub(crate) mod counts;
mod store;

pub use counts::{Counts, Figure, count};

use std::collections::BTreeSet;

use anyhow::{Result, bail};

use crate::own::Own;
use account::Account;
use commit::Tree;
use store::Entry;

/// Runs a piece of work on the tree as it is, and keeps how it ended and what it counted. What is not a commit is tried
/// all the same, and so is a cluster of the user's own, in which much is left out: nothing of it is kept.
pub(crate) struct Keeper {
    before: Option<Tree>,
    is_own: bool,
}

/// Whether the result of a piece of work was kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kept {
    /// It was.
    Yes,
    /// Somebody changed the tree meanwhile.
    Moved,
    /// It was known from the beginning that it would not be.
    Never,
}

// === impl Keeper ===

impl Keeper {
    /// Before the work; in this cluster, if it is one of the user's own.
    pub(crate) fn begin(own: Option<&Own>) -> Self {
        Self { before: Tree::now().ok(), is_own: own.is_some() }
    }

    /// Says at once if nothing will be kept.
    pub(crate) fn warn(&self) {
        if let Some(why) = self.hindrance() {
            eprintln!("nothing of this is kept for cargo xtask evidence: {why}");
        }
    }

    fn hindrance(&self) -> Option<String> {
        match &self.before {
            _ if self.is_own => Some("in a cluster of your own much is left out".to_owned()),
            Some(Tree::Clean(_)) => None,
            Some(Tree::Dirty(commit)) => {
                Some(format!("the tree differs from commit {commit}; git status names the files"))
            }
            None => Some("the folder is no clone with a commit".to_owned()),
        }
    }

    /// The rounds of a part that ended well on the commit.
    ///
    /// # Errors
    /// What was kept cannot be read.
    pub(crate) fn done(&self, part: &str) -> Result<BTreeSet<String>> {
        let Some(Tree::Clean(commit) | Tree::Dirty(commit)) = &self.before else {
            return Ok(BTreeSet::new());
        };
        let entries = store::read(&store::file())?;
        let of_part = entries.into_iter().filter(|entry| entry.commit == *commit && entry.part == part);
        Ok(of_part.filter(|entry| entry.ok).map(|entry| entry.round).collect())
    }

    /// After it: with the name of the file in which it counted.
    ///
    /// # Errors
    /// Its counts cannot be read, or the result not be written.
    pub(crate) fn end(self, part: &str, round: &str, ok: bool, counted: &str) -> Result<Kept> {
        let counts = counts::taken(&counts::file(counted))?;
        if self.hindrance().is_some() {
            return Ok(Kept::Never);
        }
        let Some(commit) = tried(self.before, Tree::now().ok()) else {
            eprintln!("{part} {round}: not kept for cargo xtask evidence: the tree was changed while it ran");
            return Ok(Kept::Moved);
        };
        let (part, round) = (part.to_owned(), round.to_owned());
        store::append(&store::file(), &Entry { commit, part, round, ok, counts })?;
        Ok(Kept::Yes)
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

    #[test]
    fn who_will_not_keep_anything_says_why_before_the_work() {
        let (clean, dirty) = (Tree::Clean("a".to_owned()), Tree::Dirty("a".to_owned()));
        let why = |before: Option<&Tree>, is_own| Keeper { before: before.cloned(), is_own }.hindrance();
        assert_eq!(why(Some(&clean), false), None);
        assert!(why(Some(&dirty), false).is_some_and(|why| why.contains("differs from commit a")));
        assert!(why(None, false).is_some() && why(Some(&clean), true).is_some_and(|why| why.contains("own")));
        let keeper = Keeper { before: Some(clean), is_own: true };
        assert_eq!(keeper.end("test e2e", "", true, "nothing").ok(), Some(Kept::Never));
    }
}
