//! Operators with one fault each, as their cluster sees them, which stories have to find.

use api_server::{Answer, Effect, Request, Verb};
use hyper::StatusCode;
use operator::exec::Outcome;
use planner::observation::Output;

use crate::api_server::State;

/// What is wrong with an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It writes records and status a moment after it went on, unless it dies before.
    PromisesLate,
    /// It acts whoever holds the lease.
    AlwaysLeads,
    /// Whatever is told of a command whose answer is lost, it takes for its end.
    TakesAnyFateForTheEnd,
    /// Who does not answer is stopped.
    TakesSilenceForStopped,
    /// Whatever data is read holds as much as any other.
    TakesAllDataForTheSame,
}

/// What such an operator reads.
const THE_SAME: &str = "1000000\n";

impl Fault {
    /// Whether it goes on before this is written.
    pub(crate) fn goes_on_before(self, write: &Request) -> bool {
        self == Self::PromisesLate && (is_record(write) || is_status(write))
    }
}

/// What an operator with this fault takes for what `sequence` printed: nothing is nothing, too.
pub(crate) fn misread(planted: Option<Fault>, outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Ended(output)
            if planted == Some(Fault::TakesAllDataForTheSame) && !output.stdout.is_empty() =>
        {
            Outcome::Ended(Output { stdout: THE_SAME.to_owned(), ..output })
        }
        outcome => outcome,
    }
}

impl State {
    /// A write of the version that the object has by now.
    pub(crate) fn write_over(&mut self, mut write: Request) -> Answer {
        if let Some(object) = self.store.get(&write.place.path) {
            write.sent["metadata"]["resourceVersion"] = object["metadata"]["resourceVersion"].clone();
        }
        self.write(&write)
    }

    /// Answers a write as if it were done.
    pub(crate) fn feign(&mut self, write: &Request) -> Answer {
        match self.store.decide(write) {
            Ok(Effect::Put { code, object, .. }) => (code, object.into()),
            Ok(Effect::Remove { told, .. }) => (StatusCode::OK, told.into()),
            Err(answer) => answer,
        }
    }
}

fn is_record(write: &Request) -> bool {
    write.place.plural == "persistentvolumeclaims" && write.verb == Verb::Merge
}

fn is_status(write: &Request) -> bool {
    write.place.plural == "replicatedstatefulsets" && write.place.subresource.as_deref() == Some("status")
}
