//! Stories of a StatefulCluster, each told without trouble, and with some after its effects.

mod chance;
mod crashes;
mod rivals;

use std::time::Duration;

use shell_simulator::identities::{Blow, Ending, Story, Wish};
use shell_simulator::{Trouble, Watches};

use crate::told::{Told, good, struck};

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
pub(crate) async fn told(plot: Plot) -> (Ending, Vec<String>) {
    let mut story = begun(&Watches::default(), false).await;
    let first = story.operators.effects().len();
    plot(&story);
    good(story.settles().await);
    (story.end(), story.operators.effects().split_off(first))
}

/// Tells a plot once for each effect of it (or every so manieth), with one of these troubles there, in turns; what is other
/// than without.
pub(crate) async fn with_each(plot: Plot, step: usize, troubles: &[Trouble], with_another: bool) -> String {
    let (end, effects) = told(plot).await;
    assert!(effects.len() > 2, "there is more to it than {effects:?}");
    let mut wrong = Vec::new();
    let some = effects.iter().enumerate().step_by(step).zip(troubles.iter().cycle());
    for ((at, effect), trouble) in some {
        let mut story = begun(&Watches::default(), with_another).await;
        let before = story.operators.effects().len();
        story.operators.strike(at + 1, *trouble);
        plot(&story);
        let told = story.settles().await;
        struck(&story.operators, before + at + 1, *trouble);
        let differs = differs(told, &story, &end);
        wrong
            .extend(differs.map(|differs| format!("{trouble:?} at effect {} ({effect}): {differs}", at + 1)));
    }
    wrong.join("\n\n")
}

fn differs(told: Told, story: &Story, end: &Ending) -> Option<String> {
    match told {
        Err(told) => Some(told),
        Ok(()) => (story.end() != *end).then(|| format!("{:?}, and not {end:?}", story.end())),
    }
}

/// So much later than any request can be.
pub(crate) const TOO_LATE: Duration = Duration::from_secs(300);
