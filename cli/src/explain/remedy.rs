//! What ends each kind of hold, beside a key.

/// What ends a hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// It ends by itself, once this is so; `{}` is what it waits for.
    Itself(&'static str),
    /// A person ends it by this.
    Person(By),
    /// It may end by itself, once this is so. Where it lasts for [`LASTING_SECONDS`], a person ends it by the second text.
    Lasting(&'static str, &'static str),
}

/// A pull of an image or a start of a node takes less.
pub(super) const LASTING_SECONDS: i64 = 600;

/// What a person does, beside giving a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// Only a key, if one is offered.
    Key,
    /// Another specification.
    Edit,
    /// Another `recovery.mode`.
    Mode,
    /// The size that the set had.
    Scale,
    /// Letting the operator work.
    Resume,
    /// Something that no command of this tool's can be given for; `{}` is what all holds of the reason name.
    Hand(&'static str),
}

/// By the reason of a hold and its age; the words are those of docs/holds-and-keys.md. None: the reason is of another
/// version.
pub(super) fn remedy(reason: &str, seconds: Option<i64>) -> Option<Remedy> {
    let lasts = seconds.is_some_and(|seconds| seconds >= LASTING_SECONDS);
    let remedy = REMEDIES.iter().find(|(name, _)| *name == reason).map(|(_, remedy)| *remedy)?;
    Some(match remedy {
        Remedy::Lasting(_, what) if lasts => Remedy::Person(By::Hand(what)),
        Remedy::Lasting(once, _) => Remedy::Itself(once),
        other => other,
    })
}

