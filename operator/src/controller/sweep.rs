//! Sees to it that what is kept of policies goes when no set uses it any more.

use std::collections::BTreeSet;
use std::time::Duration;

use k8s_openapi::jiff::Timestamp;

use super::{SetKey, Stores};
use crate::context::Context;
use crate::policy::Digest;
use crate::policy::keep::InUse;
use crate::reconcile::chain;

/// How often it is looked for. What is not used any more goes after an hour.
const OFTEN: Duration = Duration::from_secs(600);

/// Looks for it as long as this is polled, which is while this process leads.
pub(super) async fn sweep(context: Context, stores: Stores) {
    loop {
        tokio::time::sleep(OFTEN).await;
        let (in_use, unclear) = in_use(&stores);
        let covers = |namespace: &str| covers(&stores, &unclear, namespace);
        if let Err(error) = context.policies.keep().collect(&in_use, covers, Timestamp::now()).await {
            // Without the role for it nothing is kept either.
            tracing::debug!(error = chain(&error), "what is kept of policies was not looked through");
        }
    }
}

/// All sets of this namespace are known, and what each of them uses. In another namespace any set may use what is kept.
fn covers(stores: &Stores, unclear: &BTreeSet<String>, namespace: &str) -> bool {
    stores.is_current(namespace) && !unclear.contains(namespace)
}

/// The policies that sets use, and the namespaces with a set that does not say.
fn in_use(stores: &Stores) -> (InUse, BTreeSet<String>) {
    let (mut in_use, mut unclear) = (InUse::new(), BTreeSet::new());
    for key in stores.keys() {
        match used(stores, &key) {
            Some(Some(digest)) => drop(in_use.insert((key.namespace, digest))),
            Some(None) => {}
            None => drop(unclear.insert(key.namespace)),
        }
    }
    (in_use, unclear)
}

/// None: the resource cannot be read.
fn used(stores: &Stores, key: &SetKey) -> Option<Option<Digest>> {
    let found = stores.set(key)?;
    let status = found.0.as_ref().ok()?.status.as_ref();
    Some(status.and_then(|status| status.policy.as_ref()).and_then(|policy| policy.digest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telemetry::{Kind, Watches};
    use kube::runtime::reflector::store;
    use kube::runtime::watcher::Event;
    use serde_json::{Value, json};

    /// Caches with these sets in them.
    fn stores(sets: impl IntoIterator<Item = (&'static str, Value)>) -> Stores {
        let (known, mut writer) = store();
        for (at, (namespace, status)) in sets.into_iter().enumerate() {
            let mut set = json!(crate::observe::fixture::set(json!({})));
            set["metadata"]["namespace"] = json!(namespace);
            set["metadata"]["name"] = json!(format!("x{at}"));
            set["status"] = status;
            writer.apply_watcher_event(&Event::Apply(serde_json::from_value(set).unwrap()));
        }
        Stores { sets: vec![known], ..Stores::empty() }
    }

    #[test]
    fn what_a_set_names_is_in_use_and_a_set_that_cannot_be_read_may_use_anything() {
        let digest = Digest::of(b"component");
        let (in_use, unclear) = in_use(&stores([
            ("a", json!({"policy": {"digest": digest}})),
            ("a", json!({"policy": {"builtin": "largest-integer"}})),
            ("b", json!({})),
            ("c", json!({"policy": {"digest": "none"}})),
        ]));
        assert_eq!(in_use, InUse::from([("a".to_owned(), digest)]));
        assert_eq!(unclear, BTreeSet::from(["c".to_owned()]));
    }

    #[test]
    fn what_sets_use_in_a_namespace_that_is_not_ready_is_unknown() {
        let watches = Watches::new(Kind::ReplicatedStatefulSet);
        let [shop, gone] = ["shop", "gone"].map(|namespace| watches.add(Some(namespace), "Pod"));
        let stores = Stores { watches, ..Stores::empty() };
        let covered = || ["shop", "gone", "unwatched"].map(|one| covers(&stores, &BTreeSet::new(), one));
        shop.listed();
        gone.failed("it is forbidden".to_owned());
        assert_eq!(covered(), [true, false, false]);
        gone.listed();
        assert_eq!(covered(), [true, true, false]);
        shop.failed("it is forbidden".to_owned());
        assert_eq!(covered(), [false, true, false], "a set may be new there");
    }
}
