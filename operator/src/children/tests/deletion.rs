//! What becomes of the children when their set is deleted.

use super::*;

#[test]
fn nothing_that_is_made_for_a_set_keeps_a_deletion_waiting() {
    let target = target(DUMMY, |set| set["spec"]["servicePorts"] = json!([{"name": "a", "port": 1}]));
    let children = [
        stateful_set(&target),
        as_json(&build_headless_service(&target)),
        as_json(&build_client_service(&target).unwrap()),
        as_json(&build_disruption_budget(&target).unwrap()),
    ];
    for child in &children {
        let meta = &child["metadata"];
        assert_eq!(meta["finalizers"], Value::Null, "{child}");
        let [owner] = meta["ownerReferences"].as_array().unwrap().as_slice() else { panic!("{child}") };
        assert_eq!(owner["uid"], "u-1", "it goes with its set");
        assert_ne!(owner["blockOwnerDeletion"], true, "and the set does not wait for it");
    }
    let pod = pod(&target);
    assert_eq!(pod["metadata"]["finalizers"], Value::Null);
    // Whatever waits for the other members in a hook waits for ever when all of them go.
    for container in pod["spec"]["containers"].as_array().unwrap() {
        assert_eq!(container["lifecycle"], Value::Null, "{container}");
    }
}
