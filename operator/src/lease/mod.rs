//! Which of several operators acts: leader election on a Lease. Leadership is a hint that keeps two
//! from working against each other; safety rests on resource versions, UIDs, guard and lock.

mod name;
mod term;

pub use name::LeaseRef;
pub use term::Leads;

use crate::reconcile::chain;
use crate::telemetry::{Leader, Metrics, Readiness};
use crate::writes::is_forbidden;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::jiff::Timestamp;
use kube::Client;
use kube::api::{Api, PostParams};
use std::time::{Duration, SystemTime};
use term::{Next, Sighting, Term, released};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;
use tokio::time::Instant;

/// How often the lease is renewed or tried for: five times before a leader has to stop.
const RETRY: Duration = Duration::from_secs(2);

/// How long one try may take; half the time that a leader has.
const TRY: Duration = Duration::from_secs(5);

/// Why a try failed.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error("failed to read the lease")]
    Read(#[source] kube::Error),
    #[error("failed to write the lease")]
    Write(#[source] kube::Error),
    #[error("no answer about the lease in time")]
    Late,
}

/// Whose the lease is after a try.
enum Held {
    Ours,
    Theirs,
    /// Somebody wrote it at the same moment: the next look tells.
    Unclear,
}

/// A candidacy, and the leadership that may come of it.
pub struct Election {
    leads: watch::Receiver<Leads>,
    resign: oneshot::Sender<()>,
    resigned: Resigned,
}

/// The end of a candidacy. The lease is still held: it may be given back when nothing acts any more.
pub struct Resigned {
    release: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

/// The task that tries.
struct Candidate {
    api: Api<Lease>,
    lease: LeaseRef,
    identity: String,
    metrics: Metrics,
    ready: Readiness,
    sighting: Sighting,
    /// What our last try wrote: still there, unless somebody else has written since.
    written: Option<Lease>,
    term: Term,
    leads: watch::Sender<Leads>,
}

// === impl Election ===

impl Election {
    /// Stands for the lease until it resigns, and says whether it is known who leads. The client must not retry by itself.
    #[must_use]
    pub fn begin(
        writes: Client,
        lease: LeaseRef,
        identity: String,
        metrics: Metrics,
        ready: Readiness,
    ) -> Self {
        let (sender, leads) = watch::channel(Leads::default());
        let (resign, resigned) = oneshot::channel();
        let (release, released) = oneshot::channel();
        let candidate = Candidate {
            api: Api::namespaced(writes, &lease.namespace),
            lease,
            identity,
            metrics,
            ready,
            sighting: Sighting::new(Instant::now()),
            written: None,
            term: Term::default(),
            leads: sender,
        };
        let task = tokio::spawn(candidate.run(resigned, released));
        Self { leads, resign, resigned: Resigned { release, task } }
    }

    /// Whether this process leads, as it changes.
    #[must_use]
    pub fn leads(&self) -> watch::Receiver<Leads> {
        self.leads.clone()
    }

    /// Leads no more, and does not stand again: what is told by [`Self::leads`] ends there.
    pub async fn resign(mut self) -> Resigned {
        // Fails only if the task is over already.
        let _ = self.resign.send(());
        let _ = self.leads.wait_for(|leads| !leads.now()).await;
        self.resigned
    }
}

impl Resigned {
    /// Gives the lease back, so that the next one need not wait for it to run out.
    pub async fn release(self) {
        let _ = self.release.send(());
        let _ = self.task.await;
    }
}

/// Who this process is among the candidates: its pod (or host), and when it began, because a
/// container that is restarted in the same pod is another process.
#[must_use]
pub fn identity(host: &str) -> String {
    let began = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{host}_{:x}", began.as_nanos())
}

// === impl Candidate ===

impl Candidate {
    async fn run(mut self, mut resign: oneshot::Receiver<()>, release: oneshot::Receiver<()>) {
        loop {
            self.round().await;
            let pause = RETRY.min(self.term.left(Instant::now()).unwrap_or(RETRY));
            tokio::select! {
                _ = &mut resign => break,
                () = tokio::time::sleep(pause) => {}
            }
        }
        let led = self.leads.borrow().now();
        self.tell(Leads::default());
        let Self { leads, api, lease, identity, .. } = self;
        drop(leads);
        let _ = release.await;
        if led && let Err(error) = give_back(&api, &lease, &identity).await {
            tracing::warn!(%lease, error = chain(&error), "not given back");
        }
    }

    /// One try. A leader's time is counted from before the request that renewed it: others may
    /// have seen the renewal that early.
    async fn round(&mut self) {
        let began = Instant::now();
        // A term that is over is told to be so before an answer is waited for.
        self.tell(self.term.leads(began));
        let patience = TRY.min(self.term.left(began).unwrap_or(TRY));
        let held = tokio::time::timeout(patience, self.try_to_hold()).await.unwrap_or(Err(Error::Late));
        self.ready.leader(known(&held));
        match held {
            Ok(Held::Ours) => self.term.renew(began),
            Ok(Held::Theirs) => self.term.end(),
            Ok(Held::Unclear) => {}
            Err(error) => {
                tracing::warn!(lease = %self.lease, error = chain(&error), "not renewed");
            }
        }
        self.tell(self.term.leads(Instant::now()));
    }

    /// Who wrote the lease last renews it at that version; if it is another one by now, it is read and tried for as by
    /// everybody else.
    async fn try_to_hold(&mut self) -> Result<Held, Error> {
        if let Some(written) = self.written.take()
            && let Held::Ours = self.write(Some(written)).await?
        {
            return Ok(Held::Ours);
        }
        let lease = self.api.get_opt(&self.lease.name).await.map_err(Error::Read)?;
        self.write(lease).await
    }

    /// Takes the lease, or renews it, if that may be done by what it says.
    async fn write(&mut self, lease: Option<Lease>) -> Result<Held, Error> {
        let write = PostParams::default();
        let written = match self.sighting.next(lease, &self.identity, Instant::now(), Timestamp::now()) {
            Next::Wait => return Ok(Held::Theirs),
            Next::Create(mut lease) => {
                lease.metadata.name = Some(self.lease.name.clone());
                self.api.create(&write, &lease).await
            }
            Next::Write(lease) => self.api.replace(&self.lease.name, &write, &lease).await,
        };
        match written {
            Ok(written) => {
                self.written = Some(written);
                Ok(Held::Ours)
            }
            Err(kube::Error::Api(status)) if status.code == 409 => Ok(Held::Unclear),
            Err(error) => Err(Error::Write(error)),
        }
    }

    fn tell(&self, leads: Leads) {
        let is_told = leads.is_told();
        self.metrics.leading(&self.lease.name, is_told);
        if self.leads.send_replace(leads).is_told() != is_told {
            let change = if is_told { "leads" } else { "leads no longer" };
            tracing::info!(lease = %self.lease, identity = self.identity, "{change}");
        }
    }
}

/// What a try tells of who leads.
fn known(held: &Result<Held, Error>) -> Leader {
    match held {
        Ok(_) => Leader::Known,
        Err(Error::Read(error) | Error::Write(error)) if is_forbidden(error) => Leader::Forbidden,
        Err(_) => Leader::Unknown,
    }
}

async fn give_back(api: &Api<Lease>, lease: &LeaseRef, identity: &str) -> Result<(), Error> {
    let work = async {
        let held = api.get_opt(&lease.name).await.map_err(Error::Read)?;
        let Some(free) = held.and_then(|held| released(held, identity)) else { return Ok(()) };
        api.replace(&lease.name, &PostParams::default(), &free).await.map(drop).map_err(Error::Write)
    };
    tokio::time::timeout(TRY, work).await.unwrap_or(Err(Error::Late))
}

#[cfg(test)]
mod tests;
