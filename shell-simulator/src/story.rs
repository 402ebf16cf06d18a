//! A set, whoever looks after it, and how it ends.

use std::collections::BTreeSet;

use operator::observe::ALLOW;
use planner::key::Key;
use serde_json::{Value, json};
use simulator::{Chance, Options};

use crate::api_server::{ApiServer, SET_PATH, State};
use crate::end::End;
use crate::identities::object::{claims, cluster_of, identity, released};
use crate::operators::Operators;
use crate::rest::Asked;
use crate::set;
use crate::tally::Tally;
use crate::watches::Watches;

/// When a story of a set is over.
const ASKED: Asked = Asked { is_well, waits_for_a_person, told };

/// Where a resource names the program of its pods.
pub(crate) const IMAGE: &str = "/pod/containers/0/image";

/// So many keys a person gives to one set, and no more.
const KEYS: u64 = 12;

/// A set in its cluster, and the operator's processes.
pub struct Story {
    /// The API server.
    pub server: ApiServer,
    /// The processes.
    pub operators: Operators,
}

impl Story {
    /// A set is made, and an operator started.
    #[must_use]
    pub fn begin(seed: u64, options: Options) -> Self {
        Self::watching(seed, options, Watches::default())
    }

    /// The same, and this is wrong with all watches.
    #[must_use]
    pub fn watching(seed: u64, options: Options, watches: Watches) -> Self {
        let resource = set::resource(&options);
        Self::of(seed, options, resource, watches)
    }

    /// The same of a set on a StatefulCluster, where another identity takes the place of who is lost for so many seconds.
    #[must_use]
    pub fn on_identities(seed: u64, options: Options, replace_after: u64, watches: Watches) -> Self {
        let resource = set::on_identities(&options, replace_after);
        Self::of(seed, options, resource, watches)
    }

    fn of(seed: u64, options: Options, resource: Value, watches: Watches) -> Self {
        let server = ApiServer::begin(seed, options);
        server.act(|state| state.store.put(SET_PATH, resource));
        let operators = Operators::start(&server, watches);
        Self { server, operators }
    }

    /// Lets time go on until the set is well and nothing is done any more.
    ///
    /// # Errors
    /// If it does not come to that, or something was done that must not be: all that happened, and what is wrong.
    pub async fn settles(&mut self) -> Result<(), String> {
        ASKED.settles(&mut self.operators).await
    }

    /// The same, and true also if it waits for a person and is not well.
    ///
    /// # Errors
    /// As there.
    pub async fn rests(&mut self) -> Result<bool, String> {
        ASKED.rests(&mut self.operators).await
    }

    /// Lets time go on until the set is well. Whenever it waits for a person, one of the keys that it names is given, after
    /// what the key says is so: how many were.
    ///
    /// # Errors
    /// As there, and if it is not well after so many keys.
    pub(crate) async fn settles_with_help(&mut self, chance: &mut Chance) -> Result<u64, String> {
        self.settles_with(|keys| Some(chance.index(keys.len()))).await
    }

    /// The same with the key that is chosen, as long as one is.
    ///
    /// # Errors
    /// As there.
    pub(crate) async fn settles_with(
        &mut self,
        mut choose: impl FnMut(&[String]) -> Option<usize>,
    ) -> Result<u64, String> {
        let mut given = 0;
        while given < KEYS && self.rests().await? {
            let keys = self.keys();
            let Some(chosen) = choose(&keys) else { break };
            self.give(&keys[chosen]);
            given += 1;
        }
        self.settles().await.map(|()| given)
    }

    fn set(&self) -> Value {
        self.server.act(|state| state.store.get(SET_PATH).cloned().unwrap_or_default())
    }

    /// The keys that it names.
    fn keys(&self) -> Vec<String> {
        let set = self.set();
        let holds = set["status"]["holds"].as_array().into_iter().flatten();
        let keys = holds.flat_map(|hold| hold["keys"].as_array().into_iter().flatten());
        keys.filter_map(|key| key.as_str()).map(str::to_owned).collect()
    }

