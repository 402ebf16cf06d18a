//! What of a resource that somebody changed is written to the API server.

use super::{Made, target};
use serde_json::{Value, json};

#[tokio::test]
async fn whatever_is_changed_of_the_pods_is_applied() {
    for (field, value) in [
        ("image", json!("galera:2")),
        ("args", json!(["--verbose"])),
        ("env", json!([{"name": "X", "value": "1"}])),
        ("resources", json!({"limits": {"memory": "2Gi"}})),
        ("livenessProbe", json!({"tcpSocket": {"port": 3306}})),
        ("lifecycle", Value::Null),
    ] {
        let mut made = Made::new().await;
        made.round(&target(|set| set["spec"]["pod"]["containers"][0][field] = value)).await;
        assert_eq!(made.writes(), ["apply rss-galera"], "{field}");
    }
}
