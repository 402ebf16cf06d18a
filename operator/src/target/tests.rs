use k8s_openapi::api::core::v1::LocalObjectReference;
use largest_integer::LargestInteger;
use serde_json::{Value, json};

use super::*;
use crate::api::{PullPolicy, ReplicatedStatefulSet, SecretKey};
use crate::policy::fetch::PullSecrets;

const GALERA: &str = include_str!("../../tests/fixtures/galera.yaml");
const DUMMY: &str = include_str!("../../tests/fixtures/dummy.yaml");

/// A manifest, changed by a JSON merge patch.
fn set(text: &str, patch: Value) -> ReplicatedStatefulSet {
    fn merge(into: &mut Value, patch: Value) {
        match patch {
            Value::Object(fields) => {
                if !into.is_object() {
                    *into = json!({});
                }
                for (key, value) in fields {
                    if value.is_null() {
                        into.as_object_mut().map(|object| object.remove(&key));
                    } else {
                        merge(&mut into[key], value);
                    }
                }
            }
            value => *into = value,
        }
    }
    let mut value: Value = serde_saphyr::from_str(text).unwrap();
    merge(&mut value, patch);
    serde_json::from_value(value).unwrap()
}

fn galera(patch: Value) -> Target {
    Target::parse(&set(GALERA, patch)).unwrap()
}

fn problems(patch: Value) -> Vec<String> {
    Target::parse(&set(GALERA, patch)).unwrap_err().problems.into_iter().map(|problem| problem.path).collect()
}

#[test]
fn defaults_are_what_the_documentation_says() {
    let target = galera(json!({"spec": {"reconcileInterval": null}}));
    assert_eq!((target.replicas, target.primaries, target.paused), (4, 4, false));
    assert_eq!(target.interval, Duration::from_secs(10));
    assert_eq!(target.commands.sequence.timeout, Duration::from_secs(600));
    assert_eq!(target.template.grace, Duration::from_secs(600));
    assert_eq!(target.rollout, UpdateKind::RollingUpdate);
    assert_eq!(target.disruption_budget, Some(IntOrString::Int(1)));
    assert_eq!(target.recovery.failover, Failover::NoKnownLoss);
    assert_eq!(target.recovery.parallel_joins, 1);
    assert_eq!(target.recovery.rehearsal_interval, None);
    assert_eq!(target.recovery.replace_after, Duration::from_mins(10));
    assert_eq!(
        target.retention,
        KeptClaims { when_deleted: Retention::Retain, when_scaled: Retention::Retain }
    );
    assert_eq!(target.notices, []);
}

#[test]
fn timeouts_are_read_in_every_form() {
    let commands = galera(json!({})).commands;
    assert_eq!(commands.primary.timeout, Duration::from_secs(5400));
    assert_eq!(commands.status.timeout, Duration::from_secs(60));
    assert_eq!(commands.stop.timeout, Duration::from_secs(26 * 3600));
}

#[test]
fn the_seed_falls_back_to_the_primary_command_with_its_timeout() {
    let commands = galera(json!({"spec": {"pod": {"commands": {"seed": null}}}})).commands;
    assert_eq!(commands.seed, commands.primary);
}

#[test]
fn members_and_primaries_are_clamped() {
    let secondary = json!({"command": ["/s.sh"]});
    for (replicas, primaries, with_secondary, expected) in [
        (4, json!(null), true, (4, 4)),
        (4, json!(1), true, (4, 1)),
        (4, json!(0), true, (4, 0)),
        (4, json!(9), true, (4, 4)),
        (4, json!(-2), true, (4, 0)),
        (4, json!(1), false, (4, 4)),
        (0, json!(1), true, (0, 0)),
        (-3, json!(1), true, (0, 0)),
        (1, json!(null), false, (1, 1)),
        (2, json!(null), false, (2, 2)),
    ] {
        let secondary = if with_secondary { secondary.clone() } else { Value::Null };
        let target = galera(json!({"spec": {"replicas": replicas, "primaries": primaries,
            "pod": {"commands": {"secondary": secondary}}}}));
        assert_eq!((target.replicas, target.primaries), expected, "{replicas} {primaries} {with_secondary}");
    }
}

