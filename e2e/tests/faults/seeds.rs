//! Databases that began a cluster, by the processes of this machine: one that lives beside an elder one makes two components.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Result, anyhow, ensure};

use super::databases::{self, Database};
use super::readings::Starts;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(100);

/// What was seen until now.
#[derive(Default)]
struct Seen {
    known: BTreeSet<(u64, i32)>,
    starts: Starts,
    beside: Option<String>,
}

/// Looks at all processes again and again, until it is asked.
pub(crate) struct Watch {
    end: Arc<AtomicBool>,
    watcher: JoinHandle<Seen>,
}

// === impl Watch ===

impl Watch {
    pub(crate) fn begin() -> Self {
        let mut seen = Seen::default();
        // Those that run already were started by nothing that is watched.
        seen.known.extend(databases::all().iter().map(identity));
        let end = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&end);
        let watcher = spawn(move || {
            loop {
                let is_last = asked.load(Ordering::Relaxed);
                seen.look(&databases::all());
                if is_last {
                    return seen;
                }
                sleep(PAUSE);
            }
        });
        Self { end, watcher }
    }

    /// No database began a cluster beside another: every start that was seen.
    pub(crate) fn end(self) -> Result<Starts> {
        self.end.store(true, Ordering::Relaxed);
        let seen = self.watcher.join().map_err(|_| anyhow!("the watch of seeds panicked"))?;
        let beside = seen.beside.unwrap_or_default();
        ensure!(beside.is_empty(), "a database began a cluster while another lived: {beside}");
        Ok(seen.starts)
    }
}

// === impl Seen ===

impl Seen {
    fn look(&mut self, all: &[Database]) {
        self.beside = self.beside.take().or_else(|| beside(all));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let now = u64::try_from(now.as_millis()).unwrap_or_default();
        for one in all {
            if self.known.insert(identity(one)) {
                self.starts.add(&one.name, one.from, one.begins, now);
            }
        }
    }
}

/// An id becomes another process's in time. In the order of their age, but for ids that began anew within a tick.
fn identity(database: &Database) -> (u64, i32) {
    (database.since, database.id)
}

/// One that began a cluster, and one that lived then and lives yet. There is no case in which that is right: who stands
/// still holds its volume's lock and is not heard, who is cut off says that it failed, and beside neither does anybody seed;
/// of who died, on whatever node, no process is left. Who joins is younger.
fn beside(all: &[Database]) -> Option<String> {
    all.iter().filter(|seed| seed.begins).find_map(|seed| {
        let elder = all.iter().find(|other| identity(other) < identity(seed));
        elder.map(|elder| format!("{seed} beside {elder}"))
    })
}

/// A script by the database's name, which only waits, started with these words.
#[cfg(test)]
async fn watched(starts: [&[&str]; 2]) -> Result<Result<Starts>> {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::process::{Command, Stdio};

    // Of these there is one more than there may be, for any other that looks.
    let _alone = crate::alone().await;
    let folder = std::env::temp_dir().join(format!("faults-seeds-{}", std::process::id()));
    let script = folder.join("mariadbd");
    fs::create_dir_all(&folder)?;
    fs::write(&script, "#!/bin/sh\nread -r _\n")?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    let watch = Watch::begin();
    let mut all = Vec::new();
    for words in starts {
        let one = Command::new(&script).args(words).stdin(Stdio::piped()).spawn()?;
        let id = i32::try_from(one.id())?;
        all.push(one);
        e2e::wait::asked("it runs", async || Ok(databases::all().iter().any(|found| found.id == id))).await?;
    }
    let found = watch.end();
    for mut one in all {
        one.kill()?;
        one.wait()?;
    }
    fs::remove_dir_all(&folder)?;
    Ok(found)
}

#[tokio::test]
async fn two_that_began_a_cluster_are_seen() -> Result<()> {
    let begin = |name| ["--wsrep-new-cluster", name];
    let found = watched([&begin("--wsrep_node_name=one"), &begin("--wsrep_node_name=two")]).await?;
    ensure!(found.is_err_and(|error| error.to_string().contains("one")), "both were alive");
    Ok(())
}

#[tokio::test]
async fn one_that_began_a_cluster_beside_one_that_joined_before_is_seen_and_no_other_way_round() -> Result<()>
{
    let joined = ["--wsrep_node_name=one", "--wsrep_start_position=4f1c:17"];
    let began = ["--wsrep_node_name=two", "--wsrep-new-cluster"];
    let found = watched([&joined, &began]).await?;
    ensure!(found.is_err_and(|error| error.to_string().contains("two")), "who joined was alive");
    let starts = watched([&began, &joined]).await??;
    ensure!(format!("{starts:?}").contains("17"), "what it held is known: {starts:?}");
    Ok(())
}
