//! Which policy decides.

use largest_integer::LargestInteger;
use serde_json::{Map, Value};

use super::invalid::{Invalid, Problem, Problems};
use super::notice::Notice;
use crate::api::{self, ConfigMapKey, PolicySpec, PullPolicy, SecretKey};
use crate::policy::Settings;
use crate::policy::fetch::{Image, PullSecrets};
use crate::policy::signature::MOST;

/// Who takes the decisions.
#[derive(Clone, Debug, PartialEq)]
pub enum Policy {
    /// The one that is part of the operator.
    Builtin(LargestInteger),
    /// A component.
    Component(Box<Wanted>),
}

/// A component that is wanted as the policy.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// Where it is.
    pub source: Source,
    /// What it is told. Whether it takes that, only it can say.
    pub settings: Settings,
}

/// Where a component is.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// In a registry.
    Image {
        /// Its name there.
        image: Image,
        /// When its tag is resolved.
        pull_policy: PullPolicy,
        /// Secrets of the set's namespace with logins.
        pull_secrets: PullSecrets,
        /// Keys of Secrets of the set's namespace, of which one must have signed it. Empty: the resource asks for none.
        public_keys: Vec<SecretKey>,
    },
    /// In a ConfigMap of the set's namespace.
    ConfigMap(ConfigMapKey),
}

impl Policy {
    /// Anything that would be asked of a policy and not be done is a problem: a signature that nobody checks, or a
    /// setting that nobody reads, is worse than a refusal.
    pub(super) fn parse(
        given: Option<&PolicySpec>,
        account: Option<&str>,
        problems: &mut Problems,
        notices: &mut Vec<Notice>,
    ) -> Self {
        let Some(given) = given else { return Self::Builtin(LargestInteger::default()) };
        let sources = [given.builtin.is_some(), given.image.is_some(), given.config_map.is_some()];
        if sources.into_iter().filter(|given| *given).count() != 1 {
            let cure = "write one of builtin, image and configMap";
            problems.add("spec.policy", "it does not have exactly one source", cure);
        }
        let public_keys = public_keys(given, problems);
        notices.extend(without_effect(given));
        let settings = given.settings.clone().unwrap_or_default();
        match source(given, account, public_keys, problems) {
            None => Self::Builtin(builtin(settings.0, problems)),
            Some(source) => {
                Self::Component(Box::new(Wanted { source, settings: bounded(settings.0, problems) }))
            }
        }
    }

    /// A second policy that is only listened to: with the pull policy, the Secrets and whatever else the first has.
    /// Nothing that is wrong with it is a problem of the set.
    pub(super) fn candidate(
        given: Option<&PolicySpec>,
        account: Option<&str>,
    ) -> Option<Result<Self, Invalid>> {
        let given = given?;
        let api::Candidate { builtin, image, config_map, settings } = given.candidate.clone()?;
        // What is part of the operator needs nobody's word.
        let verification = given.verification.clone().filter(|_| builtin.is_none());
        let alone = PolicySpec {
            builtin,
            image,
            config_map,
            settings,
            verification,
            candidate: None,
            ..given.clone()
        };
        let mut problems = Problems::default();
        let parsed = Self::parse(Some(&alone), account, &mut problems, &mut Vec::new());
        let problems: Vec<_> = problems.0.into_iter().map(of_candidate).collect();
        Some(if problems.is_empty() { Ok(parsed) } else { Err(Invalid { problems }) })
    }

    /// The operator's own, as the status tells of it.
    #[must_use]
    pub fn told(LargestInteger { monotonic }: LargestInteger) -> api::PolicyStatus {
        let settings = monotonic.then(|| Map::from_iter([("monotonic".to_owned(), Value::Bool(true))]));
        api::PolicyStatus::of_builtin(api::Builtin::LargestInteger, settings.map(api::Settings))
    }
}

