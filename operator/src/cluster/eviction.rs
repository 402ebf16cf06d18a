//! What Kubernetes is told of pods on nodes that it does not hear: that `unheardAfter` decides, and nobody else.

use k8s_openapi::api::core::v1::{PodSpec, Toleration};

/// The taints of a node that is silent, or says that it is not well: by default its pods are told to end after five
/// minutes, all of them at once, with the labels by which services find them, and whatever the budget is.
const UNHEARD: [&str; 2] = ["node.kubernetes.io/unreachable", "node.kubernetes.io/not-ready"];
const EFFECT: &str = "NoExecute";

/// No pod is evicted for a taint of a silent node, unless the template itself says for how long it stays.
pub(super) fn leave_to_us(pod: &mut PodSpec) {
    let said = pod.tolerations.get_or_insert_default();
    for taint in UNHEARD {
        if !said.iter().any(|toleration| speaks_of(toleration, taint)) {
            said.push(Toleration {
                key: Some(taint.into()),
                operator: Some("Exists".into()),
                effect: Some(EFFECT.into()),
                ..Toleration::default()
            });
        }
    }
}

/// Whether pods with these are told to end on a node that is silent for a while.
pub(crate) fn ends_on_silent_nodes(said: &[Toleration]) -> bool {
    let is_brief = |toleration: &&Toleration| toleration.toleration_seconds.is_some();
    said.iter().filter(is_brief).any(|toleration| UNHEARD.iter().any(|taint| speaks_of(toleration, taint)))
}

/// One without a key speaks of all taints, and one without an effect of all effects.
fn speaks_of(toleration: &Toleration, taint: &str) -> bool {
    let is_or_any = |said: &Option<String>, this: &str| {
        said.as_deref().is_none_or(|said| said.is_empty() || said == this)
    };
    is_or_any(&toleration.key, taint) && is_or_any(&toleration.effect, EFFECT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn tolerations(of_template: Value) -> Value {
        let mut pod: PodSpec =
            serde_json::from_value(json!({"containers": [], "tolerations": of_template})).unwrap();
        leave_to_us(&mut pod);
        serde_json::to_value(pod.tolerations).unwrap()
    }

    fn endless(taint: &str) -> Value {
        json!({"key": taint, "operator": "Exists", "effect": "NoExecute"})
    }

    #[test]
    fn a_pod_stays_on_a_silent_node_without_an_end_unless_its_template_says_for_how_long() {
        let ours = UNHEARD.map(endless);
        assert_eq!(tolerations(Value::Null), json!(ours));
        let brief =
            json!({"key": UNHEARD[1], "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 9});
        assert_eq!(tolerations(json!([brief])), json!([brief, ours[0]]));
        let other = json!({"key": UNHEARD[0], "operator": "Exists", "effect": "NoSchedule"});
        assert_eq!(tolerations(json!([other])), json!([other, ours[0], ours[1]]), "of another effect");
        for all in [json!({"operator": "Exists"}), json!({"operator": "Exists", "effect": "NoExecute"})] {
            assert_eq!(tolerations(json!([all])), json!([all]));
        }
    }
}
