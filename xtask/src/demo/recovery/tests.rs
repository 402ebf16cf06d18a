use serde_json::json;

use super::*;

fn recovery() -> Recovery {
    let cut = Moment {
        at: Instant::now() + Duration::from_secs(100),
        spread: Duration::from_millis(1),
        deleted: Duration::from_millis(200),
    };
    Recovery::new(cut, [("rss-x-0".to_owned(), "old".to_owned())].into())
}

fn set(state: &str, reading: &str, ready: &str) -> Seen {
    Seen::Set(json!({
        "metadata": {"generation": 1},
        "status": {
            "observedGeneration": 1,
            "conditions": [{"type": "Ready", "status": ready}],
            "replicaStates": [{"name": "rss-x-0", "appState": state, "reading": reading}],
        },
    }))
}

fn pod(uid: &str, active: &str) -> Seen {
    let labels = json!({"rss-active-member": active});
    let status = json!({"containerStatuses": [{"state": {"running": {}}}]});
    Seen::Pod(json!({"metadata": {"name": "rss-x-0", "uid": uid, "labels": labels}, "status": status}), true)
}

fn chosen() -> Seen {
    Seen::Event(json!({
        "regarding": {"kind": "ReplicatedStatefulSet"},
        "reason": "SeedChosen",
        "note": "rss-x-0 seeds: it is at 7, the largest of 1",
    }))
}

/// Tell it all, each at its second after the cut.
fn tell(recovery: &mut Recovery, told: &[(f64, Seen)]) {
    for (at, seen) in told {
        let moment = recovery.cut.at;
        let after = Duration::from_secs_f64(at.abs());
        recovery.note(if *at < 0.0 { moment - after } else { moment + after }, seen);
    }
}

fn row(began: f64, ended: f64, id: u64) -> Seen {
    Seen::Row(Acknowledged { began, ended, id })
}

#[test]
fn what_was_so_before_the_cut_is_no_recovery() {
    let mut recovery = recovery();
    let stale = [
        (-1.0, set("Primary", "at least 7", "True")),
        (-1.0, pod("old", "true")),
        (0.1, set("Primary", "at least 7", "True")),
        (0.1, pod("old", "true")),
    ];
    tell(&mut recovery, &stale);
    let member = &recovery.members["rss-x-0"];
    assert_eq!((member.observable, member.marked, member.joined, recovery.ready), (None, None, None, None));
}

#[test]
fn each_stage_is_told_by_its_own_source() {
    let mut recovery = recovery();
    let told = [
        (0.5, set("Down", "7 before its last start", "False")),
        (1.0, pod("new", "false")),
        (1.5, set("Stopped", "7", "False")),
        (2.0, set("Stopped", "7 before its last start", "False")),
        (2.1, chosen()),
        (3.0, set("Primary", "at least 7", "False")),
        (3.1, pod("new", "true")),
        (4.0, set("Primary", "at least 7", "True")),
    ];
    tell(&mut recovery, &told);
    let member = &recovery.members["rss-x-0"];
    let rounded = |at: Option<f64>| at.map(|at| (at * 10.0).round());
    assert_eq!(rounded(member.observable), Some(10.0));
    assert_eq!(member.read.as_ref().map(|(at, p)| (at.round(), p.as_str())), Some((2.0, "7")));
    assert_eq!((rounded(member.joined), rounded(member.marked)), (Some(30.0), Some(31.0)));
    assert_eq!(rounded(recovery.ready), Some(40.0));
    let (at, pod, why) = recovery.seed.clone().unwrap();
    assert_eq!(
        (rounded(Some(at)), pod.as_str(), why.as_str()),
        (Some(21.0), "rss-x-0", "it is at 7, the largest of 1")
    );
    assert!(!recovery.is_over(), "no row was acknowledged");
}

#[test]
fn a_position_that_was_never_seen_apart_from_the_start_is_told_with_the_choice() {
    let mut recovery = recovery();
    let told = [(0.5, set("Stopped", "3 before its last start", "False"))];
    tell(&mut recovery, &told);
    assert_eq!(recovery.members["rss-x-0"].read, None, "an older start's");
    tell(&mut recovery, &[(2.0, set("Stopped", "7 before its last start", "False")), (2.1, chosen())]);
    assert_eq!(recovery.members["rss-x-0"].read.as_ref().map(|(_, p)| p.as_str()), Some("7"));
}

#[test]
fn the_first_write_is_one_whose_connection_was_begun_after_the_cut() {
    let mut recovery = recovery();
    // The client's clock is 1000 s ahead; the line of row 1 came a quarter of a second late, that of row 2 at once.
    let told = [
        (-0.75, row(998.9, 999.0, 1)),
        (-0.5, row(999.4, 999.5, 2)),
        (0.2, row(999.9, 1000.2, 3)),
        (3.5, row(1003.0, 1003.25, 4)),
        (3.6, row(1003.3, 1003.5, 5)),
    ];
    tell(&mut recovery, &told);
    let first = recovery.first_write.unwrap();
    assert!((first - 3.25).abs() < 0.01, "{first}");
}
