//! A policy's component: compiled once, asked many times.

use std::collections::BTreeSet;
use std::fmt;

use wasmtime::component::{InstancePre, Linker};

use super::bindings as wit;
use super::call::{Bounds, contained};
use super::digest::Digest;
use super::engine::Host;
use super::failure::{Failure, is_of_memory};
use super::inspect::inspect;
use super::interface::Interface;
use super::metadata::{Description, Undescribed};
use super::refusal::Refusal;
use super::why::cut;

/// A component that was inspected, compiled, started once, and found to have the functions of the contract.
pub struct Component {
    digest: Digest,
    size: usize,
    exports: BTreeSet<Interface>,
    description: Option<Description>,
    pub(super) pre: InstancePre<Bounds>,
    pub(super) worlds: Worlds,
}

/// Where its functions are, for the interfaces that it exports.
pub(super) struct Worlds {
    pub(super) sequence: Option<wit::sequence::SequencePolicyIndices>,
    pub(super) seed: Option<wit::seed::SeedPolicyIndices>,
    pub(super) primaries: Option<wit::primaries::PrimariesPolicyIndices>,
    pub(super) replicas: Option<wit::replicas::ReplicasPolicyIndices>,
    pub(super) metadata: Option<wit::metadata::MetadataPolicyIndices>,
}

impl Component {
    /// Takes bytes for a policy. It compiles: that takes a tenth of a second for a policy, and up to a minute for bytes
    /// that were made to take long. It belongs onto a thread that may block, with a stack of at least
    /// `limits::THREAD_STACK`, and only one at a time.
    ///
    /// # Errors
    /// Why the bytes are not taken for one.
    pub fn load(host: &Host, bytes: &[u8]) -> Result<Self, Refusal> {
        let exports = inspect(bytes)?;
        let pre = contained(|| compile(host, bytes)).map_err(Refusal::Start)??;
        let worlds = Worlds::find(&pre, &exports)?;
        let digest = Digest::of(bytes);
        let mut component = Self { digest, size: bytes.len(), exports, description: None, pre, worlds };
        component.start_once()?;
        component.description = component.describe()?;
        Ok(component)
    }

    /// Of its bytes.
    #[must_use]
    pub fn digest(&self) -> &Digest {
        &self.digest
    }

    /// Its bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// What it answers.
    #[must_use]
    pub fn exports(&self) -> &BTreeSet<Interface> {
        &self.exports
    }

    /// What it says of itself, if it exports `metadata`.
    #[must_use]
    pub fn description(&self) -> Option<&Description> {
        self.description.as_ref()
    }

    fn describe(&self) -> Result<Option<Description>, Undescribed> {
        let Some(world) = &self.worlds.metadata else { return Ok(None) };
        let told = self.run(|store, instance| {
            let world = world.load(&mut *store, instance)?;
            world.clusterlabs_policy_metadata().call_describe(store)
        });
        let told = told.value?;
        Description::new(told.name, told.version, told.summary, told.settings_schema).map(Some)
    }

    /// Starts one instance and compares the types of its functions with the contract's.
    fn start_once(&self) -> Result<(), Refusal> {
        let checked = self.run(|store, instance| {
            let worlds = &self.worlds;
            macro_rules! check {
                ($($world:ident is $interface:ident),*) => {$(
                    if let Some(Err(error)) = worlds.$world.as_ref().map(|w| w.load(&mut *store, instance)) {
                        return Ok(Err(types(Interface::$interface, &error)));
                    }
                )*};
            }
            check!(sequence is Sequence, seed is Seed, primaries is Primaries);
            check!(replicas is Replicas, metadata is Metadata);
            Ok(Ok(()))
        });
        checked.value.map_err(Refusal::Start)?
    }
}

fn compile(host: &Host, bytes: &[u8]) -> Result<InstancePre<Bounds>, Refusal> {
    let invalid = |error: wasmtime::Error| match is_of_memory(&error) {
        true => Refusal::Start(Failure::NoMemory),
        false => Refusal::Invalid(cut(&error.root_cause().to_string())),
    };
    let compiled = host.compile(bytes).map_err(invalid)?;
    Linker::new(&host.engine).instantiate_pre(&compiled).map_err(invalid)
}

fn types(interface: Interface, error: &wasmtime::Error) -> Refusal {
    Refusal::Types { interface, detail: cut(&error.root_cause().to_string()) }
}

impl Worlds {
    fn find(pre: &InstancePre<Bounds>, exports: &BTreeSet<Interface>) -> Result<Self, Refusal> {
        macro_rules! find {
            ($indices:path, $interface:ident) => {
                exports
                    .contains(&Interface::$interface)
                    .then(|| <$indices>::new(pre).map_err(|error| types(Interface::$interface, &error)))
                    .transpose()?
            };
        }
        Ok(Self {
            sequence: find!(wit::sequence::SequencePolicyIndices, Sequence),
            seed: find!(wit::seed::SeedPolicyIndices, Seed),
            primaries: find!(wit::primaries::PrimariesPolicyIndices, Primaries),
            replicas: find!(wit::replicas::ReplicasPolicyIndices, Replicas),
            metadata: find!(wit::metadata::MetadataPolicyIndices, Metadata),
        })
    }
}

impl fmt::Debug for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Component")
            .field("digest", &self.digest)
            .field("size", &self.size)
            .field("exports", &self.exports)
            .finish_non_exhaustive()
    }
}
