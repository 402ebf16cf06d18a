//! What a write does: decided first, and done in one piece.

use hyper::StatusCode;
use serde_json::{Value, json};

use crate::answer::{Answer, failure, not_found, unsupported};
use crate::birth::created;
use crate::change::changed;
use crate::kind::Kind;
use crate::place::Place;
use crate::removal::removed;
use crate::request::{Request, Verb};
use crate::store::Store;

/// What a write does, if it is let.
#[derive(Clone, Debug)]
pub enum Effect {
    /// An object is written.
    Put {
        /// What is answered.
        code: StatusCode,
        /// Where it is.
        path: String,
        /// As it is then, but for its version.
        object: Value,
        /// It is answered by how many replicas it has.
        is_scale: bool,
    },
    /// An object goes.
    Remove {
        /// Where it was.
        path: String,
        /// What is answered.
        told: Value,
        /// As it is first marked, which watches are told too.
        marked: Option<Value>,
        /// It is told at the version at which it went.
        is_told_gone: bool,
    },
}

// === impl Store ===

impl Store {
    /// Does what a write asks for, or says why not.
    pub fn write(&mut self, request: &Request) -> Answer {
        match self.decide(request) {
            Ok(effect) => self.commit(effect),
            Err(answer) => answer,
        }
    }

    /// What a write would do.
    ///
    /// # Errors
    /// It is refused, with this answer.
    pub fn decide(&mut self, request: &Request) -> Result<Effect, Answer> {
        let place = &request.place;
        let Some(kind) = Kind::of(&place.plural) else {
            return Err(self.refuse(format!("{} of {}", request.verb.as_str(), place.plural)));
        };
        let name = place.name.as_deref().or(request.sent["metadata"]["name"].as_str()).unwrap_or_default();
        let births = self.births.get(&format!("{}/{name}", collection(place))).copied().unwrap_or(0);
        let uid = format!("{}.{name}.{births}", place.plural);
        let found = self.get(&place.path);
        let decided = match request.verb {
            Verb::Create => created(request, kind, uid).and_then(|effect| self.unless_there(effect)),
            Verb::Delete if place.subresource.is_some() => Err(unsupported("deletion of a part")),
            Verb::Delete => found.map_or_else(|| Err(not_found()), |found| removed(found, request, kind)),
            _ => changed(found, request, kind, || uid),
        };
        decided.inspect_err(|answer| {
            if answer.0 == StatusCode::NOT_IMPLEMENTED {
                self.unsupported.push(answer.1["message"].as_str().unwrap_or_default().to_owned());
            }
        })
    }

    fn unless_there(&self, effect: Effect) -> Result<Effect, Answer> {
        match &effect {
            Effect::Put { path, .. } if self.kept(path).is_some() => {
                Err(failure(StatusCode::CONFLICT, "AlreadyExists"))
            }
            _ => Ok(effect),
        }
    }

    pub(crate) fn refuse(&mut self, what: String) -> Answer {
        let answer = unsupported(&what);
        self.unsupported.push(what);
        answer
    }

    /// Does what was decided, and gives the answer.
    pub fn commit(&mut self, effect: Effect) -> Answer {
        match effect {
            Effect::Put { code, path, object, is_scale } => {
                let object = self.put(&path, object);
                (code, if is_scale { scale(&object).into() } else { object })
            }
            Effect::Remove { path, mut told, marked, is_told_gone } => {
                if let Some(marked) = marked {
                    self.put(&path, marked);
                }
                self.remove(&path);
                if is_told_gone {
                    told["metadata"]["resourceVersion"] = json!(self.version().to_string());
                }
                (StatusCode::OK, told.into())
            }
        }
    }
}

fn scale(object: &Value) -> Value {
    let metadata = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"];
    let metadata = metadata.map(|field| (field.to_owned(), object["metadata"][field].clone()));
    let mut scale = json!({"apiVersion": "autoscaling/v1", "kind": "Scale",
        "metadata": Value::from_iter(metadata), "spec": {"replicas": object["spec"]["replicas"]},
        "status": {"replicas": object["status"]["replicas"]}});
    // Its schema leaves out what is 0.
    if scale["spec"]["replicas"] == 0 {
        scale["spec"] = json!({});
    }
    scale
}

/// The path of all objects of a kind, where one of them is meant.
fn collection(place: &Place) -> &str {
    place.name.as_ref().map_or(place.path.as_str(), |name| &place.path[..place.path.len() - name.len() - 1])
}
