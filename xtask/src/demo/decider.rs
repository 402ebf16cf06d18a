//! The policy that decides, as the operator's status tells of it.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use serde::Serialize;
use serde_json::Value;

use super::place::Place;
use super::{seen, set};

/// Of a fetch, after the set is ready.
const PATIENCE: Duration = Duration::from_secs(60);

/// The policy that decides.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Decider {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The image that it was pulled as, by its tag; none if it came from a ConfigMap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) image: Option<String>,
    /// What that tag stood for, which is used from then on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) image_digest: Option<String>,
    /// Of the component.
    pub(crate) digest: String,
}

// === impl Decider ===

impl Decider {
    /// The one that a set tells of.
    fn of(set: &Value) -> Option<Self> {
        let policy = &set["status"]["policy"];
        let text = |key: &str| policy[key].as_str().map(str::to_owned);
        Some(Self {
            name: text("name")?,
            version: text("version")?,
            image: text("image"),
            image_digest: text("imageDigest"),
            digest: text("digest")?,
        })
    }

    /// Who decides now.
    pub(crate) fn now(place: &Place) -> Result<Option<Self>> {
        Ok(Self::of(&set::get(place, set::SET)?))
    }

    /// For people.
    pub(crate) fn words(&self) -> String {
        let Self { name, version, image, image_digest, digest } = self;
        match (image, image_digest) {
            (Some(image), Some(pinned)) => {
                format!("{name} {version}, pulled as {image}, pinned to {pinned}")
            }
            _ => format!("{name} {version}, from a ConfigMap, {digest}"),
        }
    }
}

/// Wait until a policy decides in a set whose bytes are kept in the cluster for a power cut.
pub(crate) fn wait_kept(place: &Place, name: &str) -> Result<Decider> {
    let begun = Instant::now();
    loop {
        let set = set::get(place, name)?;
        if let Some(decider) = Decider::of(&set).filter(|_| set["status"]["policy"]["kept"] == true) {
            return Ok(decider);
        }
        if begun.elapsed() > PATIENCE {
            bail!("the policy is not kept in the cluster: {}", seen::operator(&set));
        }
        std::thread::sleep(Duration::from_millis(300));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_pulled_policy_is_told_with_the_digest_that_its_tag_stood_for() {
        let policy = json!({"name": "galera", "version": "0.1.0", "digest": "sha256:c", "kept": true,
            "image": "h/p:1", "imageDigest": "sha256:m"});
        let decider = Decider::of(&json!({"status": {"policy": policy}})).unwrap();
        assert_eq!(decider.words(), "galera 0.1.0, pulled as h/p:1, pinned to sha256:m");
        assert_eq!(Decider::of(&json!({"status": {"policy": {"builtin": "largest-integer"}}})), None);
    }
}
