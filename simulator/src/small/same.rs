//! What counts as one state is one: whatever may come of it, by whichever names and in whichever order it was made.

use super::print::{Print, fingerprint};
use super::{Budget, Rules, Setting, Start, State};
use std::collections::{BTreeSet, HashMap, VecDeque};

/// What comes of a state next, by its prints.
fn led(state: &State, rules: &Rules) -> BTreeSet<Print> {
    state.successors(rules).iter().map(|(_, next)| fingerprint(next)).collect()
}

/// How many of the states near a beginning were come upon again with other names, and led elsewhere.
fn compared(rules: &Rules, first: State) -> (u64, u64) {
    let (mut compared, mut differ) = (0, 0);
    let mut known: HashMap<Print, (String, BTreeSet<Print>)> = HashMap::new();
    let mut wait = VecDeque::from([first]);
    while let Some(state) = wait.pop_front().filter(|_| known.len() < 4000) {
        let names = format!("{state:?}");
        match known.get(&fingerprint(&state)) {
            Some((others, _)) if *others == names => {}
            Some((_, there)) => {
                compared += 1;
                differ += u64::from(*there != led(&state, rules));
            }
            None => {
                known.insert(fingerprint(&state), (names, led(&state, rules)));
                wait.extend(state.successors(rules).into_iter().map(|(_, next)| next));
            }
        }
    }
    (compared, differ)
}

#[test]
fn states_that_differ_in_names_alone_lead_to_the_same() {
    for setting in [Setting::Equal, Setting::Followed] {
        let rules = Rules::of(setting, 3);
        let well = State::well(&rules);
        for start in Start::all(setting).iter().skip(85).step_by(190) {
            let (compared, differ) = compared(&rules, start.state(&rules, &well, Budget::A_TROUBLE));
            assert!(compared > 100 && differ == 0, "{start}: {differ} of {compared}");
        }
    }
}
