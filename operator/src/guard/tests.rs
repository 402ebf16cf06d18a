//! The scripts are run for real, in `/bin/sh`, with a temporary folder in the place of the pod's.

use super::{FOLDER, Guarded, SCRIPT, Trace, fate_argv, refusal};
use planner::names::{AttemptId, PodUid};
use planner::observation::{AttemptState, Fate, Output, Refusal};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A pod's folder, a volume beside it, and nothing left of either afterwards.
struct Pod {
    root: PathBuf,
}

impl Pod {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let root = std::env::temp_dir().join(format!("rss-guard-{}-{number}", std::process::id()));
        std::fs::create_dir_all(root.join("run")).unwrap();
        std::fs::create_dir_all(root.join("data")).unwrap();
        Self { root }
    }

    fn volume(&self) -> String {
        self.root.join("data").display().to_string()
    }

    fn attempt(&self, name: &str) -> PathBuf {
        self.root.join("run").join(name)
    }

    fn command(&self, argv: Vec<String>) -> Command {
        let run = self.root.join("run").display().to_string();
        let argv: Vec<String> = argv.into_iter().map(|word| word.replace(FOLDER, &run)).collect();
        let mut command = Command::new(&argv[0]);
        command.args(&argv[1..]).env("RSS_POD_UID", "pod-a").stdin(Stdio::null());
        command
    }

    fn guarded(&self, attempt: &str, start: bool, lock: Option<&str>, script: &str) -> Command {
        let argv = ["sh", "-c", script, "command", "peer-0.svc"].map(str::to_owned);
        let (pod, attempt) = (PodUid::from("pod-a"), AttemptId::from(attempt));
        let guarded = Guarded { pod: &pod, attempt: &attempt, lock, epoch: 4, start, argv: &argv };
        self.command(guarded.argv())
    }

    fn run(&self, attempt: &str, script: &str) -> (i32, String, String) {
        said(self.guarded(attempt, false, None, script))
    }

    fn start(&self, attempt: &str, script: &str) -> (i32, String, String) {
        said(self.guarded(attempt, true, None, script))
    }

    fn fate(&self, attempt: &str) -> Option<Trace> {
        let (code, stdout, _) =
            said(self.command(fate_argv(&PodUid::from("pod-a"), &AttemptId::from(attempt))));
        Trace::parse(code, &stdout)
    }
}

impl Drop for Pod {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.root);
    }
}

