//! How a story ended, and whether another way to the same end was as good.

use std::collections::{BTreeMap, BTreeSet};

use planner::observation::Command;
use serde_json::{Value, json};

use crate::api_server::{SET_PATH, State};
use crate::identities::object::{claims, identity};

/// How a story ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// What stands in the API server, as JSON by a name. Without versions, times, names that are drawn and positions, which
    /// depend on how much clients wrote meanwhile. An epoch is told by how far it is behind the newest.
    pub state: BTreeMap<String, String>,
    /// The newest epoch.
    pub epoch: u64,
    /// How often a command of each kind began: how often it was refused by its guard does not count.
    pub commands: BTreeMap<String, usize>,
    /// How many stops began of which whoever asked for them may not have heard how they ended.
    pub unheard_stops: usize,
    /// How many objects of each kind were made, and how many went.
    pub counts: BTreeMap<&'static str, (usize, usize)>,
}

/// What the operator makes and deletes, and whose specification tells how it ended.
const SPECIFIED: [&str; 4] = ["statefulsets", "statefulclusters", "services", "poddisruptionbudgets"];

/// The others whose creations and deletions are compared.
const COUNTED: [&str; 4] = [PODS, "persistentvolumeclaims", "controllerrevisions", "configmaps"];

pub(crate) const PODS: &str = "pods";

/// As they are counted.
const FOLLOW: &str = "Follow";
const STOP: &str = "Stop";

/// What only asks, and may be asked again by who did not hear the answer.
const QUESTIONS: [Command; 2] = [Command::Read, Command::Probe];

impl End {
    pub(crate) fn of(state: &State) -> Self {
        let mut all = Vec::new();
        for plural in SPECIFIED {
            all.extend(
                state.store.of(plural).map(|(path, object)| (path.clone(), object["spec"].to_string())),
            );
        }
        let pods = state.store.of(PODS);
        all.extend(pods.map(|(path, pod)| (path.clone(), pod["metadata"]["labels"].to_string())));
        let set = state.store.get(SET_PATH).cloned().unwrap_or_default();
        let epoch = set["status"]["memory"]["epoch"]["number"].as_u64().unwrap_or(0);
        let claims = state.store.of("persistentvolumeclaims");
        all.extend(claims.map(|(path, claim)| (path.clone(), promised(claim, epoch).to_string())));
        all.push(("status".to_owned(), told(&set["status"]).to_string()));
        let mut commands = BTreeMap::new();
        for began in state.cluster.began() {
            *commands.entry(format!("{:?}", began.command)).or_default() += 1;
        }
        Self {
            state: anonymous(state, all),
            epoch,
            commands,
            unheard_stops: state.unheard_stops,
            counts: SPECIFIED
                .iter()
                .chain(&COUNTED)
                .map(|plural| (*plural, state.store.counts(plural)))
                .collect(),
        }
    }

    /// The same, told as if who leads were who led in the other: their names are exchanged.
    pub(crate) fn promoted_as_in(&mut self, other: &Self) {
        let (Some(leads), Some(led)) = (self.leader(), other.leader()) else { return };
        let exchanged =
            |text: &str| text.replace(&leads, "LEADS").replace(&led, &leads).replace("LEADS", &led);
        let all = self.state.iter().map(|(name, text)| (exchanged(name), sorted(&exchanged(text))));
        self.state = all.collect();
    }

    /// The same, without that so many followers at most were stopped and joined once more.
    pub(crate) fn joined_as_in(&mut self, other: &Self, most: usize) {
        let count = |end: &Self, kind| end.commands.get(kind).copied().unwrap_or(0);
        let more = |kind| count(self, kind).saturating_sub(count(other, kind));
        let again = more(FOLLOW);
        if again <= most && again <= more(STOP) {
            for kind in [FOLLOW, STOP] {
                self.commands.entry(kind.to_owned()).and_modify(|count| *count -= again);
            }
        }
    }

    /// The same, as if so many questions of each kind at most had been asked that were left out.
    pub(crate) fn asked_as_in(&mut self, other: &Self, most: usize) {
        for kind in QUESTIONS.map(|command| format!("{command:?}")) {
            let was = other.commands.get(&kind).copied().unwrap_or(0);
            let is = self.commands.entry(kind).or_default();
            if *is < was && *is + most >= was {
                *is = was;
            }
        }
    }

