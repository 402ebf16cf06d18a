//! What is told where the cluster says why a member does not run.

use super::*;

const QUOTA: &str = "FailedCreate: create Pod rss-orders-0 failed: exceeded quota: q";

fn of_quota(reason: &str, n: u32, keys: &[&str]) -> Value {
    let name = format!("rss-orders-{n}");
    json!({"scope": name, "blocker": name, "reason": reason, "message": "it waits", "cause": QUOTA,
        "since": "2026-01-01T12:00:20Z", "keys": keys})
}

fn explained(holds: Vec<Value>) -> Explained {
    let status = json!({"observedGeneration": 2, "holds": holds});
    explain(&set(status), at("2026-01-01T12:05:10Z")).unwrap()
}

#[test]
fn a_quota_that_keeps_all_members_away_is_the_first_and_only_thing_to_correct() {
    let holds = (0..3).flat_map(|n| ["NotRunning", "Unread"].map(|reason| of_quota(reason, n, &[])));
    let told = explained(holds.collect());
    let means: Vec<&str> = told.unblock.iter().map(|way| way.means.as_str()).collect();
    assert!(
        means[0].starts_with("let the pod of rss-orders-0, rss-orders-1, rss-orders-2 be made: "),
        "{told}"
    );
    assert!(means[0].contains(QUOTA) && means[0].ends_with("nothing is lost"), "{told}");
    let command = told.unblock[0].command.as_deref().unwrap();
    assert!(command.starts_with("kubectl describe statefulsets,resourcequotas -n "), "{command}");
    assert_eq!(told.unblock.len(), 2, "else it comes by itself: {told}");
    assert!(told.unblock[1].automatic && told.unblock.iter().all(|way| way.key.is_none()), "{told}");
}

#[test]
fn ways_without_loss_come_before_keys() {
    let lost = of_quota("LostData", 1, &[]);
    let other = json!({"scope": "rss-orders-2", "blocker": "rss-orders-2", "reason": "LostData",
        "since": "2026-01-01T12:00:20Z", "keys": ["AcceptLoss/rss-orders-2/0a"]});
    let told = explained(vec![other, lost, of_quota("NotRunning", 1, &[])]);
    let keys: Vec<bool> = told.unblock.iter().map(|way| way.key.is_some()).collect();
    assert_eq!(keys, [false, false, true], "{told}");
}

#[test]
fn each_kind_of_cause_has_its_command() {
    for (cause, command) in [
        ("ImagePullBackOff: no such image", "kubectl edit rss orders"),
        ("OutputTooLong: commands.sequence may print 65536 bytes", "kubectl edit rss orders"),
        ("ProvisioningFailed: no space", "kubectl describe persistentvolumeclaims -n "),
        ("Unschedulable: 0/3 nodes", "kubectl describe pods rss-orders-1 -n "),
    ] {
        let mut hold = of_quota("Unread", 1, &[]);
        hold["cause"] = json!(cause);
        let told = explained(vec![hold]);
        assert!(told.unblock[0].command.as_ref().unwrap().starts_with(command), "{told}");
    }
}
