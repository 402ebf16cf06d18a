//! The words of commands for a person to paste.

use operator::api::SetStatus;
use planner::key::Key;

use crate::{allow, shell};

/// What commands name.
pub(in crate::explain) struct Set<'a> {
    pub(in crate::explain) namespace: &'a str,
    pub(in crate::explain) name: &'a str,
    /// What asks the same cluster again.
    pub(in crate::explain) again: &'a str,
    pub(in crate::explain) status: &'a SetStatus,
    /// The replica that a person named as the seed of this outage.
    pub(in crate::explain) named: Option<&'a str>,
}

impl Set<'_> {
    /// The command of this tool that gives a key, where there is one.
    pub(super) fn tool(&self, key: &Key) -> Option<String> {
        allow::command(key, &shell::word(self.name), &self.behind())
    }

    pub(super) fn annotate(&self, keys: &str) -> String {
        let (of, keys) = (self.words(), shell::quoted(keys));
        format!("kubectl annotate --overwrite rss {of} clusterlabs.org/allow={keys}")
    }

    pub(super) fn patch(&self, patch: &str) -> String {
        format!("kubectl patch rss {} --type=merge -p '{patch}'", self.words())
    }

    pub(super) fn edit(&self) -> String {
        format!("kubectl edit rss {}", self.words())
    }

    /// The set, as commands name it, and where it is.
    pub(super) fn words(&self) -> String {
        format!("{}{}", shell::word(self.name), self.behind())
    }

    /// What commands have behind the name; a space first.
    pub(super) fn behind(&self) -> String {
        format!(" -n {}{}", shell::word(self.namespace), self.again)
    }
}
