//! The guard around every command but `status`: a command begins at most once, and only in the
//! pod that it was meant for, whatever a client, a proxy or a late network does with the request.

mod fate;
#[cfg(test)]
mod tests;

pub use fate::{Trace, fate_argv};

use planner::names::{AttemptId, PodUid};
use planner::observation::Refusal;

/// Where a pod mounts the folder (an emptyDir on disk) in which each beginning is marked.
pub const FOLDER: &str = "/run/rss";

/// The environment variable by which a container knows its own pod (downward API).
pub const POD_UID_ENV: &str = "RSS_POD_UID";

/// Which container this is, by the machine's boot and when the first process began in it, in clock ticks: another one of the
/// same pod began later. Nothing where /proc does not tell, and the same for all of a pod that shares its processes: what
/// began is taken then for something that may run in the container that is asked.
macro_rules! where_am_i {
    () => {
        r#"w() { read -r b </proc/sys/kernel/random/boot_id; read -r s </proc/1/stat; set -- ${s##*) }
[ -n "$b" ] && [ -n "${20}" ] && echo "$b ${20}"; } 2>/dev/null
"#
    };
}
use where_am_i;

/// Runs a command at most once. The folder of the attempt is made before anything else can happen,
/// and making a folder succeeds only once. The volume lock is on descriptor 9, which the command
/// inherits: it is free again only when all that the command started has ended. Only a start takes it
/// for itself; the others share it, so that who is told that it is busy knows that a start, or what it
/// started, holds it. A start notes in which container it begins. With 65 `flock` of util-linux says that the volume takes no
/// such lock, as NFS does for a folder; any other failure may be a lock that somebody holds.
const SCRIPT: &str = concat!(
    where_am_i!(),
    r#"[ "$RSS_POD_UID" = "$1" ] || exit 120; d=/run/rss/$2 m=$3 k=$5; export RSS_ATTEMPT="$2" RSS_EPOCH="$4"; shift 5
[ "$k" = start ] && x=-x || x=-s
[ -w /run/rss ] || exit 121; mkdir "$d" 2>/dev/null || { [ -d "$d" ] && exit 122; exit 121; }; r=124
[ "$k" = start ] && w >"$d/at"
[ -z "$m" ] || { [ -r "$m" ] && command -v flock >/dev/null; } || exit 124
{ [ -z "$m" ] || flock -n $x 9; case $? in 0) ;; 65) exit 124;; *) exit 123;; esac
  if [ "$k" = start ]; then "$@" >"$d/log" 2>&1 </dev/null; r=$?; else "$@"; r=$?; case $r in 12[0-4]) r=119;; esac; fi
  echo $r >"$d/rc"; } 9<"${m:-/dev/null}"
[ "$k" = start ] && [ -f "$d/log" ] && tail -c 4096 "$d/log" >&2; exit $r"#
);

/// A command and all that the guard checks for it.
#[derive(Clone, Copy, Debug)]
pub struct Guarded<'a> {
    /// The only pod that it may begin in.
    pub pod: &'a PodUid,
    /// The name under which it begins at most once.
    pub attempt: &'a AttemptId,
    /// The mount whose lock it takes first.
    pub lock: Option<&'a str>,
    /// What it is told as RSS_EPOCH.
    pub epoch: u64,
    /// Whether it may leave a process behind: then its output goes to a file, so that a daemon
    /// that keeps it cannot hold the stream open.
    pub start: bool,
    /// Program and arguments.
    pub argv: &'a [String],
}

impl Guarded<'_> {
    /// The command line under the guard. The attempt is not among the command's own arguments:
    /// scripts read those as the names of peers.
    #[must_use]
    pub fn argv(&self) -> Vec<String> {
        let epoch = self.epoch.to_string();
        let kind = if self.start { "start" } else { "run" };
        let own =
            [&self.pod.0, &self.attempt.0, self.lock.unwrap_or_default(), &epoch, kind].map(str::to_owned);
        shell(SCRIPT).into_iter().chain(own).chain(self.argv.iter().cloned()).collect()
    }
}

/// Does nothing: asks whether a shell can be run in the container at all.
#[must_use]
pub fn shell_probe_argv() -> Vec<String> {
    ["sh", "-c", ":"].map(str::to_owned).to_vec()
}

/// What an exit code means if it is the guard's. Of a start it is that only where the command
/// left no trace of its own ([`Trace`]).
#[must_use]
pub fn refusal(code: i32) -> Option<Refusal> {
    match code {
        120 => Some(Refusal::OtherPod),
        121 => Some(Refusal::NoFolder),
        122 => Some(Refusal::BeganBefore),
        123 => Some(Refusal::LockBusy),
        124 => Some(Refusal::NoLock),
        _ => None,
    }
}

/// A script under the name that all of the operator's scripts have in a process list.
fn shell(script: &str) -> Vec<String> {
    ["sh", "-c", script, "rss"].map(str::to_owned).to_vec()
}
