//! When a pod is Ready: its application answers that it runs, and the operator says that the member serves.

use k8s_openapi::api::core::v1::{ExecAction, PodReadinessGate, Probe};
use std::time::Duration;

use crate::target::Target;

/// The condition of a pod that the operator owns. It is True while clients may use the member.
pub const SERVING: &str = "clusterlabs.org/serving";

/// The kubelet runs `status` with it. Exit codes 0 and 8 of `status` mean that the application runs; a probe knows 0 alone.
const SCRIPT: &str = r#""$@"; code=$?; [ "$code" -eq 8 ] && code=0; exit "$code""#;

/// `status` may be slow once or twice: only the third failure in a row makes a pod not Ready.
const FAILURES: i32 = 3;

/// The gate by which the operator takes part in the pod's readiness.
pub(super) fn gates() -> Vec<PodReadinessGate> {
    vec![PodReadinessGate { condition_type: SERVING.into() }]
}

/// The kubelet runs `status` as often as the operator does. No primaries are appended: the kubelet does not know them.
pub(super) fn probe(target: &Target) -> Probe {
    let status = &target.commands.status;
    let words = ["sh", "-c", SCRIPT, "status"].map(str::to_owned);
    Probe {
        exec: Some(ExecAction {
            command: Some(words.into_iter().chain(status.argv.iter().cloned()).collect()),
        }),
        period_seconds: Some(seconds(target.interval)),
        timeout_seconds: Some(seconds(status.timeout)),
        failure_threshold: Some(FAILURES),
        ..Probe::default()
    }
}

/// A probe takes whole seconds, at least one.
fn seconds(span: Duration) -> i32 {
    let whole = span.as_secs().saturating_add(u64::from(span.subsec_nanos() > 0));
    i32::try_from(whole.max(1)).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    /// How the probe ends where `status` ends with this code.
    fn ends(code: i32) -> Option<i32> {
        let status = ["sh", "-c", &format!("exit {code}")];
        Command::new("sh").args(["-c", SCRIPT, "status"]).args(status).status().unwrap().code()
    }

    #[test]
    fn a_member_that_runs_or_leads_passes_the_probe_and_no_other_does() {
        for (code, expected) in [(0, 0), (8, 0), (1, 1), (7, 7), (126, 126)] {
            assert_eq!(ends(code), Some(expected), "status ended with {code}");
        }
    }

    #[test]
    fn the_probe_passes_each_word_of_status_as_it_is() {
        let words = ["sh", "-c", r#"[ "$1" = "a b" ] && [ "$2" = '$x' ]"#, "_", "a b", "$x"];
        assert!(Command::new("sh").args(["-c", SCRIPT, "status"]).args(words).status().unwrap().success());
    }

    #[test]
    fn a_part_of_a_second_counts_as_a_whole_one() {
        for (span, expected) in [
            (Duration::from_millis(1), 1),
            (Duration::from_secs(10), 10),
            (Duration::from_millis(1500), 2),
            (Duration::MAX, i32::MAX),
        ] {
            assert_eq!(seconds(span), expected, "{span:?}");
        }
    }
}
