//! Stories of a StatefulCluster, each told without trouble, and with some after its effects.

mod budget;
mod chance;
mod crashes;
mod restored;
mod rivals;

use std::time::Duration;

use shell_simulator::identities::{Blow, Ending, Story, Wish};
use shell_simulator::{Operators, Trouble, Watches};

use crate::told::{self, Again, good};

/// A story: what befalls three pods that are well.
#[derive(Clone, Copy)]
pub(crate) struct Plot {
    /// What it tells.
    pub(crate) tells: &'static str,
    /// What becomes of claims whose pods are gone.
    retention: &'static str,
    pub(crate) befalls: fn(&Story),
}

const fn plot(tells: &'static str, retention: &'static str, befalls: fn(&Story)) -> Plot {
    Plot { tells, retention, befalls }
}

/// A pod is gone, and its claim with it.
pub(crate) const LOST: Plot = plot("a pod is deleted", "Delete", |story| story.befall(Blow::Delete, 1));

/// Whose claim is gone before a late watch tells that its pod is, too, gets another one: how that ends depends on watches.
pub(crate) const WITHOUT_CLAIM: Plot = plot("a pod and its claim are deleted", "Retain", |story| {
    story.befall(Blow::DeleteClaim, 1);
    story.befall(Blow::Delete, 1);
});

/// What befalls pods and nodes.
pub(crate) const BLOWS: [Plot; 6] = [
    LOST,
    plot("a pod is deleted by force", "Retain", |story| story.befall(Blow::Force, 1)),
    plot("a pod is evicted", "Retain", |story| story.befall(Blow::Evict, 2)),
    plot("a pod fails for good", "Delete", |story| story.befall(Blow::Break, 2)),
    plot("a node has no power any more", "Delete", |story| story.befall(Blow::PowerOff, 0)),
    plot("a node is removed", "Retain", |story| story.befall(Blow::LoseNode, 0)),
];

/// What a person asks for.
pub(crate) const WISHES: [Plot; 6] = [
    plot("two more are asked for", "Delete", |story| story.want(Wish::Size(5))),
    plot("two fewer are asked for", "Delete", |story| story.want(Wish::Size(1))),
    plot("two fewer are asked for, whose claims stay", "Retain", |story| story.want(Wish::Size(1))),
    plot("another image is asked for", "Retain", |story| story.want(Wish::Image("db:2"))),
    plot("an image is asked for that is not there", "Delete", |story| story.want(Wish::Image("db:bad"))),
    plot("other arguments are asked for", "Delete", |story| story.want(Wish::Arguments("2"))),
];

/// Three pods that are well and have claims of this retention, looked after by one process or by two, whose watches are like
/// this.
pub(crate) async fn begun(retention: &str, watches: &Watches, is_watched: bool) -> Story {
    let mut story = Story::begin(1, 3, retention, watches.clone());
    if is_watched {
        story.operators.stand_by();
    }
    good(story.settles().await);
    story
}

/// How a plot ends without trouble, and what was done for it.
pub(crate) async fn plain(plot: Plot) -> (Ending, Vec<String>) {
    let mut story = plot.begun(&Watches::default(), false).await;
    let first = story.operators.effects().len();
    (plot.befalls)(&story);
    good(story.settles().await);
    (story.end(), story.operators.effects().split_off(first))
}

// === impl Plot ===

impl Plot {
    /// What is before it.
    pub(crate) async fn begun(self, watches: &Watches, is_watched: bool) -> Story {
        begun(self.retention, watches, is_watched).await
    }
}

impl Again for Story {
    type End = Ending;

    fn operators(&self) -> &Operators {
        &self.operators
    }

    fn end(&self) -> Ending {
        self.end()
    }

    fn differs(&self, from: &Ending) -> Vec<String> {
        let differs = self.end() != *from;
        differs.then(|| format!("{:?}, and not {from:?}", self.end())).into_iter().collect()
    }
}

/// Tells each of these plots once for each effect of it (or every so manieth), with one of these troubles there, in turns;
/// nothing is other than without.
pub(crate) async fn are_told_with_each(
    plots: &[Plot],
    step: usize,
    troubles: &[Trouble],
    with_another: bool,
) {
    for told in plots {
        let begin = async || told.begun(&Watches::default(), with_another).await;
        let plot = async |story: &mut Story| {
            (told.befalls)(story);
            story.settles().await
        };
        let wrong = told::with_each(begin, plot, step, troubles).await;
        assert!(wrong.is_empty(), "{}\n{wrong}", told.tells);
    }
}

/// So much later than any request can be.
pub(crate) const TOO_LATE: Duration = Duration::from_secs(300);