pub(super) const REMEDIES: &[(&str, Remedy)] = &[
    ("Unheard", Remedy::Itself("{} answers, or its node is proven to be off")),
    ("Failing", Remedy::Itself("{} is well; if it stays so it is stopped, and then its pod replaced")),
    (
        "NotRunning",
        Remedy::Lasting(
            "{} has a running container",
            "remove what keeps the container of {} from running, as the hold says: an image, a quota, a webhook, a volume or a node",
        ),
    ),
    (
        "Unread",
        Remedy::Lasting(
            "the position of {} is read",
            "correct what the hold says of {}: the command commands.sequence, or the policy that reads its output",
        ),
    ),
    ("LostData", Remedy::Person(By::Key)),
    ("PositionWentBack", Remedy::Person(By::Key)),
    ("StartOpen", Remedy::Itself("what was started on {} is proven to be over")),
    ("LockBusy", Remedy::Person(By::Hand("end the process that uses the volume of {}"))),
    ("Diverged", Remedy::Person(By::Key)),
    ("BelowBase", Remedy::Person(By::Key)),
    ("BaseOfOtherKind", Remedy::Person(By::Key)),
    ("NoneOfEpoch", Remedy::Person(By::Key)),
    ("SeedsExhausted", Remedy::Person(By::Key)),
    ("JoinerAhead", Remedy::Person(By::Key)),
    ("AwaitsApproval", Remedy::Person(By::Key)),
    ("PlannedOnly", Remedy::Person(By::Mode)),
    ("Errant", Remedy::Person(By::Key)),
    ("NoPromotion", Remedy::Person(By::Key)),
    ("TwoGroups", Remedy::Person(By::Hand("stop one of the two groups: {}"))),
    ("RestoreSize", Remedy::Person(By::Scale)),
    ("Immutable", Remedy::Person(By::Edit)),
    (
        "PolicyUnavailable",
        Remedy::Lasting(
            "the policy can be asked",
            "correct spec.policy, or the registry that the hold names",
        ),
    ),
    ("NoSeedVerdict", Remedy::Itself("the policy names a seed")),
    ("SeedRefused", Remedy::Person(By::Key)),
    ("OrderRefused", Remedy::Person(By::Hand("mend the policy"))),
    ("LeaderRefused", Remedy::Person(By::Hand("mend the policy, which names whom {} cannot follow"))),
    ("Overdue", Remedy::Itself("the start of {} ends, or it is seen to run")),
    (
        "RecordUnreadable",
        Remedy::Person(By::Hand(
            "put back the annotation clusterlabs.org/record of the claims of {}; where nobody has the old text, \
             docs/holds-and-keys.md says what to do",
        )),
    ),
    (
        "OtherWorkload",
        Remedy::Person(By::Hand(
            "make the set on its other workload again, or, if nobody needs it, delete all that this left: {}",
        )),
    ),
    (
        "ClaimTerminating",
        Remedy::Person(By::Hand(
            "make sure that other members serve and hold all of its data, then delete the pod of {}: its member begins again with a new claim",
        )),
    ),
    ("TemplateRefused", Remedy::Person(By::Edit)),
    ("NotOurs", Remedy::Person(By::Hand("ask installation {}, which looks after this set"))),
    ("Paused", Remedy::Person(By::Resume)),
    ("UnderWay", Remedy::Itself("the command of {} ends")),
    ("NotTurned", Remedy::Itself("{} answers so; past its timeout it is told again")),
    (
        "NotUp",
        Remedy::Lasting(
            "{} runs; if it does not, its pod is replaced",
            "correct what keeps the application of {} from running: its log says what; the operator replaces its pod meanwhile",
        ),
    ),
    ("JoinsBusy", Remedy::Itself("those that are joining are done")),
    ("NoPrimary", Remedy::Itself("a primary runs")),
    ("RepairDelayed", Remedy::Itself("the next repair of {} is due")),
    (
        "DataAlone",
        Remedy::Itself("a primary runs, another is read to hold what {} holds, or that is given up"),
    ),
    ("LastServer", Remedy::Itself("another member serves beside {}")),
    ("NotWell", Remedy::Itself("{} is well")),
    (
        "WorkloadPending",
        Remedy::Lasting(
            "the StatefulSet, or StatefulCluster, is there, and its status up to date",
            "see the events of the StatefulSet, or the holds of the StatefulCluster: they say what keeps it",
        ),
    ),
    (
        "PlacesOpen",
        Remedy::Itself("the StatefulCluster has made pods of other names: its own holds say what keeps it"),
    ),
    ("Unguarded", Remedy::Itself("the pod of {} is replaced: when it stops, or in a rollout")),
    (
        "GuardMissing",
        Remedy::Lasting(
            "the pod of {} has the guard",
            "find the webhook or policy that changes pods when they are made, correct it, and delete the pod",
        ),
    ),
    ("PolicyHolds", Remedy::Itself("the policy lets {} run")),
    ("NoOrderVerdict", Remedy::Itself("the policy gives an order")),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// The reasons that the documentation lists, a table of two or more columns after its second head line.
    fn documented() -> Vec<&'static str> {
        let text = include_str!("../../../docs/holds-and-keys.md");
        let table = text.split("| hold | waits for | keys |").nth(1).unwrap();
        let first = |line: &'static str| line.split('|').nth(1).unwrap_or_default();
        let words = table.lines().flat_map(|line| first(line).split(','));
        words
            .map(|word| word.trim().trim_matches('`'))
            .filter(|word| word.starts_with(char::is_uppercase))
            .collect()
    }

    #[test]
    fn the_holds_that_the_documentation_says_end_with_4_are_those_that_a_person_ends() {
        let text = include_str!("../../../docs/explain.md");
        let row = text.split("| any of ").nth(1).and_then(|rest| rest.split('|').next()).unwrap();
        let mut told: Vec<&str> = row.split(',').map(|word| word.trim().trim_matches('`')).collect();
        let of_person = |(_, remedy): &&(_, Remedy)| matches!(remedy, Remedy::Person(_));
        // Who paused a set knows, and nothing is wrong with it.
        let of_person =
            REMEDIES.iter().filter(of_person).map(|(name, _)| *name).filter(|name| *name != "Paused");
        let mut of_person: Vec<&str> = of_person.collect();
        told.sort_unstable();
        of_person.sort_unstable();
        assert_eq!(told, of_person);
        let alert = include_str!("../../../docs/metrics.md").split("reason=~\"").nth(1).unwrap();
        let mut alerted: Vec<&str> = alert.split('"').next().unwrap().split('|').collect();
        alerted.sort_unstable();
        assert_eq!(alerted, told);
    }

    #[test]
    fn every_hold_of_the_documentation_has_what_ends_it_and_no_other_has() {
        let (mut known, mut documented): (Vec<_>, _) =
            (REMEDIES.iter().map(|(name, _)| *name).collect(), documented());
        known.sort_unstable();
        documented.sort_unstable();
        assert_eq!(known, documented);
        assert_eq!(remedy("Later", None), None);
    }

    #[test]
    fn a_hold_that_lasts_is_ended_by_a_person_and_the_documentation_lists_it() {
        let text = include_str!("../../../docs/explain.md");
        let row =
            text.split("for ten minutes or longer: ").nth(1).and_then(|rest| rest.split('|').next()).unwrap();
        let mut listed: Vec<&str> = row.split(',').map(|word| word.trim().trim_matches('`')).collect();
        let is_lasting = |(_, remedy): &&(_, Remedy)| matches!(remedy, Remedy::Lasting(..));
        let mut lasting: Vec<&str> = REMEDIES.iter().filter(is_lasting).map(|(name, _)| *name).collect();
        listed.sort_unstable();
        lasting.sort_unstable();
        assert_eq!(listed, lasting);
        for (seconds, is_of_person) in
            [(None, false), (Some(LASTING_SECONDS - 1), false), (Some(LASTING_SECONDS), true)]
        {
            let remedy = remedy("Unread", seconds);
            assert_eq!(matches!(remedy, Some(Remedy::Person(_))), is_of_person, "{seconds:?}");
        }
    }
}
