//! Databases that began a cluster, by the processes of this machine: two that live at once are two components.

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{JoinHandle, sleep, spawn};
use std::time::Duration;

use anyhow::{Result, anyhow, ensure};

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(100);

/// Looks at all processes again and again, until it is asked.
pub(crate) struct Watch {
    end: Arc<AtomicBool>,
    watcher: JoinHandle<Vec<String>>,
}

// === impl Watch ===

impl Watch {
    pub(crate) fn begin() -> Self {
        let end = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&end);
        let watcher = spawn(move || {
            let mut found = Vec::new();
            loop {
                let is_last = seen.load(Ordering::Relaxed);
                let seeds = seeds();
                if seeds.len() > 1 {
                    found.push(seeds.into_iter().collect::<Vec<_>>().join(" beside "));
                }
                if is_last {
                    return found;
                }
                sleep(PAUSE);
            }
        });
        Self { end, watcher }
    }

    /// There never were two.
    pub(crate) fn end(self) -> Result<()> {
        self.end.store(true, Ordering::Relaxed);
        let found = self.watcher.join().map_err(|_| anyhow!("the watch of seeds panicked"))?;
        ensure!(found.is_empty(), "two databases that began a cluster were alive at once: {}", found[0]);
        Ok(())
    }
}

/// Every database that runs and was told to begin a cluster. A dead one has no command line.
fn seeds() -> BTreeSet<String> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let seeds = processes.filter_map(|process| {
        let says = |file: &str| fs::read_to_string(process.path().join(file)).ok();
        let words = says("cmdline").filter(|_| says("comm").is_some_and(|name| name.trim() == "mariadbd"))?;
        let name = words.split('\0').find(|word| word.starts_with("--wsrep_node_name="))?;
        let began = words.split('\0').any(|word| word == "--wsrep-new-cluster");
        began.then(|| format!("{name} ({})", process.file_name().to_string_lossy()))
    });
    seeds.collect()
}

/// A script by the database's name, which only waits.
#[tokio::test]
async fn two_that_began_a_cluster_are_seen() -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    // Of these there is one more than there may be, for any other that looks.
    let _alone = crate::alone().await;
    let folder = std::env::temp_dir().join(format!("faults-seeds-{}", std::process::id()));
    let script = folder.join("mariadbd");
    fs::create_dir_all(&folder)?;
    fs::write(&script, "#!/bin/sh\nread -r _\n")?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755))?;
    let begin = |name: &str| {
        let mut command = Command::new(&script);
        command.args(["--wsrep-new-cluster", &format!("--wsrep_node_name={name}")]);
        command.stdin(std::process::Stdio::piped()).spawn()
    };
    let all = [begin("one")?, begin("two")?];
    let seen = || seeds().len() == 2;
    e2e::wait::asked("both run", async || Ok(seen())).await?;
    let watch = Watch::begin();
    let found = watch.end();
    for mut one in all {
        one.kill()?;
        one.wait()?;
    }
    fs::remove_dir_all(&folder)?;
    ensure!(found.is_err_and(|error| error.to_string().contains("one")), "both were alive");
    Ok(())
}
