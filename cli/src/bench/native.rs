//! The policy that is part of the operator, asked as the planner asks it.

use std::collections::BTreeMap;
use std::fmt;
use std::hint::black_box;
use std::time::Instant;

use largest_integer::LargestInteger;
use planner::decision::{Candidate, Decisions, SequenceOutput};
use planner::names::ReplicaName;
use planner::position::Position;
use serde::Serialize;

use super::{ALL, ASKED, median};

/// Microseconds that a question takes, by interface: the median.
#[derive(Debug, Serialize)]
pub(crate) struct Native(BTreeMap<&'static str, f64>);

// === impl Native ===

impl Native {
    /// Measured with the questions that components are asked.
    pub(super) fn measured() -> Self {
        let policy = native_policy::Native(LargestInteger::default());
        let candidate = |ordinal: u32| Candidate {
            replica: ReplicaName(format!("rss-db-{ordinal}")),
            ordinal,
            created_at: None,
            position: Some(Position::Ordinal(4200 + u64::from(ordinal))),
            facts: Vec::new(),
        };
        let members: Vec<_> = (0..3).map(candidate).collect();
        let first = members[0].replica.clone();
        let output =
            SequenceOutput { replica: &first, code: 0, stdout: "4200\n", stderr: "", truncated: false };
        let calls: [&dyn Fn(); 4] = [
            &|| drop(black_box(policy.sequence(&output))),
            &|| drop(black_box(policy.seed(&members))),
            &|| drop(black_box(policy.primaries(&members))),
            &|| drop(black_box(policy.replicas(&members[1], std::slice::from_ref(&first)))),
        ];
        Self(ALL.iter().zip(calls).map(|(interface, call)| (interface.name(), took(call))).collect())
    }
}

fn took(call: &dyn Fn()) -> f64 {
    let once = |_| {
        let begun = Instant::now();
        call();
        begun.elapsed()
    };
    median((0..ASKED).map(once).collect()) * 1e6
}

impl fmt::Display for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "without a component, largest-integer as it is part of the operator")?;
        self.0.iter().try_for_each(|(interface, us)| write!(f, "\n  {interface:<10} {us:>8.1} us"))
    }
}