#[test]
fn every_problem_is_listed_at_once_with_its_path() {
    let found = problems(json!({
        "metadata": {"name": "3db", "labels": {"app": "x"}},
        "spec": {
            "metadata": {"labels": {"app": "x", "rss-active-member": "true", "clusterlabs.org/role": "x"},
                "annotations": {"clusterlabs.org/allow": "x"}, "copyFromResource": true},
            "reconcileInterval": "200ms",
            "chaosLevel": 20,
            "nodeSelector": {"disk": "ssd"},
            "recovery": {"parallelJoins": 0, "rehearsalInterval": "9s", "replaceAfter": "29s"},
            "policy": {"image": "policies/a:1", "candidate": {"builtin": "largest-integer"}},
            "pod": {
                "commands": {"sequence": null, "stop": {"timeout": "0s"}, "seed": {"command": []}},
                "nodeSelector": {"disk": "hdd"},
                "terminationGracePeriodSeconds": -1,
                "volumes": [{"name": "rss-run", "emptyDir": {}}],
                "initContainers": [{"name": "i", "env": [{"name": "RSS_POD_UID", "value": "x"}],
                    "volumeMounts": [{"name": "data", "mountPath": "/run/rss/"}]}],
            },
        },
    }));
    assert_eq!(
        found,
        [
            "metadata.name",
            "spec.metadata.labels[app]",
            "spec.metadata.labels[clusterlabs.org/role]",
            "spec.metadata.labels[rss-active-member]",
            "spec.metadata.annotations[clusterlabs.org/allow]",
            "metadata.labels[app]",
            "spec.reconcileInterval",
            "spec.pod.commands.sequence",
            "spec.pod.commands.seed.command",
            "spec.pod.commands.stop.timeout",
            "spec.pod.volumes[rss-run]",
            "spec.pod.initContainers[i].env[RSS_POD_UID]",
            "spec.pod.initContainers[i].volumeMounts[data]",
            "spec.pod.terminationGracePeriodSeconds",
            "spec.chaosLevel",
            "spec.pod.nodeSelector[disk]",
            "spec.recovery.parallelJoins",
            "spec.recovery.rehearsalInterval",
            "spec.recovery.replaceAfter",
        ]
    );
}

#[test]
fn a_problem_says_where_what_and_what_would_be_right() {
    let invalid = Target::parse(&set(GALERA, json!({"spec": {"reconcileInterval": "soon"}}))).unwrap_err();
    assert_eq!(
        invalid.to_string(),
        "spec.reconcileInterval: \"soon\" is not a length of time; write a length of time above zero, as \"20s\", \
         \"2m\", \"1h30m\", \"1DT2h\", or a number of seconds"
    );
}

#[test]
fn a_set_without_containers_is_a_problem_and_no_panic() {
    assert_eq!(problems(json!({"spec": {"pod": {"containers": []}}})), ["spec.pod.containers"]);
}

#[test]
fn a_container_without_a_name_is_a_problem() {
    let pod = json!({"containers": [{"name": "a"}, {"name": ""}], "initContainers": [{"name": ""}]});
    let found = problems(json!({"spec": {"pod": pod}}));
    assert_eq!(found[..2], ["spec.pod.containers[1].name", "spec.pod.initContainers[0].name"]);
}

#[test]
fn the_lock_is_on_the_first_claim_that_the_first_container_mounts() {
    let lock = |path: &str| Storage::Claims { lock_mount: Some(path.into()) };
    let mounts = |mounts: Value| {
        json!({"spec": {"pod": {"containers": [{"name": "a", "volumeMounts": mounts},
            {"name": "b", "volumeMounts": [{"name": "data", "mountPath": "/b"}]}]}}})
    };
    assert_eq!(galera(json!({})).storage, lock("/var/lib/mysql"));
    let turned = json!([{"name": "logs", "mountPath": "/l"}, {"name": "data", "mountPath": "/d"}]);
    assert_eq!(galera(mounts(turned)).storage, lock("/d"));
    assert_eq!(galera(mounts(json!([{"name": "logs", "mountPath": "/l"}]))).storage, lock("/l"));
    assert_eq!(galera(mounts(json!([]))).storage, Storage::Claims { lock_mount: None });
}

