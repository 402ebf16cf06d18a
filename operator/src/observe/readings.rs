//! The answers of `sequence`, read by the policy.

use std::collections::BTreeMap;

use planner::decision::{Decisions, Judgement, SequenceOutput};
use planner::names::AttemptId;
use planner::observation::{Attempt, AttemptState};
use planner::record::Reading;

/// The reason why an output of a whole line counts, and the beginning of one does not.
const CUT: &str = "the output of sequence ends within a line, so a part of it may be missing: let commands.sequence end each line with a line feed";

/// What each `sequence` that ended said, through the policy. The policy is not asked about an output that ends within a line: the
/// beginning of a position can look like another position.
#[must_use]
pub fn readings(
    attempts: &BTreeMap<AttemptId, Attempt>,
    policy: &dyn Decisions,
) -> BTreeMap<AttemptId, Judgement> {
    let reads = attempts.iter().filter(|(_, attempt)| attempt.command.is_sequence());
    reads
        .filter_map(|(id, attempt)| {
            let AttemptState::Ended(output) = &attempt.state else { return None };
            let output = SequenceOutput {
                replica: &attempt.replica,
                code: output.code,
                stdout: &output.stdout,
                stderr: &output.stderr,
                truncated: output.truncated,
            };
            Some((id.clone(), read(&output, policy)))
        })
        .collect()
}

fn read(output: &SequenceOutput<'_>, policy: &dyn Decisions) -> Judgement {
    let is_within_line = !output.stdout.is_empty() && !output.stdout.ends_with('\n');
    if output.code == 0 && !output.truncated && is_within_line {
        return Reading::Unreadable(CUT.to_owned()).into();
    }
    policy.sequence(output)
}

#[cfg(test)]
mod tests {
    use super::*;
    use largest_integer::LargestInteger;
    use native_policy::Native;
    use planner::position::Position;

    fn reading(code: i32, stdout: &str) -> Reading {
        let output = SequenceOutput { replica: &"x-0".into(), code, stdout, stderr: "", truncated: false };
        read(&output, &Native(LargestInteger::default())).reading
    }

    #[test]
    fn an_output_that_is_cut_at_any_byte_gives_no_other_position() {
        let whole = "1234\n";
        let expected = Reading::At(Position::Ordinal(1234));
        assert_eq!(reading(0, whole), expected);
        for end in 1..whole.len() {
            assert_eq!(reading(0, &whole[..end]), Reading::Unreadable(CUT.to_owned()), "{end} bytes");
        }
        assert!(!matches!(reading(0, ""), Reading::At(_)));
    }

    #[test]
    fn a_command_that_failed_is_for_the_policy_to_judge() {
        assert!(matches!(reading(1, "12"), Reading::Unreadable(why) if why != CUT));
    }
}