    /// The pod that has the label of a primary, if one alone does.
    fn leader(&self) -> Option<String> {
        let leads = |text: &str| text.contains(r#""clusterlabs.org/role":"primary""#);
        let mut all = self.state.iter().filter(|(_, text)| leads(text)).map(|(path, _)| path);
        let first = all.next().filter(|_| all.next().is_none())?;
        first.rsplit('/').next().map(str::to_owned)
    }

    /// How many pods were made, and how many went.
    #[must_use]
    pub fn pods(&self) -> (usize, usize) {
        self.counts[PODS]
    }

    /// What is not as it was in the story without trouble. Questions may have been repeated, once by each of `members`
    /// for each of `deaths`, and each stop once of which nobody heard how it ended; nothing else.
    #[must_use]
    pub fn differs(&self, from: &Self, members: usize, deaths: usize) -> Vec<String> {
        let mut all = Vec::new();
        let names = self.state.keys().chain(from.state.keys());
        let names: BTreeSet<&String> = names.collect();
        for name in names {
            let (is, was) = (self.state.get(name), from.state.get(name));
            if is != was {
                all.push(format!("{name}: {is:?}, and not {was:?}"));
            }
        }
        if self.epoch != from.epoch {
            all.push(format!("epoch {}, and not {}", self.epoch, from.epoch));
        }
        for (plural, is) in &self.counts {
            let was = from.counts[plural];
            if *is != was {
                all.push(format!("{plural} made and gone: {is:?}, and not {was:?}"));
            }
        }
        for kind in self.commands.keys().chain(from.commands.keys()).collect::<BTreeSet<_>>() {
            let count = |end: &Self| end.commands.get(kind).copied().unwrap_or(0);
            let (is, was) = (count(self), count(from));
            let is_a = |command: &Command| format!("{command:?}") == *kind;
            let more = if QUESTIONS.iter().any(is_a) {
                members * deaths
            } else if is_a(&Command::Stop) {
                self.unheard_stops
            } else {
                0
            };
            if is < was || is > was + more {
                all.push(format!("{kind} began {is} times, and not {was}"));
            }
        }
        all
    }
}

/// Names that were drawn are not told, and what was told under one is then told under all.
fn anonymous(state: &State, all: Vec<(String, String)>) -> BTreeMap<String, String> {
    let drawn = claims(&state.store);
    let drawn: Vec<&str> = drawn.iter().map(|(_, claim)| identity(claim)).collect();
    let unnamed = |text: String| drawn.iter().fold(text, |text, name| text.replace(name, "IDENTITY"));
    let mut told: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, text) in all {
        told.entry(unnamed(name)).or_default().push(unnamed(text));
    }
    told.values_mut().for_each(|texts| texts.sort());
    told.into_iter().map(|(name, texts)| (name, texts.join("; "))).collect()
}

/// With the names in its lists in their order.
fn sorted(text: &str) -> String {
    let Ok(mut told) = serde_json::from_str::<Value>(text) else { return text.to_owned() };
    let members = told.pointer_mut("/members").and_then(Value::as_object_mut);
    for list in members.into_iter().flat_map(|members| members.values_mut()).filter_map(Value::as_array_mut) {
        list.sort_by_key(ToString::to_string);
    }
    told.to_string()
}

/// What a claim's record says of where its data stands.
fn promised(claim: &Value, newest: u64) -> Value {
    let text = claim["metadata"]["annotations"]["clusterlabs.org/record"].as_str().unwrap_or("null");
    let record: Value = serde_json::from_str(text).unwrap_or_default();
    let behind = |epoch: &Value| epoch.as_u64().map(|number| newest.abs_diff(number));
    json!({"epoch": behind(&record["epoch"]["number"]), "confirmed": behind(&record["confirmed"]),
        "joining": record["joining"], "left": record["left"], "waived": record["waived"],
        "open": record["open"].as_array().map(Vec::len)})
}

/// What the status tells people.
fn told(status: &Value) -> Value {
    let conditions = status["conditions"].as_array().into_iter().flatten();
    let conditions: Vec<String> = conditions
        .map(|condition| format!("{} {} {}", condition["type"], condition["status"], condition["reason"]))
        .collect();
    json!({"phase": status["phase"], "reason": status["reason"], "members": status["members"],
        "replicas": status["replicas"], "conditions": conditions})
}