#[test]
fn without_claims_the_holder_is_the_pod_or_the_container() {
    let storage = |volumes: Value, mounts: Value| {
        let pod = json!({"volumes": volumes, "containers": [{"name": "a", "volumeMounts": mounts}]});
        Target::parse(&set(DUMMY, json!({"spec": {"pod": pod}}))).unwrap().storage
    };
    let scratch = json!([{"name": "s", "emptyDir": {}}]);
    assert_eq!(storage(scratch.clone(), json!([{"name": "s", "mountPath": "/s"}])), Storage::Pod);
    assert_eq!(storage(scratch, json!([])), Storage::Container);
    let config = json!([{"name": "s", "configMap": {"name": "c"}}]);
    assert_eq!(storage(config, json!([{"name": "s", "mountPath": "/s"}])), Storage::Container);
}

#[test]
fn the_name_of_the_internal_service_is_ignored_aloud() {
    let ignored = |name: &str| {
        let target = galera(json!({"spec": {"service": {"name": name}}}));
        let notices = target.notices.iter().map(ToString::to_string);
        notices.filter(|text| text.starts_with("spec.service.name ")).count()
    };
    assert_eq!([ignored("galera-svc"), ignored("db")], [1, 0]);
}

#[test]
fn the_client_service_never_takes_the_name_of_the_internal_one() {
    let name = |service: Value| galera(json!({"spec": {"service": service}})).client_service.map(|s| s.name);
    assert_eq!(name(json!(null)).as_deref(), Some("galera"));
    assert_eq!(name(json!({"name": "db"})).as_deref(), Some("db"));
    assert_eq!(name(json!({"name": "galera-svc"})).as_deref(), Some("galera"));
    assert_eq!(galera(json!({"spec": {"servicePorts": null}})).client_service, None);
}

/// A policy as it is written, and what becomes of it: the paths of its problems.
#[test]
fn a_policy_is_taken_as_a_whole_or_its_problems_are_named() {
    let digest = format!("a.example/p@sha256:{}", "0".repeat(64));
    let verified =
        |name: &str, key: &str| json!({"publicKeys": [{"secretKeyRef": {"name": name, "key": key}}]});
    let many =
        |number| json!({"publicKeys": vec![json!({"secretKeyRef": {"name": "s", "key": "k"}}); number]});
    for (policy, expected) in [
        (json!({"image": "a.example/p:1"}), &[][..]),
        (json!({"image": digest, "pullPolicy": "Never", "pullSecrets": [{"name": "s"}]}), &[]),
        (json!({"configMap": {"name": "c", "key": "k.wasm"}, "settings": {"any": ["thing"]}}), &[]),
        (json!({"builtin": "largest-integer", "settings": {"monotonic": true}}), &[]),
        (json!({"builtin": "largest-integer", "settings": {"monotone": true}}), &["spec.policy.settings"]),
        (json!({"builtin": "largest-integer", "settings": {"monotonic": "yes"}}), &["spec.policy.settings"]),
        (json!({}), &["spec.policy"]),
        (json!({"image": "a", "builtin": "largest-integer"}), &["spec.policy"]),
        (json!({"image": "A.example/UPPER"}), &["spec.policy.image"]),
        (
            json!({"configMap": {"name": "", "key": "../k"}}),
            &["spec.policy.configMap.name", "spec.policy.configMap.key"],
        ),
        (json!({"image": "a", "settings": {"x": "y".repeat(70_000)}}), &["spec.policy.settings"]),
        (json!({"image": "a", "verification": {"publicKeys": []}}), &["spec.policy.verification"]),
        (json!({"image": "a", "verification": many(16)}), &[]),
        (json!({"image": "a", "verification": many(17)}), &["spec.policy.verification.publicKeys"]),
        (
            json!({"configMap": {"name": "c", "key": "k"}, "verification": verified("keys", "cosign.pub")}),
            &["spec.policy.verification"],
        ),
        (
            json!({"image": "a", "verification": verified("", "../k")}),
            &[
                "spec.policy.verification.publicKeys.secretKeyRef.name",
                "spec.policy.verification.publicKeys.secretKeyRef.key",
            ],
        ),
    ] {
        let whole = set(GALERA, json!({"spec": {"policy": policy}}));
        let found: Vec<_> = match Target::parse(&whole) {
            Ok(_) => Vec::new(),
            Err(invalid) => invalid.problems.into_iter().map(|problem| problem.path).collect(),
        };
        assert_eq!(found, expected, "{policy}");
    }
}

