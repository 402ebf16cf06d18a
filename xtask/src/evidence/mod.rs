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
use commit::{Commit, Tree};
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
                Some(format!("the tree differs from commit {}; git status names the files", commit.name))
            }
            None => Some("the folder is no clone with a commit".to_owned()),
        }
    }

    /// The rounds of a part that ended well on this source.
    ///
    /// # Errors
    /// What was kept cannot be read.
    pub(crate) fn done(&self, part: &str) -> Result<BTreeSet<String>> {
        let Some(source) = self.before.as_ref().map(|tree| &tree.commit().source) else {
            return Ok(BTreeSet::new());
        };
        let of_part = store::all()?.into_iter().filter(|entry| entry.source == *source && entry.part == part);
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
        let Some(source) = tried(self.before, Tree::now().ok()) else {
            eprintln!("{part} {round}: not kept for cargo xtask evidence: the tree was changed while it ran");
            return Ok(Kept::Moved);
        };
        let (part, round) = (part.to_owned(), round.to_owned());
        store::append(&Entry { source, part, round, ok, counts })?;
        Ok(Kept::Yes)
    }
}

/// The source that was tried. Somebody who edits meanwhile may have had half of it compiled with another text.
fn tried(before: Option<Tree>, after: Option<Tree>) -> Option<String> {
    match (before, after) {
        (Some(Tree::Clean(before)), Some(Tree::Clean(after))) => {
            (before.source == after.source).then_some(after.source)
        }
        _ => None,
    }
}

/// What is known of the commit that the tree is, and whether that is all that there should be.
///
/// # Errors
/// The tree is no commit.
pub fn account() -> Result<(String, bool)> {
    of(&Tree::now()?, &store::all()?)
}

/// Writes what was found of the commit that the tree is into the tree, to be committed: what that did, in a sentence.
///
/// # Errors
/// The tree is no commit, nothing was found of it, or the file cannot be written.
pub fn write() -> Result<String> {
    let (file, number) = store::keep(&clean(&Tree::now()?)?.source)?;
    Ok(format!("{}: results of this source: {number}", file.display()))
}

fn of(tree: &Tree, entries: &[Entry]) -> Result<(String, bool)> {
    let account = Account::of(clean(tree)?, entries);
    Ok((account.to_string(), account.is_whole()))
}

fn clean(tree: &Tree) -> Result<&Commit> {
    match tree {
        Tree::Clean(commit) => Ok(commit),
        Tree::Dirty(commit) => bail!(
            "the tree differs from commit {}: what was found of a commit says nothing of another text; \
             git status names the files",
            commit.name
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(name: &str, source: &str) -> Commit {
        Commit { name: name.to_owned(), source: source.to_owned() }
    }

    #[test]
    fn of_a_tree_that_is_no_commit_nothing_is_kept_and_nothing_told() {
        let (clean, dirty) = (Tree::Clean(commit("1", "a")), Tree::Dirty(commit("1", "a")));
        assert!(of(&dirty, &[]).is_err() && of(&clean, &[]).is_ok_and(|(_, whole)| !whole));
        assert_eq!(tried(Some(clean.clone()), Some(clean.clone())).as_deref(), Some("a"));
        let with_results = Tree::Clean(commit("2", "a"));
        assert_eq!(tried(Some(clean.clone()), Some(with_results)).as_deref(), Some("a"));
        let moved = Tree::Clean(commit("2", "b"));
        for (before, after) in [(&dirty, &dirty), (&clean, &dirty), (&dirty, &clean), (&clean, &moved)] {
            assert_eq!(tried(Some(before.clone()), Some(after.clone())), None);
        }
        assert_eq!(tried(None, None), None);
    }

    #[test]
    fn who_will_not_keep_anything_says_why_before_the_work() {
        let (clean, dirty) = (Tree::Clean(commit("1", "a")), Tree::Dirty(commit("1", "a")));
        let why = |before: Option<&Tree>, is_own| Keeper { before: before.cloned(), is_own }.hindrance();
        assert_eq!(why(Some(&clean), false), None);
        assert!(why(Some(&dirty), false).is_some_and(|why| why.contains("differs from commit 1")));
        assert!(why(None, false).is_some() && why(Some(&clean), true).is_some_and(|why| why.contains("own")));
        let keeper = Keeper { before: Some(clean), is_own: true };
        assert_eq!(keeper.end("test e2e", "", true, "nothing").ok(), Some(Kept::Never));
    }
}
