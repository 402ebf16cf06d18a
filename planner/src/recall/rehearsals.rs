//! What members answered that were asked while they ran, and when that says nothing any more.

use super::attempts::bounded;
use crate::look::Look;
use crate::names::AttemptId;
use crate::observation::{Attempt, AttemptState, Command};
use crate::plan::News;
use crate::position::Position;
use crate::rehearsal::{Heard, Rehearsal};

/// The newest answer of each member. One that was lost counts as asked too: it is asked again in its time.
pub(super) fn hear(look: &mut Look<'_>, _: &mut Vec<News>) {
    let asked = look.seen.attempts.iter().filter(|(_, attempt)| attempt.command == Command::Rehearse);
    let heard: Vec<_> = asked
        .filter_map(|(id, attempt)| Some((attempt.replica.clone(), rehearsal(look, id, attempt)?)))
        .collect();
    look.memory.rehearsals.extend(heard);
}

fn rehearsal(look: &Look<'_>, id: &AttemptId, attempt: &Attempt) -> Option<Rehearsal> {
    let pod = look.pod(&attempt.replica)?;
    let here = pod.uid == attempt.pod && pod.live_container() == Some(&attempt.container);
    let record = look.record(&attempt.replica).filter(|record| here && record.starts == attempt.starts)?;
    let answer = Rehearsal {
        holder: record.holder.clone(),
        starts: attempt.starts,
        container: attempt.container.clone(),
        attempt: id.clone(),
        reader: look.seen.reader.clone(),
        heard: heard(look, id, attempt)?,
        held: None,
    };
    let held = held_before(look, &answer).cloned();
    Some(Rehearsal { held, ..answer })
}

/// The most that the member showed before by the same start, if this answer lacks some of it.
fn held_before<'b>(look: &'b Look<'_>, answer: &Rehearsal) -> Option<&'b Position> {
    let before = look.memory.rehearsals.values().find(|before| before.holder == answer.holder)?;
    let is_same = before.starts == answer.starts && before.reader.is_some() && before.reader == answer.reader;
    let includes = |held: &Position| answer.position().is_some_and(|now| now.includes(held));
    before.most().filter(|held| is_same && !includes(held))
}

/// None: it is under way, or nobody can say what its output means.
fn heard(look: &Look<'_>, id: &AttemptId, attempt: &Attempt) -> Option<Heard> {
    let nothing = |why: &str| Some(Heard::Nothing(why.to_owned()));
    match &attempt.state {
        AttemptState::Running => None,
        AttemptState::Ended(_) => look.seen.verdicts.readings.get(id).map(|said| Heard::Said(bounded(said))),
        AttemptState::Overdue => nothing("sequence did not end within its timeout"),
        AttemptState::Refused(_) => nothing("sequence could not be begun"),
        AttemptState::Lost(why) => nothing(why),
    }
}

/// An answer is of this data, by who reads now, and of a set that nobody kept to himself since. In an outage no rule goes by
/// it, but a person does: it is what a member holds at least that cannot be read now.
pub(super) fn forget(look: &mut Look<'_>, _: &mut Vec<News>) {
    let is_asked = look.target().rehearsal_interval.is_some() && !look.was_paused;
    let mut kept = std::mem::take(&mut look.memory.rehearsals);
    kept.retain(|_, rehearsal| {
        let record = look.memory.holders.get(&rehearsal.holder).filter(|record| !record.ended);
        let same_reader = look.seen.reader.is_none() || look.seen.reader == rehearsal.reader;
        is_asked && same_reader && record.is_some_and(|record| record.starts == rehearsal.starts)
    });
    look.memory.rehearsals = kept;
}

#[cfg(test)]
mod tests {
    use crate::fixture::{name, rehearsed_set};
    use crate::guarantees::attempt;
    use crate::observation::{AttemptState, Command, Output};
    use crate::position::Position;
    use crate::record::Reading;
    use crate::rehearsal::Heard;
    use crate::{Memory, Observation, decide};

    fn kept_after(change: impl Fn(&mut Observation, &mut Memory)) -> bool {
        let (mut seen, mut known) = rehearsed_set([5, 9, 7]);
        change(&mut seen, &mut known);
        decide(&seen, &known).memory.rehearsals.contains_key(&name(1))
    }

    #[test]
    fn an_answer_is_kept_while_it_is_of_this_data_and_by_who_reads_now() {
        assert!(kept_after(|_, _| {}), "nothing happened");
        assert!(kept_after(|seen, _| seen.reader = None), "nobody reads now");
        assert!(
            kept_after(|seen, _| *seen = seen.clone().answers(1, 7)),
            "it is all that is known of it then"
        );
        assert!(
            kept_after(|seen, _| seen.replicas.get_mut(&name(1)).unwrap().pod = None),
            "and if it is away"
        );
        assert!(!kept_after(|seen, _| seen.reader = Some("another".into())), "another reads now");
        assert!(!kept_after(|seen, _| seen.target.rehearsal_interval = None), "nobody wants it any more");
        assert!(!kept_after(|_, known| known.paused = true), "the set was paused");
        let dark = |seen: &mut Observation, _: &mut Memory| {
            *seen = (0..3).fold(seen.clone(), |seen, ordinal| seen.answers(ordinal, 7));
        };
        assert!(kept_after(dark), "in an outage a person is told what each holds at least");
        let started = |_: &mut Observation, known: &mut Memory| {
            known.holders.values_mut().for_each(|record| record.starts += 1);
        };
        assert!(!kept_after(started), "something was started on it");
        let other = |seen: &mut Observation, _: &mut Memory| {
            seen.replicas.get_mut(&name(1)).unwrap().claims[0].uid = "another".into();
        };
        assert!(!kept_after(other), "its data is another's");
    }

    fn heard(state: AttemptState, reads: Option<u64>, starts: u64) -> Option<Heard> {
        let (mut seen, mut known) = rehearsed_set([5, 9, 7]);
        known.rehearsals.clear();
        let mut asked = attempt(1, Command::Rehearse, state);
        asked.starts = starts;
        seen.attempts.insert("r".into(), asked);
        let said = reads.map(|number| Reading::At(Position::Ordinal(number)).into());
        seen.verdicts.readings.extend(said.map(|said| ("r".into(), said)));
        let plan = decide(&seen, &known);
        assert_eq!(plan.memory.holders, known.holders, "of what is promised nothing changes by it");
        plan.memory.rehearsals.get(&name(1)).map(|rehearsal| rehearsal.heard.clone())
    }

    #[test]
    fn what_a_running_member_says_is_remembered_beside_the_readings_and_silence_too() {
        let output = Output { code: 0, stdout: "9".into(), stderr: String::new(), truncated: false };
        let ended = AttemptState::Ended(output);
        let nine = Heard::Said(Reading::At(Position::Ordinal(9)).into());
        assert_eq!(heard(ended.clone(), Some(9), 1), Some(nine));
        assert_eq!(heard(ended.clone(), None, 1), None, "nobody can say what it means");
        assert_eq!(heard(ended, Some(9), 0), None, "it was of data before a start");
        assert_eq!(heard(AttemptState::Running, None, 1), None);
        for state in [AttemptState::Overdue, AttemptState::Lost("no route".into())] {
            assert!(matches!(heard(state, None, 1), Some(Heard::Nothing(_))));
        }
    }
}