#[test]
fn what_is_wanted_of_a_policy_is_where_it_is_and_what_it_is_told() {
    let policy = |policy: Value| galera(json!({"spec": {"policy": policy}})).policy;
    let monotonic = policy(json!({"builtin": "largest-integer", "settings": {"monotonic": true}}));
    assert_eq!(monotonic, Policy::Builtin(LargestInteger { monotonic: true }));
    assert_eq!(galera(json!({})).policy, Policy::Builtin(LargestInteger::default()));
    let keys = json!({"publicKeys": [{"secretKeyRef": {"name": "keys", "key": "cosign.pub"}}]});
    let given = json!({"image": "a.example/p", "pullSecrets": [{"name": "s"}], "settings": {"k": 1},
        "verification": keys});
    let Policy::Component(wanted) = policy(given) else { panic!("no component") };
    let Wanted { source: Source::Image { image, pull_policy, pull_secrets, public_keys }, settings } =
        *wanted
    else {
        panic!("no image")
    };
    assert_eq!(public_keys, [SecretKey { name: "keys".into(), key: "cosign.pub".into() }]);
    assert_eq!((image.to_string().as_str(), pull_policy), ("a.example/p:latest", PullPolicy::IfNotPresent));
    let named = [LocalObjectReference { name: "s".into() }];
    assert_eq!((pull_secrets, settings.text()), (PullSecrets::Named(named.into()), r#"{"k":1}"#));
}

#[test]
fn without_pull_secrets_a_policy_has_those_of_the_service_account() {
    for (spec, account) in [(json!({}), "default"), (json!({"serviceAccountName": "db"}), "db")] {
        let mut spec = spec;
        spec["policy"] = json!({"image": "a.example/p", "candidate": {"image": "b.example/p"}});
        let target = galera(json!({"spec": spec}));
        for policy in [target.policy, target.candidate.unwrap().unwrap()] {
            let Policy::Component(wanted) = policy else { panic!("no component") };
            let Source::Image { pull_secrets, .. } = wanted.source else { panic!("no image") };
            assert_eq!(pull_secrets, PullSecrets::OfAccount(account.into()));
        }
    }
}

#[test]
fn a_candidate_has_all_of_the_policy_but_its_source_and_its_settings() {
    let candidate = |policy: Value| galera(json!({"spec": {"policy": policy}})).candidate;
    assert_eq!(candidate(json!({"image": "a"})), None);
    let builtin = json!({"image": "a", "candidate": {"builtin": "largest-integer"}});
    assert_eq!(candidate(builtin), Some(Ok(Policy::Builtin(LargestInteger::default()))));
    let given = json!({"builtin": "largest-integer", "pullPolicy": "Always", "pullSecrets": [{"name": "s"}],
        "settings": {"monotonic": true}, "candidate": {"image": "b.example/p", "settings": {"k": 1}}});
    let target = galera(json!({"spec": {"policy": given}}));
    assert!(target.notices.is_empty(), "the Secrets are for the candidate: {:?}", target.notices);
    let Some(Ok(Policy::Component(wanted))) = target.candidate else { panic!("no component") };
    let Wanted { source: Source::Image { image, pull_policy, pull_secrets, .. }, settings } = *wanted else {
        panic!("no image")
    };
    assert_eq!((image.to_string().as_str(), pull_policy), ("b.example/p:latest", PullPolicy::Always));
    let named = [LocalObjectReference { name: "s".into() }];
    assert_eq!((pull_secrets, settings.text()), (PullSecrets::Named(named.into()), r#"{"k":1}"#));
}

#[test]
fn what_is_wrong_with_a_candidate_is_no_problem_of_the_set() {
    for (given, expected) in [
        (json!({}), "spec.policy.candidate"),
        (json!({"image": "b", "builtin": "largest-integer"}), "spec.policy.candidate"),
        (json!({"image": "A.example/UPPER"}), "spec.policy.candidate.image"),
        (json!({"configMap": {"name": "c", "key": ""}}), "spec.policy.candidate.configMap.key"),
        (json!({"builtin": "largest-integer", "settings": {"x": 1}}), "spec.policy.candidate.settings"),
    ] {
        let policy = json!({"builtin": "largest-integer", "candidate": given});
        let candidate = galera(json!({"spec": {"policy": policy}})).candidate;
        let Some(Err(invalid)) = candidate else { panic!("{policy}") };
        let paths: Vec<_> = invalid.problems.iter().map(|problem| problem.path.as_str()).collect();
        assert_eq!(paths, [expected]);
    }
}

#[test]
fn what_has_no_effect_is_said() {
    let target =
        galera(json!({"spec": {"TLS": {}, "ruleSelector": {}, "primaries": 1, "service": {"name": "a"},
        "servicePorts": null, "policy": {"builtin": "largest-integer", "pullPolicy": "Always"},
        "pod": {"commands": {"promote": {"command": 7}}}}}));
    let said: Vec<_> = target.notices.iter().map(|n| (n.reason().as_str(), n.to_string())).collect();
    let paths: Vec<_> =
        said.iter().map(|(reason, text)| (*reason, text.split(' ').next().unwrap_or_default())).collect();
    assert_eq!(
        paths,
        [
            ("FieldIgnored", "spec.policy.pullPolicy"),
            ("FieldIgnored", "spec.TLS"),
            ("FieldIgnored", "spec.ruleSelector"),
            ("FieldIgnored", "spec.primaries"),
            ("FieldIgnored", "spec.service"),
            ("UnknownCommand", "spec.pod.commands.promote"),
        ]
    );
}

#[test]
fn labels_and_annotations_of_the_resource_are_copied_only_if_it_says_so_and_none_that_describe_it_alone() {
    let metadata = json!({
        "labels": {"applyset.kubernetes.io/part-of": "x", "kapp.k14s.io/app": "x", "helm.sh/chart": "x",
            "clusterlabs.org/x": "x", "team": "other"},
        "annotations": {"example.com/b": "x", "kubectl.kubernetes.io/last-applied-configuration": "{}",
            "clusterlabs.org/accept": "x", "argocd.argoproj.io/tracking-id": "x", "meta.helm.sh/release-name": "x"}});
    let keys = |copies: Value| {
        let target =
            galera(json!({"metadata": metadata, "spec": {"metadata": {"copyFromResource": copies}}}));
        assert_eq!(target.labels["team"], "storage", "what spec.metadata says counts more");
        [target.labels, target.annotations].map(|pairs| pairs.into_keys().collect::<Vec<_>>().join(" "))
    };
    for off in [json!(null), json!(false)] {
        assert_eq!(keys(off), ["team", "example.com/note"]);
    }
    let labels = "applyset.kubernetes.io/part-of helm.sh/chart kapp.k14s.io/app team";
    assert_eq!(keys(json!(true)), [labels, "example.com/b example.com/note"]);
}

#[test]
fn a_label_of_the_resource_that_is_not_copied_may_have_any_key() {
    let target = galera(json!({"metadata": {"labels": {"app": "shop", "rss-active-member": "true"}}}));
    assert_eq!(target.labels.into_keys().collect::<Vec<_>>(), ["team"]);
}

#[test]
fn claims_of_one_name_and_a_mount_without_a_root_are_problems() {
    let claim = json!({"metadata": {"name": "data"}, "spec": {}});
    let container = json!({"name": "db", "volumeMounts": [{"name": "data", "mountPath": "var/lib"}]});
    let pod = json!({"spec": {"pod": {"volumeClaimTemplates": [claim, claim], "containers": [container]}}});
    assert_eq!(
        problems(pod),
        ["spec.pod.volumeClaimTemplates[data]", "spec.pod.containers[db].volumeMounts[data].mountPath"]
    );
}

#[test]
fn more_primaries_than_replicas_is_told_to_have_no_effect() {
    let notices = |primaries: i32| {
        let target = Target::parse(&set(GALERA, json!({"spec": {"replicas": 3, "primaries": primaries}})));
        target.unwrap().notices.iter().any(|notice| notice.to_string().contains("more than spec.replicas"))
    };
    assert!(notices(7));
    assert!(!notices(3));
}

#[test]
fn claims_that_no_container_mounts_are_refused() {
    let wrong = |patch: Value| -> Vec<String> {
        let found = Target::parse(&set(GALERA, patch)).err().map(|invalid| invalid.problems);
        found.unwrap_or_default().into_iter().map(|problem| problem.path).collect()
    };
    let container = |change: Value| {
        let mut first = json!({"name": "galera", "image": "galera"});
        first.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        wrong(json!({"spec": {"pod": {"containers": [first]}}}))
    };
    let claims = ["spec.pod.volumeClaimTemplates"];
    assert_eq!(container(json!({})), claims);
    assert_eq!(container(json!({"volumeMounts": [{"name": "other", "mountPath": "/data"}]})), claims);
    assert_eq!(container(json!({"volumeMounts": [{"name": "data", "mountPath": "/data"}]})), [""; 0]);
    assert_eq!(container(json!({"volumeDevices": [{"name": "data", "devicePath": "/dev/data"}]})), [""; 0]);
}

#[test]
fn a_set_whose_names_are_given_once_needs_claims_that_are_kept_a_short_name_and_pods_that_no_silent_node_ends()
 {
    let wrong = |patch: Value| -> Vec<String> {
        let mut set = set(GALERA, patch);
        set.spec.workload = Some(Workload::StatefulCluster);
        let found = Target::parse(&set).err().map(|invalid| invalid.problems).unwrap_or_default();
        found.into_iter().map(|problem| problem.path).collect()
    };
    assert_eq!(wrong(json!({})), [""; 0]);
    assert_eq!(wrong(json!({"metadata": {"name": "a".repeat(46)}})), [""; 0]);
    assert_eq!(wrong(json!({"metadata": {"name": "a".repeat(47)}})), ["metadata.name"]);
    let labels = json!({"enge.me/statefulcluster": "x", "tier": "db"});
    let labelled = json!({"spec": {"metadata": {"labels": labels}}});
    assert_eq!(wrong(labelled), ["spec.metadata.labels[enge.me/statefulcluster]"]);
    let retention = |policy: Value| wrong(json!({"spec": {"persistentVolumeClaimRetentionPolicy": policy}}));
    let when_scaled = "spec.persistentVolumeClaimRetentionPolicy.whenScaled";
    assert_eq!(retention(json!({"whenScaled": "Delete"})), [when_scaled]);
    assert_eq!(retention(json!({"whenScaled": "Retain", "whenDeleted": "Delete"})), [""; 0]);
    let no_claims = json!({"spec": {"pod": {"volumeClaimTemplates": null}}});
    assert_eq!(wrong(no_claims), ["spec.pod.volumeClaimTemplates"]);
    let bears = |toleration: Value| wrong(json!({"spec": {"tolerations": [toleration]}}));
    assert_eq!(bears(json!({"operator": "Exists"})), [""; 0], "without an end");
    assert_eq!(
        bears(json!({"key": "gpu", "operator": "Exists", "tolerationSeconds": 9})),
        [""; 0],
        "of others"
    );
    let brief =
        json!({"key": "node.kubernetes.io/unreachable", "operator": "Exists", "tolerationSeconds": 9});
    assert_eq!(bears(brief), ["spec.tolerations"]);
}
