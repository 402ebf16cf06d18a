//! One sequence, told to both servers, request by request.

use std::collections::BTreeSet;

use anyhow::{Result, bail, ensure};
use serde_json::{Value, json};

use super::asked::{Asked, Known};
use super::seen;
use super::sequence::{Step, sequence};
use super::sides::{InMemory, Real};
use super::universe::{Kind, LABEL};

/// Both servers, and what each said.
struct Both<'a> {
    real: &'a Real,
    memory: InMemory,
    namespace: &'a str,
    known: [Known; 2],
    /// What was asked for, and answered alike.
    told: Vec<String>,
}

/// Tells the sequence of a seed to both: how many requests that were.
///
/// # Errors
/// With what differs, after all that did not.
pub(crate) async fn compare(real: &Real, namespace: &str, seed: u64) -> Result<u64> {
    let steps = sequence(seed);
    let kinds: BTreeSet<Kind> = steps.iter().map(|step| step.kind).collect();
    let mut since = Vec::new();
    for kind in kinds {
        since.push((kind, real.version(kind, namespace).await?));
    }
    let mut both =
        Both { real, memory: InMemory::default(), namespace, known: Default::default(), told: Vec::new() };
    let mut asked = 0;
    let mut result = Ok(());
    for step in &steps {
        match Box::pin(both.step(seed, step)).await {
            Ok(was_asked) => asked += u64::from(was_asked),
            Err(error) => {
                result = Err(error);
                break;
            }
        }
    }
    if result.is_ok() {
        result = Box::pin(both.watched(seed, &since)).await;
    }
    both.clear(seed, &steps).await?;
    result.map(|()| asked)
}

fn name(seed: u64, number: u64) -> String {
    format!("s{seed}-{number}")
}

// === impl Both ===

impl Both<'_> {
    async fn step(&mut self, seed: u64, step: &Step) -> Result<bool> {
        let name = name(seed, step.name);
        let path = format!("{}/{name}", step.kind.path(self.namespace));
        let [real, memory] =
            [0, 1].map(|side: usize| Asked::of(step, self.namespace, &name, &self.known[side]));
        let (Some(to_real), Some(to_memory)) = (&real, &memory) else {
            ensure!(
                real.is_none() == memory.is_none(),
                self.differs(step, "one can be asked", &json!(null), &json!(null))
            );
            return Ok(false);
        };
        let answers = [self.real.ask(to_real).await?, self.memory.ask(to_memory)?];
        let of_sequence = [0, 1].map(|number| self::name(seed, number));
        let before = [0, 1].map(|side: usize| self.known[side].last(&path));
        let [real, memory] =
            [0, 1].map(|side| seen::answer(step.kind, &answers[side], &before[side], &of_sequence));
        let unsupported = self.memory.0.unsupported();
        ensure!(unsupported.is_empty(), "it does not know {unsupported:?}, at {step:?}");
        if real != memory {
            bail!("{}\nthe real one said {}", self.differs(step, "the answer", &real, &memory), answers[0].1);
        }
        let objects = [self.real.settled(step.kind, &path).await?, self.memory.settled(&path)];
        let [is, should] = [1, 0].map(|side: usize| seen::object(step.kind, &objects[side]));
        if is != should {
            bail!("{}", self.differs(step, "what stands there", &should, &is));
        }
        for (side, object) in objects.iter().enumerate() {
            if !object.is_null() {
                let is_same = |last: &Value| {
                    last["metadata"]["uid"] == object["metadata"]["uid"]
                        && seen::object(step.kind, last) == seen::object(step.kind, object)
                };
                self.known[side].keep(&path, object, is_same);
            }
        }
        self.told.push(format!("{step:?} -> {real}"));
        Ok(true)
    }

    fn differs(&self, step: &Step, what: &str, real: &Value, memory: &Value) -> String {
        format!(
            "{}\n{what} differs at {step:?}\n  the real one: {real}\n  in memory:    {memory}",
            self.told.join("\n")
        )
    }

    /// What watches told of all of it: of every object, and of those with a label.
    async fn watched(&self, seed: u64, since: &[(Kind, String)]) -> Result<()> {
        let names = [0, 1].map(|number| name(seed, number));
        for (kind, version) in since {
            // Nobody watches leases, and in memory nobody could.
            if *kind == Kind::Lease {
                continue;
            }
            for selector in ["", LABEL] {
                let real = self.real.told(*kind, self.namespace, version, selector).await?;
                let memory = self.memory.told(*kind, self.namespace, 0, selector);
                let [real, memory] = [real, memory].map(|lines| seen::events(*kind, &lines, &names));
                ensure!(
                    real == memory,
                    "{}\na watch of {kind:?} with {selector:?} told\n  {}\nand in memory\n  {}",
                    self.told.join("\n"),
                    real.join("\n  "),
                    memory.join("\n  ")
                );
            }
        }
        Ok(())
    }

    /// Nothing is left that holds the namespace.
    async fn clear(&self, seed: u64, steps: &[Step]) -> Result<()> {
        let places: BTreeSet<(Kind, u64)> = steps.iter().map(|step| (step.kind, step.name)).collect();
        for (kind, number) in places {
            let path = format!("{}/{}", kind.path(self.namespace), name(seed, number));
            let free = json!({"metadata": {"finalizers": null}});
            let gone = json!({"kind": "DeleteOptions", "apiVersion": "v1", "gracePeriodSeconds": 0});
            for (method, content, body) in
                [("PATCH", "application/merge-patch+json", free), ("DELETE", "application/json", gone)]
            {
                self.real.ask(&Asked { method, path: path.clone(), content, body }).await?;
            }
        }
        Ok(())
    }
}
