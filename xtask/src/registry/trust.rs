//! What an administrator does so that an operator fetches from a registry with an authority of its own.

use serde_json::{Value, json};

use super::Registry;

/// The ConfigMap with the authority, and the volume of it.
const NAME: &str = "registry-authority";
const FILE: &str = "ca.crt";
const FOLDER: &str = "/etc/registry-authority";

// === impl Registry ===

impl Registry {
    /// The ConfigMap that the operator's Deployment mounts, for its namespace.
    #[must_use]
    pub fn authority(&self) -> Value {
        json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": NAME},
            "data": {FILE: self.ca_pem},
        })
    }

    /// Edits the operator's Deployment: it trusts the registry's authority and fetches from there alone.
    pub fn let_in(&self, deployment: &mut Value) {
        let pod = &mut deployment["spec"]["template"]["spec"];
        append(&mut pod["volumes"], [json!({"name": NAME, "configMap": {"name": NAME}})]);
        let container = &mut pod["containers"][0];
        let mount = json!({"name": NAME, "mountPath": FOLDER, "readOnly": true});
        append(&mut container["volumeMounts"], [mount]);
        let arguments = [format!("--registry-ca={FOLDER}/{FILE}"), format!("--allow-registry={}", self.host)];
        append(&mut container["args"], arguments.map(Value::from));
    }
}

/// To a list that may be missing.
fn append(list: &mut Value, more: impl IntoIterator<Item = Value>) {
    if list.is_null() {
        *list = json!([]);
    }
    if let Some(list) = list.as_array_mut() {
        list.extend(more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_is_given_the_authority_beside_what_it_has() {
        let registry = Registry {
            namespace: String::new(),
            host: "h:5000".to_owned(),
            ca_pem: "PEM".to_owned(),
            user: String::new(),
            password: String::new(),
        };
        let mut deployment = json!({"spec": {"template": {"spec": {"containers": [{"args": ["-a"]}]}}}});
        registry.let_in(&mut deployment);
        let pod = &deployment["spec"]["template"]["spec"];
        let expected =
            json!(["-a", "--registry-ca=/etc/registry-authority/ca.crt", "--allow-registry=h:5000"]);
        assert_eq!(pod["containers"][0]["args"], expected);
        let mounted = &pod["containers"][0]["volumeMounts"][0]["name"];
        assert_eq!(mounted, &pod["volumes"][0]["name"]);
        assert_eq!(pod["volumes"][0]["configMap"]["name"], registry.authority()["metadata"]["name"]);
    }
}
