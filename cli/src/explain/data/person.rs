//! What persons said of the data, and what came of it.

use planner::Record;

use super::Data;

impl Data {
    /// The records of the newest epoch that a person gave up, but for those of data in which nothing ever was.
    pub(in crate::explain) fn given_up(&self) -> impl Iterator<Item = &Record> {
        self.records().filter(|record| record.waived && self.is_of_epoch(record) && !record.is_new())
    }

    /// Whether a person gave up all that is remembered of the newest epoch, and there was something.
    pub(in crate::explain) fn is_given_up_whole(&self) -> bool {
        let epoch = self.epoch();
        let mut of_epoch = self.records().filter(|record| record.confirmed == epoch && epoch > 0).peekable();
        of_epoch.peek().is_some() && of_epoch.all(|record| record.waived)
    }

    /// The replica that a person named as the seed of this outage.
    pub(in crate::explain) fn named(&self) -> Option<&str> {
        let named = self.outage()?.named.as_ref()?;
        Some(&self.memory.as_ref()?.holders.get(named)?.replica.0)
    }

    /// Whether a replica was started as the seed in this outage, and that came to nothing.
    pub(in crate::explain) fn was_tried(&self, replica: &str) -> bool {
        self.outage().is_some_and(|outage| outage.failed.iter().any(|failure| failure.replica.0 == replica))
    }

    /// The same, also beside members that run: of that its record speaks.
    pub(in crate::explain) fn came_to_nothing(&self, replica: &str) -> bool {
        self.was_tried(replica) || self.record(replica).is_some_and(|record| record.tried.is_some())
    }
}
