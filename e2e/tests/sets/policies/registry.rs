//! A registry that refuses, a tag that moves, and what people are told.

use std::fs;

use anyhow::{Context, Result, ensure};
use e2e::registry::{log_in, policy, remove, start};
use e2e::told::condition;
use e2e::{Set, manifest, tool, with_bare_namespace};
use operator::api::{PolicyStatus, SetStatus};
use operator::policy::Digest;
use serde_json::{Value, json};
use xtask::policies::component;
use xtask::registry::{Person, Registry};

/// The digest of a component of this project.
fn digest(policy: &str) -> Result<Digest> {
    Ok(Digest::of(&fs::read(component(policy)).context("cargo xtask policies")?))
}

/// What a condition says: status, reason and message.
fn told<'a>(status: &'a SetStatus, kind: &str) -> Option<(&'a str, &'a str, &'a str)> {
    let found = condition(status, kind)?;
    Some((&found.status, &found.reason, &found.message))
}

/// Wait until nobody decides, for a reason that is told in these words.
async fn until_refused(set: &Set<'_>, words: &str) -> Result<()> {
    let refused = set.until(words, |status| {
        told(status, "PolicyReady").is_some_and(|(status, reason, message)| {
            (status, reason) == ("False", "PolicyUnavailable") && message.contains(words)
        })
    });
    refused.await.map(drop)
}

/// Wait until this policy decides, and is kept.
async fn until_decides(set: &Set<'_>, name: &str) -> Result<PolicyStatus> {
    let digest = digest(name)?;
    let decides = |status: &SetStatus| {
        let is_it = |policy: &PolicyStatus| policy.digest == Some(digest) && policy.kept;
        told(status, "PolicyReady").is_some_and(|(status, ..)| status == "True")
            && status.policy.as_ref().is_some_and(is_it)
    };
    set.until(&format!("{name} decides"), decides).await?.policy.context("a policy decides")
}

async fn name(set: &Set<'_>, policy: Value) -> Result<()> {
    set.patch(json!({"spec": {"policy": policy}})).await
}

/// What the author's tool does with a registry, by the right login and by a wrong one.
async fn push_twice(registry: &Registry, image: &str) -> Result<()> {
    let push = |password: &str| -> Result<_> {
        let person = Person::with_password(registry, password)?;
        let mut command = person.policy("push");
        command.arg(component("largest-integer")).arg(image);
        Ok((person, command))
    };
    let (_guest, wrong) = push("guess")?;
    let refusal = tool::refused(wrong).await?;
    ensure!(refusal.contains("does not take the login"), "{refusal}");
    let (person, first) = push(&registry.password)?;
    let (_again, second) = push(&registry.password)?;
    let pushed = tool::said(first).await?;
    ensure!(pushed == tool::said(second).await?, "of the same bytes the digest is the same");
    let mut inspect = person.policy("inspect");
    inspect.arg(&pushed);
    let inspected = tool::said(inspect).await?;
    ensure!(inspected.contains(&digest("largest-integer")?.to_string()), "{inspected}");
    Ok(())
}

#[tokio::test]
async fn a_set_tells_why_a_registry_gives_no_policy_and_keeps_to_the_digest_that_a_tag_had() -> Result<()> {
    with_bare_namespace(async |space| {
        let registry = start(space).await?;
        space.operator().fetching_from(&registry).install(1).await?;
        let (tag, image) = ("policies/any:1", format!("{}/policies/any:1", registry.host));
        push_twice(&registry, &image).await?;

        let named = policy(&registry, tag, "wrong");
        // Members would tell nothing of it.
        let edit = |set: &mut Value| (set["spec"]["paused"], set["spec"]["policy"]) = (true.into(), named);
        let set = space.apply(&manifest::edited("dummy/cluster", edit)?).await?;
        until_refused(&set, "Secret wrong of spec.policy.pullSecrets is not in the namespace").await?;
        log_in(space, &registry, "wrong", "guess").await?;
        until_refused(&set, "does not take the login of spec.policy.pullSecrets (401)").await?;
        log_in(space, &registry, "right", &registry.password).await?;
        name(&set, policy(&registry, "policies/any:none", "right")).await?;
        until_refused(&set, "(404); push it, or correct spec.policy.image").await?;
        name(&set, policy(&registry, tag, "right")).await?;
        let first = until_decides(&set, "largest-integer").await?;

        registry.push("galera", &image)?;
        set.patch(json!({"spec": {"reconcileInterval": "7s"}})).await?;
        let status = set.until("the change is seen", |_| true).await?;
        // Whoever resolves it anew is in doubt at once.
        assert_eq!(told(&status, "PolicyStale").map(|told| told.0), Some("False"), "a tag is resolved once");
        assert_eq!(status.policy.as_ref(), Some(&first));
        name(&set, json!({"pullPolicy": "Always"})).await?;
        let moved = until_decides(&set, "galera").await?;
        assert_ne!(moved.image_digest, first.image_digest);

        remove(space).await?;
        set.patch(json!({"spec": {"reconcileInterval": "8s"}})).await?;
        // It is not known for a moment too while a registry that is well is asked.
        let unknown = |status: &SetStatus| {
            told(status, "PolicyStale")
                .is_some_and(|(status, reason, _)| (status, reason) == ("Unknown", "PolicyUnavailable"))
        };
        let status = set.until("whether the tag moved is not known", unknown).await?;
        assert_eq!(status.policy, Some(moved), "it goes on deciding");
        Ok(())
    })
    .await
}
