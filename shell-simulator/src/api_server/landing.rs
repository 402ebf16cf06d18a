//! What a write of an object does to the cluster.

use api_server::{Answer, Effect, Place, Request, Verb};
use hyper::StatusCode;
use planner::names::{PodUid, ReplicaName, Revision};
use planner::observation::Role;
use serde_json::{Value, json};

use super::State;
use super::shown::{WORKLOAD_PATH, claim_path};

/// The annotation of a claim in which its record stands.
const RECORD: &str = "clusterlabs.org/record";

impl State {
    /// Takes a write, and lets the cluster follow it.
    pub(crate) fn write(&mut self, request: &Request) -> Answer {
        let Request { verb, place, sent, .. } = request;
        if place.plural == "events" {
            return (StatusCode::CREATED, sent.clone().into());
        }
        let effect = match self.store.decide(request) {
            Ok(effect) => effect,
            Err(answer) => return answer,
        };
        let (Effect::Put { object, .. } | Effect::Remove { told: object, .. }) = &effect;
        self.identities.witness(self.now, request, object, &self.store);
        if self.is_bare(object) {
            return self.store.commit(effect);
        }
        match (place.plural.as_str(), verb) {
            ("pods", Verb::Delete) => self.delete_pod(&place.path, effect, sent),
            (_, Verb::Delete) => {
                let answer = self.store.commit(effect);
                self.store.let_go(&place.path);
                answer
            }
            ("persistentvolumeclaims", Verb::Create) => {
                let answer = self.store.commit(effect);
                self.host_claim(&answer.1);
                answer
            }
            _ => {
                let answer = self.store.commit(effect);
                self.follow(place, answer)
            }
        }
    }

    /// An operator asks for a write: it may be refused, and may land later.
    pub(super) fn hear(&mut self, request: &Request) {
        let Request { verb, place, sent, .. } = request;
        if *verb != Verb::Delete {
            return;
        }
        match place.plural.as_str() {
            // Those of a StatefulCluster have laws of their own.
            "persistentvolumeclaims" if self.store.of("statefulclusters").next().is_none() => {
                self.deleted_claims.push(place.path.clone());
            }
            "pods" => {
                let uid = self.uid(&place.path).filter(|uid| sent["preconditions"]["uid"] == **uid);
                uid.into_iter().for_each(|uid| self.cluster.hear_of_deletion(&PodUid(uid)));
            }
            _ => {}
        }
    }

    fn follow(&mut self, place: &Place, answer: Answer) -> Answer {
        let (code, object) = answer;
        match place.plural.as_str() {
            "statefulsets" => self.follow_workload(),
            "statefulclusters" => self.follow_cluster(&object),
            "replicatedstatefulsets" => self.follow_set(&object),
            "persistentvolumeclaims" => self.follow_claim(place, &object),
            "pods" if place.subresource.is_some() => self.show_again(&place.path),
            "pods" => self.follow_pod(&object),
            _ => {}
        }
        (code, object)
    }

    /// A pod that is to go is ended by its kubelet; of one that is gone at once the processes live on.
    fn delete_pod(&mut self, path: &str, effect: Effect, sent: &Value) -> Answer {
        let uid = |pod: &Value| PodUid(pod["metadata"]["uid"].as_str().unwrap_or_default().to_owned());
        match effect {
            Effect::Put { .. } => {
                let answer = self.store.commit(effect);
                self.cluster.delete_pod(&uid(&answer.1), sent["gracePeriodSeconds"].as_u64());
                answer
            }
            // It has no node yet.
            Effect::Remove { told, .. } if told["spec"]["nodeName"].is_null() => {
                self.store.remove(path);
                (StatusCode::OK, told.into())
            }
            Effect::Remove { told, .. } => {
                self.cluster.force_delete(&uid(&told));
                (StatusCode::OK, told.into())
            }
        }
    }

    fn follow_workload(&mut self) {
        let mut object = self.store.get(WORKLOAD_PATH).cloned().unwrap_or_default();
        let revision = format!("rss-x-{:016x}", fnv(&object["spec"]["template"].to_string()));
        let is_new = self.cluster.workload().is_none();
        self.cluster.apply_workload(&Revision(revision.clone()));
        let size = object["spec"]["replicas"].as_u64().and_then(|size| u32::try_from(size).ok()).unwrap_or(1);
        if is_new || self.cluster.workload().is_some_and(|scale| scale.replicas != size) {
            self.cluster.resize(size);
        }
        object["status"] = json!({"replicas": size, "observedGeneration": object["metadata"]["generation"],
            "updateRevision": revision, "currentRevision": revision});
        self.store.put(WORKLOAD_PATH, object);
    }

    fn follow_set(&mut self, set: &Value) {
        let memory = &set["status"]["memory"];
        let memory = (!memory.is_null()).then(|| serde_json::from_value(memory.clone()));
        self.cluster.keep_memory(memory.map(|memory| memory.expect("what the operator wrote can be read")));
    }

    fn follow_claim(&mut self, place: &Place, claim: &Value) {
        let ordinals: Vec<u32> = self.cluster.claims().into_keys().collect();
        let Some(ordinal) =
            ordinals.into_iter().find(|ordinal| claim_path(&self.cluster, *ordinal) == place.path)
        else {
            return;
        };
        let record = claim["metadata"]["annotations"][RECORD].as_str();
        let record =
            record.map(|text| serde_json::from_str(text).expect("what the operator wrote can be read"));
        self.cluster.keep_record(ordinal, record);
    }

    fn follow_pod(&mut self, pod: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let (name, uid) =
            (ReplicaName(text(&pod["metadata"]["name"])), PodUid(text(&pod["metadata"]["uid"])));
        let labels = &pod["metadata"]["labels"];
        let Some(active) = labels["rss-active-member"].as_str() else { return };
        let role = match labels["clusterlabs.org/role"].as_str() {
            Some("primary") => Some(Role::Primary),
            Some("secondary") => Some(Role::Secondary),
            Some("stopped") => Some(Role::Stopped),
            _ => None,
        };
        self.cluster.label(&name, &uid, active == "true", role);
    }
}

fn fnv(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