fn said(mut command: Command) -> (i32, String, String) {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

/// Waits for a file that a script makes, so that no test depends on how long anything takes.
fn appears(path: &Path) {
    let since = Instant::now();
    while !path.exists() {
        assert!(since.elapsed() < Duration::from_secs(20), "{} never appeared", path.display());
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What a script waits with until the test opens the gate; not for ever, should the test fail.
fn waits_at(gate: &Path) -> String {
    format!("n=0; while [ ! -e {} ] && [ $n -lt 2000 ]; do n=$((n+1)); sleep 0.01; done", gate.display())
}

/// A guarded command that runs until its standard input is closed.
fn held_open(mut command: Command) -> Child {
    command.stdin(Stdio::piped()).spawn().unwrap()
}

fn output(code: i32) -> Output {
    Output { code, stdout: String::new(), stderr: String::new(), truncated: false }
}

#[test]
fn the_folder_is_the_one_that_the_scripts_use() {
    assert!(SCRIPT.contains(&format!("d={FOLDER}/$2")));
    assert!(fate_argv(&"a".into(), &"b".into())[2].contains(&format!("d={FOLDER}/$2")));
}

#[test]
fn a_command_sees_its_peers_as_arguments_and_its_attempt_and_epoch_in_the_environment() {
    let pod = Pod::new();
    let (code, stdout, _) = pod.run("a1", r#"echo "$#:$1:$RSS_ATTEMPT:$RSS_EPOCH""#);
    assert_eq!((code, stdout.as_str()), (0, "1:peer-0.svc:a1:4\n"));
}

#[test]
fn a_command_for_another_pod_does_not_begin() {
    let pod = Pod::new();
    let mut command = pod.guarded("a1", true, None, "true");
    command.env("RSS_POD_UID", "pod-b");
    assert_eq!(said(command).0, 120);
    assert!(!pod.attempt("a1").exists());
}

#[test]
fn without_the_folder_nothing_begins() {
    let pod = Pod::new();
    std::fs::remove_dir(pod.root.join("run")).unwrap();
    assert_eq!(pod.run("a1", "echo ran"), (121, String::new(), String::new()));
    assert_eq!(pod.fate("a1"), Some(Trace::NoFolder));
}

#[test]
fn a_replayed_command_does_not_begin_again() {
    let pod = Pod::new();
    assert_eq!(pod.start("a1", "exit 3").0, 3);
    assert_eq!(pod.start("a1", "echo again >&2").0, 122);
    assert_eq!(pod.fate("a1"), Some(Trace::Ended(Some(3))));
}

#[test]
fn a_revoked_command_never_begins() {
    let pod = Pod::new();
    assert_eq!(pod.fate("a1"), Some(Trace::Revoked));
    assert_eq!(pod.start("a1", "true").0, 122);
}

#[test]
fn a_revocation_is_not_taken_for_a_beginning_when_asked_again() {
    let pod = Pod::new();
    pod.fate("a1");
    assert_eq!(pod.fate("a1"), Some(Trace::Revoked));
}

#[test]
fn a_busy_volume_lock_refuses_and_leaves_no_exit_code() {
    let pod = Pod::new();
    let volume = pod.volume();
    let ready = pod.root.join("ready");
    let mut first =
        held_open(pod.guarded("a1", false, Some(&volume), &format!("touch {}; cat", ready.display())));
    appears(&ready);
    assert_eq!(said(pod.guarded("a2", true, Some(&volume), "true")).0, 123);
    assert!(!pod.attempt("a2").join("rc").exists());
    assert_eq!(pod.fate("a2"), Some(Trace::Marked));
    assert_eq!(
        said(pod.guarded("p1", false, Some(&volume), "true")).0,
        0,
        "a reader is not taken for a start"
    );
    drop(first.stdin.take());
    assert!(first.wait().unwrap().success());
    assert_eq!(said(pod.guarded("a3", true, Some(&volume), "true")).0, 0);
}

#[test]
fn a_daemon_inherits_the_volume_lock_and_holds_no_stream_open() {
    let pod = Pod::new();
    let volume = pod.volume();
    let (pid, gate) = (pod.root.join("pid"), pod.root.join("gate"));
    // The daemon keeps standard output and error, and lives until somebody opens the gate.
    let daemon = format!("sh -c 'echo $$ >{}; {}' & exit 0", pid.display(), waits_at(&gate));
    let (code, ..) = said(pod.guarded("a1", true, Some(&volume), &daemon));
    assert_eq!(code, 0, "returned while the daemon still lives");
    appears(&pid);
    assert_eq!(said(pod.guarded("a2", false, Some(&volume), "true")).0, 123, "the daemon holds the lock");
    std::fs::write(&gate, "").unwrap();
    let since = Instant::now();
    let mut probe = 0;
    while said(pod.guarded(&format!("p{probe}"), false, Some(&volume), "true")).0 == 123 {
        probe += 1;
        assert!(since.elapsed() < Duration::from_secs(20), "the lock outlived the daemon");
    }
}

#[test]
fn without_flock_no_lock_can_be_had() {
    let pod = Pod::new();
    let bin = pod.root.join("bin");
    std::fs::create_dir(&bin).unwrap();
    for tool in ["mkdir", "tail", "sh"] {
        std::os::unix::fs::symlink(format!("/bin/{tool}"), bin.join(tool)).unwrap();
    }
    let volume = pod.volume();
    let mut command = pod.guarded("a1", true, Some(&volume), "true");
    command.env("PATH", &bin);
    assert_eq!(said(command).0, 124);
    assert_eq!(pod.fate("a1"), Some(Trace::Marked));
}

#[test]
fn a_volume_that_takes_no_exclusive_lock_is_not_a_busy_one() {
    for (code, refusal) in [(65, 124), (71, 123), (1, 123), (127, 123)] {
        let pod = Pod::new();
        let bin = pod.root.join("bin");
        std::fs::create_dir(&bin).unwrap();
        // Another process writes it: a test beside this one may start a child while the file is open here.
        let program = format!("#!/bin/sh\n[ \"$2\" = -s ] || exit {code}\n");
        let mut write = Command::new("sh");
        write
            .args(["-c", r#"printf %s "$1" >"$2" && chmod 755 "$2""#, "write", &program])
            .arg(bin.join("flock"));
        assert_eq!(said(write).0, 0);
        let volume = pod.volume();
        let said_with = |mut command: Command| {
            command.env("PATH", format!("{}:/usr/bin:/bin", bin.display()));
            said(command).0
        };
        assert_eq!(said_with(pod.guarded("a1", true, Some(&volume), "true")), refusal, "{code}");
        assert_eq!(pod.fate("a1"), Some(Trace::Marked), "nothing of it ran");
        assert_eq!(said_with(pod.guarded("a2", false, Some(&volume), "true")), 0, "a shared lock is taken");
    }
}

#[test]
fn a_mount_that_is_not_there_is_no_lock() {
    let pod = Pod::new();
    assert_eq!(said(pod.guarded("a1", true, Some("/nowhere/at/all"), "true")).0, 124);
}

#[test]
fn the_exit_code_of_a_command_comes_through_and_is_kept() {
    let pod = Pod::new();
    assert_eq!(pod.run("a1", "echo 17; echo why >&2; exit 3"), (3, "17\n".into(), "why\n".into()));
    assert_eq!(pod.start("a2", "exit 4").0, 4);
    assert_eq!(std::fs::read_to_string(pod.attempt("a2").join("rc")).unwrap(), "4\n");
}

#[test]
fn only_the_guard_can_say_122_for_a_command_that_is_no_start() {
    let pod = Pod::new();
    assert_eq!(pod.run("a1", "exit 122").0, 119);
    assert_eq!(pod.run("a2", "exit 125").0, 125);
}

#[test]
fn a_start_may_say_122_itself_and_its_trace_tells() {
    let pod = Pod::new();
    let (code, ..) = pod.start("a1", "exit 122");
    assert_eq!(code, 122);
    assert_eq!(pod.fate("a1").unwrap().settle(output(code)), AttemptState::Ended(output(122)));
}

#[test]
fn the_end_of_a_starts_log_comes_on_standard_error() {
    let pod = Pod::new();
    let (_, stdout, stderr) = pod.start("a1", "head -c 9000 /dev/zero | tr '\\0' x; echo; echo the end");
    assert_eq!(stdout, "");
    assert!(stderr.ends_with("x\nthe end\n"));
    assert_eq!(stderr.len(), 4096);
}

#[test]
fn a_start_that_still_runs_has_begun() {
    let pod = Pod::new();
    let gate = pod.root.join("gate");
    let mut start = pod.guarded("a1", true, None, &format!("{}; exit 5", waits_at(&gate))).spawn().unwrap();
    appears(&pod.attempt("a1").join("log"));
    assert_eq!(pod.fate("a1"), Some(Trace::Began));
    std::fs::write(&gate, "").unwrap();
    start.wait().unwrap();
    assert_eq!(pod.fate("a1"), Some(Trace::Ended(Some(5))));
}

#[test]
fn what_began_in_another_container_of_the_pod_ended_with_it_and_nothing_else_did() {
    let pod = Pod::new();
    for (attempt, ended, began) in [("a1", true, Trace::Ended(Some(4))), ("a2", false, Trace::Began)] {
        pod.start(attempt, "exit 4");
        if !ended {
            std::fs::remove_file(pod.attempt(attempt).join("rc")).unwrap();
        }
        let at = pod.attempt(attempt).join("at");
        let here = std::fs::read_to_string(&at).unwrap();
        let began = Some(began);
        assert_eq!(pod.fate(attempt), began, "in this one");
        let (boot, ticks) = here.trim_end().split_once(' ').unwrap();
        for (sentence, there, fate) in [
            ("of another boot", format!("another {ticks}\n"), Some(Trace::Over)),
            ("of the same boot", format!("{boot} 1{ticks}\n"), Some(Trace::Over)),
            ("not told which", String::new(), began),
        ] {
            std::fs::write(&at, there).unwrap();
            assert_eq!(pod.fate(attempt), fate, "{sentence}");
        }
        std::fs::remove_file(&at).unwrap();
        assert_eq!(pod.fate(attempt), began, "begun under a guard that did not note it");
    }
    assert_eq!(Trace::Over.fate(), Some(Fate::Over));
}

#[test]
fn an_exit_code_that_could_not_be_written_is_an_end_without_a_number() {
    let pod = Pod::new();
    std::fs::create_dir(pod.attempt("a1")).unwrap();
    std::fs::write(pod.attempt("a1").join("rc"), "").unwrap();
    assert_eq!(pod.fate("a1"), Some(Trace::Ended(None)));
}

#[test]
fn the_fate_is_not_asked_of_another_pod() {
    let pod = Pod::new();
    let mut command = pod.command(fate_argv(&"pod-a".into(), &"a1".into()));
    command.env("RSS_POD_UID", "pod-b");
    assert_eq!(said(command).0, 120);
    assert!(!pod.attempt("a1").exists());
}

#[test]
fn the_meaning_of_each_exit_code_with_each_trace() {
    use AttemptState::{Ended, Refused};
    let lost = |state: &AttemptState| matches!(state, AttemptState::Lost(_));
    let settled = |trace: Trace, code: i32| trace.settle(output(code));
    assert_eq!(settled(Trace::Marked, 123), Refused(Refusal::LockBusy));
    assert_eq!(settled(Trace::Marked, 124), Refused(Refusal::NoLock));
    assert_eq!(settled(Trace::Marked, 122), Refused(Refusal::BeganBefore));
    assert_eq!(settled(Trace::Began, 122), Refused(Refusal::BeganBefore));
    assert_eq!(settled(Trace::Began, 123), Ended(output(123)), "its log is there: it ran");
    assert_eq!(settled(Trace::Ended(None), 123), Ended(output(123)), "a full disk");
    assert_eq!(settled(Trace::Ended(Some(0)), 122), Ended(output(0)), "a replay; the first one ended");
    assert_eq!(settled(Trace::OtherPod, 120), Refused(Refusal::OtherPod));
    assert_eq!(settled(Trace::NoFolder, 121), Refused(Refusal::NoFolder));
    assert_eq!(settled(Trace::Revoked, 122), Refused(Refusal::BeganBefore));
    assert!(lost(&settled(Trace::Over, 123)), "nobody knows what it said before its container ended");
    assert!(lost(&settled(Trace::OtherPod, 123)), "the pod was replaced in between");
    assert!(lost(&settled(Trace::Marked, 137)), "the guard itself was killed");
    assert!(lost(&settled(Trace::Began, 137)), "the guard itself was killed, its command may live");
}

#[test]
fn the_planner_is_told_of_a_fate_only_where_the_folder_decides_it() {
    assert_eq!(Trace::Ended(Some(7)).fate(), Some(Fate::Ended(7)));
    assert_eq!(Trace::Ended(None).fate(), Some(Fate::Began));
    assert_eq!(Trace::Marked.fate(), Some(Fate::Began));
    assert_eq!(Trace::OtherPod.fate(), None);
    assert_eq!(Trace::parse(1, "revoked"), None, "an answer of a shell that failed is none");
    assert_eq!((refusal(119), refusal(120), refusal(125)), (None, Some(Refusal::OtherPod), None));
}
