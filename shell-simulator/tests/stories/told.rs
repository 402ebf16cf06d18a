//! Stories that are told more than once.

use shell_simulator::{End, Operators, Story, Trouble};
use simulator::{Options, sampled};

/// What became of a story.
pub(crate) type Told = Result<(), String>;

/// A set that was born.
pub(crate) async fn born(options: Options) -> (Story, End) {
    let mut story = Story::begin(1, Options { traced: true, ..options });
    good(story.settles().await);
    let end = story.end();
    (story, end)
}

/// Nothing comes before it.
pub(crate) async fn at_once(_: &mut Story) -> Told {
    Ok(())
}

/// It becomes well.
pub(crate) async fn settles(story: &mut Story) -> Told {
    story.settles().await
}

/// A story that is told more than once.
pub(crate) trait Again {
    type End;
    fn operators(&self) -> &Operators;
    fn end(&self) -> Self::End;
    /// What is not as it ended without trouble, after one at most.
    fn differs(&self, from: &Self::End) -> Vec<String>;
}

impl Again for Story {
    type End = End;

    fn operators(&self) -> &Operators {
        &self.operators
    }

    fn end(&self) -> End {
        self.end()
    }

    fn differs(&self, from: &End) -> Vec<String> {
        let members = self.server.look(|cluster| cluster.pods().len());
        self.end().differs(from, members, 1)
    }
}

/// For each change of the source one in so many of the effects is tried.
const SAMPLE: usize = 12;

/// Runs a plot without trouble, and then once for each effect at this step, with one of these troubles at the effect, in
/// turns. Returns the differences from the end without trouble.
pub(crate) async fn with_each<S: Again>(
    begin: impl AsyncFn() -> S,
    plot: impl AsyncFn(&mut S) -> Told,
    step: usize,
    troubles: &[Trouble],
) -> String {
    let mut reference = begin().await;
    let first = reference.operators().effects().len();
    good(plot(&mut reference).await);
    let (end, effects) = (reference.end(), reference.operators().effects().split_off(first));
    assert!(effects.len() > 2, "there is more to it than {effects:?}");
    let (step, mut wrong) = (step * sampled(SAMPLE, 1), Vec::new());
    for ((at, effect), trouble) in effects.iter().enumerate().step_by(step).zip(troubles.iter().cycle()) {
        let mut story = begin().await;
        let before = story.operators().effects().len();
        story.operators().strike(at + 1, *trouble);
        let told = plot(&mut story).await;
        struck(story.operators(), before + at + 1, *trouble);
        let differs = told.err().map_or_else(|| story.differs(&end), |told| vec![told]);
        if !differs.is_empty() {
            wrong.push(format!("{trouble:?} at effect {} ({effect}):\n{}", at + 1, differs.join("\n")));
        }
    }
    wrong.join("\n\n")
}

/// A story of a set: what comes before its plot, and the plot itself.
pub(crate) struct Tale<B, P> {
    pub(crate) options: Options,
    pub(crate) before: B,
    pub(crate) plot: P,
}

impl<B: AsyncFn(&mut Story) -> Told, P: AsyncFn(&mut Story) -> Told> Tale<B, P> {
    async fn begin(&self) -> Story {
        let mut story = Story::begin(1, Options { traced: true, ..self.options.clone() });
        good((self.before)(&mut story).await);
        story
    }

    /// Tells it without trouble, and then once for each effect of its plot, with a crash after it. What comes before
    /// the plot is without one.
    pub(crate) async fn with_each_crash(&self) {
        self.with_each(1, &[Trouble::Death]).await;
    }

    /// The same, with one of these troubles at every so manieth effect, in turns.
    pub(crate) async fn with_each(&self, step: usize, troubles: &[Trouble]) {
        let wrong = with_each(async || self.begin().await, &self.plot, step, troubles).await;
        assert!(wrong.is_empty(), "{wrong}");
    }
}

pub(crate) fn good(told: Told) {
    told.unwrap_or_else(|told| panic!("{told}"));
}

/// It struck the effect of this number, or there was none: what kube draws by chance follows no seed, so that a story may
/// tell a status once that it told twice the time before.
fn struck(operators: &Operators, number: usize, trouble: Trouble) {
    let (deaths, effects) = (operators.deaths(), operators.effects());
    let is_there = effects.len() >= number;
    let expected = usize::from(trouble == Trouble::Death && is_there);
    assert_eq!(deaths, expected, "{trouble:?} at effect {number} of {effects:#?}");
    let struck = if is_there { vec![trouble] } else { Vec::new() };
    assert_eq!(operators.struck(), struck, "at effect {number} of {effects:#?}");
}
