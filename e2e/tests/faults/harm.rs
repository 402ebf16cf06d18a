//! What a fault does to the local cluster, and how it is healed.

use std::any::Any;
use std::error::Error;

use anyhow::{Context, Result, ensure};
use e2e::dark::{DarkApi, DarkNode, node_of};
use e2e::power::Doomed;
use e2e::{Installation, Set, is_running, wait};
use k8s_openapi::api::core::v1::Pod;
use kube::ResourceExt;
use rustix::io::Errno;
use tokio::time::sleep;
use xtask::cluster::{CutOff, PodProcess};

use super::chance::Fault;
use super::databases;

const DATABASE: &str = "mariadbd";

/// A database that stands still until this is dropped.
struct Frozen(PodProcess);

impl Drop for Frozen {
    fn drop(&mut self) {
        // One that cannot go on has ended.
        self.0.go_on().ok();
    }
}

/// What is harmed, until it is dropped.
pub(crate) type Harm = Box<dyn Any + Send>;

/// Does what a fault says. What is not there cannot be harmed: none.
pub(crate) async fn apply(set: &Set<'_>, operator: &Installation, fault: &Fault) -> Result<Option<Harm>> {
    Ok(match fault {
        Fault::Kill { members, forced } => {
            let harmed = kill(set, members, *forced).await?;
            ensure!(harmed > 0, "nobody was there to be killed");
            None
        }
        Fault::Freeze(member) => {
            let database = database(&set.member(*member).pod().await?)?;
            database.stop()?;
            Some(Box::new(Frozen(database)))
        }
        Fault::CutOff(member) => Some(Box::new(cut_off(set, *member).await?)),
        Fault::DarkNode(member) => {
            let node = node_of(&set.member(*member)).await?;
            Some(Box::new(DarkNode::cut(&node).await?))
        }
        Fault::BreakNote(member) => {
            set.member(*member).sh("echo broken >/var/lib/mysql/data/grastate.dat").await?;
            None
        }
        Fault::Empty(member) => {
            set.member(*member).sh("pkill -KILL -x mariadbd; rm -rf /var/lib/mysql/data/*").await?;
            None
        }
        Fault::KillOperators => {
            let pods = operator.pods().await?;
            Doomed::nobody().and(&pods, "rss-operator")?.kill()?;
            operator.kill().await?;
            None
        }
        Fault::CutOffOperator => {
            let leader = set.space().pod(&operator.leader().await?).uid().await?;
            Some(Box::new(CutOff::from_api(&leader)?))
        }
        Fault::DarkApi(length) => {
            let dark = DarkApi::stop().await?;
            sleep(*length).await;
            tokio::task::spawn_blocking(move || drop(dark)).await?;
            wait::asked("the API server answers", async || Ok(set.pods().await.is_ok())).await?;
            None
        }
    })
}

/// Whether what a fault is about is there: that it was not harmed is an error then.
pub(crate) async fn is_there(set: &Set<'_>, operator: &Installation, fault: &Fault) -> bool {
    match fault {
        Fault::Freeze(member) | Fault::DarkNode(member) | Fault::BreakNote(member) | Fault::Empty(member) => {
            runs(set, *member).await
        }
        Fault::CutOff(alone) => {
            let mut all = Vec::new();
            for member in 0..3 {
                all.push(runs(set, member).await);
            }
            all[*alone as usize] && all.iter().filter(|runs| **runs).count() > 1
        }
        Fault::Kill { members, .. } => {
            let mut any = false;
            for member in members {
                any |= runs(set, *member).await;
            }
            any
        }
        Fault::KillOperators | Fault::CutOffOperator => operator.leader().await.is_ok(),
        Fault::DarkApi(_) => true,
    }
}

/// Its database does, whether it stands still or not.
async fn runs(set: &Set<'_>, member: u32) -> bool {
    set.member(member).pod().await.is_ok_and(|pod| database(&pod).is_ok())
}

/// That of a pod, unless it is dead: such a one has its name until its container takes note.
fn database(pod: &Pod) -> Result<PodProcess> {
    let name = pod.name_any();
    ensure!(databases::all().iter().any(|one| one.name == name), "no database of {name} lives");
    PodProcess::find(&pod.uid().context("the pod has no UID")?, DATABASE)
}

/// All that run, one right after the other; of their pods also those without a database go. How many died or went: of what
/// ended by itself meanwhile nothing was harmed.
async fn kill(set: &Set<'_>, members: &[u32], forced: bool) -> Result<usize> {
    let names: Vec<_> = members.iter().map(|member| set.member(*member).name).collect();
    let mut pods = set.pods().await?;
    pods.retain(|pod| names.contains(&pod.name_any()));
    let databases: Vec<PodProcess> = pods.iter().filter_map(|pod| database(pod).ok()).collect();
    let mut harmed = 0;
    for database in databases {
        harmed += usize::from(there(database.kill(), |error: &Errno| *error == Errno::SRCH)?);
    }
    if forced {
        let is_gone = |error: &kube::Error| matches!(error, kube::Error::Api(said) if said.code == 404);
        for pod in &pods {
            harmed += usize::from(there(set.space().pod(&pod.name_any()).delete_forced().await, is_gone)?);
        }
    }
    Ok(harmed)
}

/// Whether what was done found somebody: that nobody was there is no error.
fn there<E: Error + Send + Sync + 'static>(done: Result<()>, is_gone: impl Fn(&E) -> bool) -> Result<bool> {
    match done {
        Err(error) if error.downcast_ref().is_some_and(is_gone) => Ok(false),
        done => done.map(|()| true),
    }
}

async fn cut_off(set: &Set<'_>, alone: u32) -> Result<CutOff> {
    let mut others = Vec::new();
    for pod in set.pods().await?.iter().filter(|pod| is_running(pod)) {
        if pod.name_any() != set.member(alone).name {
            others.extend(set.space().pod(&pod.name_any()).address().await.ok());
        }
    }
    CutOff::from(&set.member(alone).uid().await?, &others).context("nobody is there to be cut off from")
}

/// Heals in the order of what was harmed; nodes take a while.
pub(crate) async fn heal(harms: Vec<Harm>) -> Result<()> {
    for harm in harms {
        tokio::task::spawn_blocking(move || drop(harm)).await?;
    }
    Ok(())
}