    fn give(&self, key: &str) {
        self.server.act(|state| {
            Key::parse(key).iter().for_each(|key| state.cluster.stand_by(key));
            change(state, |set| set["metadata"]["annotations"][ALLOW] = json!(key));
        });
    }

    /// How it stands: after it became well and quiet, how it ended.
    #[must_use]
    pub fn end(&self) -> End {
        self.server.act(|state| End::of(state))
    }

    /// The resource asks for another size, and so many primaries.
    pub fn want(&self, replicas: u32, primaries: u32) {
        self.server.act(|state| {
            change(state, |set| {
                set["spec"]["replicas"] = json!(replicas);
                set["spec"]["primaries"] = json!(primaries);
            });
            state.cluster.want(replicas, primaries);
        });
    }

    /// The resource says this at a place of its specification.
    pub fn specify(&self, at: &str, what: Value) {
        let (of, field) = at.rsplit_once('/').unwrap_or_default();
        let say = |set: &mut Value| {
            if let Some(of) = set["spec"].pointer_mut(of) {
                of[field] = what;
            }
        };
        self.server.act(|state| change(state, say));
    }

    /// The same, and with as many primaries as before; or all of them, where nobody follows.
    pub(crate) fn resize(&self, replicas: u32) {
        let set = self.set();
        let is_followed = !set["spec"]["pod"]["commands"]["secondary"].is_null();
        self.want(replicas, if is_followed { 1 } else { replicas });
    }

    /// What it came to, after so many blows and keys.
    pub(crate) fn tally(&self, blows: u64, keys: u64) -> Tally {
        let (crashes, replaced) = (self.operators.deaths() as u64, self.replaced());
        Tally { crashes, faults: blows + self.operators.struck_besides(), keys, replaced }
    }

    /// How many identities took the place of others.
    pub(crate) fn replaced(&self) -> u64 {
        self.server.act(|state| state.identities.law.replaced())
    }

    /// The names of those that have a place: each with a claim, and not given up.
    #[must_use]
    pub fn identities(&self) -> BTreeSet<String> {
        self.server.act(|state| {
            let given_up = |claim: &Value| {
                let list = cluster_of(claim, &state.store).and_then(released).unwrap_or_default();
                list.contains(&identity(claim))
            };
            let claims = claims(&state.store);
            claims
                .iter()
                .filter(|(_, claim)| !given_up(claim))
                .map(|(_, claim)| identity(claim).to_owned())
                .collect()
        })
    }

    /// What the status says that it waits for.
    #[must_use]
    pub fn holds(&self) -> Vec<String> {
        let set = self.set();
        let holds = set["status"]["holds"].as_array().into_iter().flatten();
        holds.filter_map(|hold| hold["reason"].as_str()).map(str::to_owned).collect()
    }

    /// The status is lost, with all that stands in it.
    pub fn erase_status(&self) {
        self.server.act(|state| {
            change(state, |set| set["status"] = Value::Null);
            state.cluster.keep_memory(None);
        });
    }
}

/// The resource is another one from now on.
fn change(state: &mut State, change: impl FnOnce(&mut Value)) {
    let mut set = state.store.get(SET_PATH).cloned().unwrap_or_default();
    change(&mut set);
    state.store.put(SET_PATH, set);
}

/// All that is wanted runs, and the status says so.
fn is_well(state: &State) -> Result<(), String> {
    state.cluster.is_well()?;
    let set = state.store.get(SET_PATH).cloned().unwrap_or_default();
    match set["status"]["phase"].as_str() {
        Some("Running") => Ok(()),
        other => Err(format!("the phase is {other:?}: {}", set["status"]["reason"])),
    }
}

/// The set waits, and names what a person can do.
fn waits_for_a_person(state: &State) -> bool {
    let set = state.store.get(SET_PATH).cloned().unwrap_or_default();
    let mut holds = set["status"]["holds"].as_array().into_iter().flatten();
    holds.any(|hold| hold["keys"].as_array().is_some_and(|keys| !keys.is_empty()))
}

fn told(state: &State) -> String {
    let set = state.store.get(SET_PATH).cloned().unwrap_or_default();
    format!("{}\n{}", state.cluster.trace().join("\n"), set["status"])
}
