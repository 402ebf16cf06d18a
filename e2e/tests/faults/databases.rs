//! The databases of the Galera example that run, by the processes of this machine and what those were started with.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};
use std::fs;
use std::path::Path;

/// A process of these only reads or makes data, for a script that waits for it.
const NO_SERVERS: [&str; 2] = ["--wsrep-recover", "--bootstrap"];

/// A database that runs, whether it serves, stands still or is cut off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Database {
    /// What this machine calls its process.
    pub(crate) id: i32,
    /// When that was made, in ticks of the machine's clock.
    pub(crate) since: u64,
    /// Its member.
    pub(crate) name: String,
    /// It was told to begin a cluster.
    pub(crate) begins: bool,
    /// How far its data reached when it was started, as the script that started it had it from the data.
    pub(crate) from: Option<u64>,
}

/// All of them. A dead one has no command line.
pub(crate) fn all() -> Vec<Database> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let found: Vec<(i32, Database)> = processes.filter_map(|process| read(&process.path())).collect();
    let ids: BTreeSet<i32> = found.iter().map(|(_, database)| database.id).collect();
    // What one forks looks like itself, before it becomes another program.
    let eldest = found.into_iter().filter(|(parent, _)| !ids.contains(parent));
    eldest.map(|(_, database)| database).collect()
}

/// One, and who made its process.
fn read(process: &Path) -> Option<(i32, Database)> {
    let id = process.file_name()?.to_str()?.parse().ok()?;
    let said = fs::read_to_string(process.join("stat")).ok()?;
    let (name, said) = said.rsplit_once(')')?;
    let said: Vec<&str> = said.split_whitespace().collect();
    // Of the fields that proc(5) counts, these are from the third on: the parent is the 4th, the beginning the 22nd.
    let (parent, since) = (said.get(1)?.parse().ok()?, said.get(19)?.parse().ok()?);
    let line = name.ends_with("(mariadbd").then(|| fs::read_to_string(process.join("cmdline")).ok())??;
    Some((parent, of(id, since, &line)?))
}

/// By its command line.
fn of(id: i32, since: u64, line: &str) -> Option<Database> {
    let words: Vec<&str> = line.split_terminator('\0').collect();
    let value = |key: &str| words.iter().find_map(|word| word.strip_prefix(key)?.strip_prefix('='));
    let serves = !words.is_empty() && !words.iter().any(|word| NO_SERVERS.contains(word));
    serves.then(|| Database {
        id,
        since,
        name: value("--wsrep_node_name").unwrap_or("a database without a name").to_owned(),
        begins: words.contains(&"--wsrep-new-cluster"),
        from: value("--wsrep_start_position").and_then(|position| position.rsplit_once(':')?.1.parse().ok()),
    })
}

// === impl Database ===

impl Display for Database {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.id)
    }
}
