//! The component's side of the contract: generated from `wit/policy.wit`, and how its types become those of this crate.
//! Each interface has types of its own, so each has a module; none is in a component unless it is exported.
// The generated code is unsafe, and documented in the contract.
#![allow(unsafe_code, missing_docs, unreachable_pub, clippy::all)]

mod convert;

pub use wit_bindgen::rt;

use crate::{Policy, Primaries, Replicas, Seed, Sequence, Settings, call};
use std::marker::PhantomData;

/// The author's policy, as what is exported.
#[derive(Debug)]
pub struct Component<P>(PhantomData<P>);

pub mod sequence {
    wit_bindgen::generate!({
        path: "../wit/policy.wit",
        world: "sequence-policy",
        runtime_path: "policy_sdk::glue::rt",
        pub_export_macro: true,
        export_macro_name: "export_sequence",
    });
}

pub mod seed {
    wit_bindgen::generate!({
        path: "../wit/policy.wit",
        world: "seed-policy",
        runtime_path: "policy_sdk::glue::rt",
        pub_export_macro: true,
        export_macro_name: "export_seed",
    });
}

pub mod primaries {
    wit_bindgen::generate!({
        path: "../wit/policy.wit",
        world: "primaries-policy",
        runtime_path: "policy_sdk::glue::rt",
        pub_export_macro: true,
        export_macro_name: "export_primaries",
    });
}

pub mod replicas {
    wit_bindgen::generate!({
        path: "../wit/policy.wit",
        world: "replicas-policy",
        runtime_path: "policy_sdk::glue::rt",
        pub_export_macro: true,
        export_macro_name: "export_replicas",
    });
}

pub mod metadata {
    wit_bindgen::generate!({
        path: "../wit/policy.wit",
        world: "metadata-policy",
        runtime_path: "policy_sdk::glue::rt",
        pub_export_macro: true,
        export_macro_name: "export_metadata",
    });
}

use metadata::exports::clusterlabs::policy::metadata as wit_metadata;
use primaries::exports::clusterlabs::policy::primaries as wit_primaries;
use replicas::exports::clusterlabs::policy::replicas as wit_replicas;
use seed::exports::clusterlabs::policy::seed as wit_seed;
use sequence::exports::clusterlabs::policy::sequence as wit_sequence;

impl<P: Sequence> wit_sequence::Guest for Component<P> {
    fn read(settings: String, output: wit_sequence::Output) -> wit_sequence::Answer {
        call::read::<P>(&settings, &output.into()).into()
    }
}

impl<P: Seed> wit_seed::Guest for Component<P> {
    fn choose(settings: String, candidates: Vec<wit_seed::Candidate>) -> wit_seed::Answer {
        call::choose::<P>(&settings, &convert::all(candidates)).into()
    }
}

impl<P: Primaries> wit_primaries::Guest for Component<P> {
    fn order(settings: String, members: Vec<wit_primaries::Candidate>) -> wit_primaries::Answer {
        let answer = call::order::<P>(&settings, &convert::all(members));
        wit_primaries::Answer { ordering: answer.ordering, why: answer.why }
    }
}

impl<P: Replicas> wit_replicas::Guest for Component<P> {
    fn treat(
        settings: String,
        member: wit_replicas::Candidate,
        primaries: Vec<String>,
    ) -> wit_replicas::Answer {
        call::treat::<P>(&settings, &member.into(), &primaries).into()
    }
}

impl<P: Policy> wit_metadata::Guest for Component<P> {
    fn describe() -> wit_metadata::Description {
        wit_metadata::Description {
            name: P::NAME.to_owned(),
            version: P::VERSION.to_owned(),
            summary: P::SUMMARY.to_owned(),
            settings_schema: P::Settings::schema(),
        }
    }

    fn check(settings: String) -> Vec<wit_metadata::Problem> {
        let problem =
            |problem: crate::Problem| wit_metadata::Problem { path: problem.path, message: problem.message };
        call::check::<P>(&settings).into_iter().map(problem).collect()
    }
}