/// What is wrong with a candidate's own fields is wrong below `spec.policy.candidate`; the others it has of the policy.
fn of_candidate(Problem { path, reason, cure }: Problem) -> Problem {
    let of_both = ["spec.policy.verification", "spec.policy.pull"];
    if of_both.iter().any(|both| path.starts_with(both)) {
        return Problem { path, reason, cure };
    }
    Problem { path: path.replacen("spec.policy", "spec.policy.candidate", 1), reason, cure }
}

/// None: the policy is part of the operator, or nobody can say where it is.
fn source(
    given: &PolicySpec,
    account: Option<&str>,
    public_keys: Vec<SecretKey>,
    problems: &mut Problems,
) -> Option<Source> {
    if let Some(text) = &given.image {
        return match text.parse() {
            Ok(image) => Some(Source::Image {
                image,
                pull_policy: given.pull_policy.unwrap_or_default(),
                pull_secrets: PullSecrets::of(&given.pull_secrets, account),
                public_keys,
            }),
            Err(error) => {
                let cure = "write HOST/REPOSITORY:TAG or HOST/REPOSITORY@sha256:DIGEST";
                problems.add("spec.policy.image", error.why().to_owned(), cure);
                None
            }
        };
    }
    let found = given.config_map.as_ref()?;
    named(&found.name, "spec.policy.configMap.name", problems);
    named(&found.key, "spec.policy.configMap.key", problems);
    Some(Source::ConfigMap(found.clone()))
}

/// A signature that is asked for and not looked at would be worse than a refusal.
fn public_keys(given: &PolicySpec, problems: &mut Problems) -> Vec<SecretKey> {
    let path = "spec.policy.verification";
    let Some(verification) = &given.verification else { return Vec::new() };
    if given.image.is_none() {
        problems.add(path, "nothing but an image has signatures", "name an image, or leave it out");
    }
    if verification.public_keys.is_empty() {
        problems.add(path, "it names no key", "write publicKeys, or leave it out");
    }
    if verification.public_keys.len() > MOST {
        let cure = "name as many as sign by now, 16 at most";
        problems.add("spec.policy.verification.publicKeys", "it names more than 16 keys", cure);
    }
    let keys: Vec<SecretKey> =
        verification.public_keys.iter().map(|key| key.secret_key_ref.clone()).collect();
    for SecretKey { name, key } in &keys {
        named(name, "spec.policy.verification.publicKeys.secretKeyRef.name", problems);
        named(key, "spec.policy.verification.publicKeys.secretKeyRef.key", problems);
    }
    keys
}

/// Whether a text can be the name of an object or a key in one.
fn named(text: &str, path: &'static str, problems: &mut Problems) {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
    if text.is_empty() || text.len() > 253 || !text.chars().all(allowed) {
        problems.add(path, "it is no name", "write 1 to 253 of a-z, A-Z, 0-9, '-', '.' and '_'");
    }
}

fn builtin(settings: Map<String, Value>, problems: &mut Problems) -> LargestInteger {
    Value::Object(settings).to_string().parse().unwrap_or_else(|why| {
        let cure = "largest-integer knows `settings: {monotonic: true}`";
        problems.add("spec.policy.settings", why, cure);
        LargestInteger::default()
    })
}

fn bounded(settings: Map<String, Value>, problems: &mut Problems) -> Settings {
    Settings::new(settings).unwrap_or_else(|error| {
        problems.add("spec.policy.settings", error.to_string(), "write fewer");
        Settings::default()
    })
}

fn without_effect(given: &PolicySpec) -> impl Iterator<Item = Notice> {
    let why = match given.config_map {
        Some(_) => "a policy of a ConfigMap is not pulled",
        None => "a builtin policy is not pulled",
    };
    let candidate = given.candidate.as_ref().and_then(|candidate| candidate.image.as_ref());
    let is_pulled = given.image.is_some() || candidate.is_some();
    [
        (given.pull_policy.is_some(), "spec.policy.pullPolicy"),
        (!given.pull_secrets.is_empty(), "spec.policy.pullSecrets"),
    ]
    .into_iter()
    .filter(move |(written, _)| *written && !is_pulled)
    .map(move |(_, path)| Notice::FieldIgnored { path, why })
}
