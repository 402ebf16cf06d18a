//! What one member can be like.

/// The record of its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// None.
    Nothing,
    /// Confirmed in an epoch that is over.
    Older,
    /// Confirmed in the newest.
    Current,
    /// A join replaces its data.
    Joining,
    /// Seen, never started.
    New,
}

/// A start of it that may be alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Open {
    /// None.
    None,
    /// In this container, its member not seen running since.
    Unconfirmed,
    /// In this container, its lock seen held.
    Held,
    /// In a pod that is gone.
    Elsewhere,
}

/// Its standing reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Read {
    /// None.
    No,
    /// Less than others may hold.
    Low,
    /// All that there is.
    High,
    /// What nobody else has.
    Apart,
    /// Nothing.
    Empty,
    /// `sequence` failed.
    Unreadable,
    /// All that there is, by another policy than the one of now.
    Another,
}

/// Its pod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// There, with the container that everything is about.
    Here,
    /// Not there.
    Gone,
    /// There, with a later container.
    Restarted,
}

/// Its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It takes writes.
    Primary,
    /// It follows.
    Secondary,
    /// It says that it does not run.
    Stopped,
    /// It says that it failed.
    Failed,
    /// There is no process.
    Down,
    /// No answer.
    Unknown,
}

/// One member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    pub(crate) known: Known,
    pub(crate) open: Open,
    pub(crate) read: Read,
    pub(crate) place: Place,
    pub(crate) state: State,
}

impl Member {
    /// All that can be, less what differs in nothing that a rule asks for.
    pub(crate) fn all() -> Vec<Self> {
        let mut all = Vec::new();
        for known in [Known::Nothing, Known::Older, Known::Current, Known::Joining, Known::New] {
            for (open, read) in Self::pasts(known) {
                for (place, state) in Self::presents(open, read) {
                    all.push(Self { known, open, read, place, state });
                }
            }
        }
        all
    }

    /// A reading stands only while no start is open; without a record there is neither.
    fn pasts(known: Known) -> Vec<(Open, Read)> {
        use Read::{Another, Apart, Empty, High, Low, No, Unreadable};
        let read = |list: &[Read]| list.iter().map(|read| (Open::None, *read)).collect::<Vec<_>>();
        let open = [(Open::Unconfirmed, No), (Open::Held, No), (Open::Elsewhere, No)];
        match known {
            Known::Nothing => read(&[No]),
            Known::New => read(&[No, High, Empty]),
            Known::Older => read(&[No, Low, High, Apart, Another]).into_iter().chain(open).collect(),
            Known::Current => {
                read(&[No, Low, High, Apart, Empty, Unreadable, Another]).into_iter().chain(open).collect()
            }
            Known::Joining => read(&[No, High]).into_iter().chain(open).collect(),
        }
    }

    /// Where what is known of it does not stand any more, the answers differ in less.
    fn presents(open: Open, read: Read) -> Vec<(Place, State)> {
        use State::{Down, Failed, Primary, Secondary, Stopped, Unknown};
        let mut all = vec![(Place::Here, Stopped), (Place::Here, Unknown)];
        match (open, read) {
            (Open::None, Read::No) => {
                all.extend([Primary, Secondary, Failed, Down].map(|state| (Place::Here, state)));
                all.push((Place::Gone, Down));
            }
            (Open::None, Read::High) => {
                all.extend([(Place::Here, Primary), (Place::Here, Down), (Place::Gone, Down)]);
                all.push((Place::Restarted, Stopped));
            }
            (Open::None, _) => all.push((Place::Gone, Down)),
            (Open::Elsewhere, _) => all.push((Place::Here, Primary)),
            (Open::Unconfirmed | Open::Held, _) => {
                all.extend([Primary, Secondary, Failed, Down].map(|state| (Place::Here, state)));
                all.extend([(Place::Gone, Down), (Place::Restarted, Stopped), (Place::Restarted, Primary)]);
            }
        }
        all
    }
}
