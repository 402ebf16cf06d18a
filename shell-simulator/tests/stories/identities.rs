//! Stories of a StatefulCluster, each told without trouble, and with some after its effects.

mod chance;
mod crashes;
mod restored;
mod rivals;

use std::time::Duration;

use shell_simulator::identities::{Blow, Ending, Story, Wish};
use shell_simulator::{Operators, Trouble, Watches};

use crate::told::{self, Again, good};

/// A story: what befalls three pods that are well.
pub(crate) type Plot = fn(&Story);

/// The plots, each by what it tells.
pub(crate) const PLOTS: [(&str, Plot); 7] = [
    ("a pod is deleted", |story| story.befall(Blow::Delete, 1)),
    ("a pod is evicted", |story| story.befall(Blow::Evict, 2)),
    ("two more are asked for", |story| story.want(Wish::Size(5))),
    ("two fewer are asked for", |story| story.want(Wish::Size(1))),
    ("another image is asked for", |story| story.want(Wish::Image("db:2"))),
    ("an image is asked for that is not there", |story| story.want(Wish::Image("db:bad"))),
    ("a node has no power any more", |story| story.befall(Blow::PowerOff, 0)),
];

/// Three pods that are well, looked after by one process or by two, whose watches are like this.
pub(crate) async fn begun(watches: &Watches, is_watched: bool) -> Story {
    let mut story = Story::begin(1, 3, "Delete", watches.clone());
    if is_watched {
        story.operators.stand_by();
    }
    good(story.settles().await);
    story
}

/// How a plot ends without trouble, and what was done for it.
pub(crate) async fn plain(plot: Plot) -> (Ending, Vec<String>) {
    let mut story = begun(&Watches::default(), false).await;
    let first = story.operators.effects().len();
    plot(&story);
    good(story.settles().await);
    (story.end(), story.operators.effects().split_off(first))
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

/// Tells a plot once for each effect of it (or every so manieth), with one of these troubles there, in turns; what is other
/// than without.
pub(crate) async fn with_each(plot: Plot, step: usize, troubles: &[Trouble], with_another: bool) -> String {
    let begin = async || begun(&Watches::default(), with_another).await;
    let plot = async |story: &mut Story| {
        plot(story);
        story.settles().await
    };
    told::with_each(begin, plot, step, troubles).await
}

/// So much later than any request can be.
pub(crate) const TOO_LATE: Duration = Duration::from_secs(300);
