use std::path::PathBuf;

use clap::builder::{PathBufValueParser, TypedValueParser};
use clap::{Args, Subcommand, ValueHint};

use crate::access::Access;
use crate::candidate::Given;
use crate::file;
use crate::new::Name;
use crate::output::Format;

#[derive(Args)]
pub(crate) struct PolicyArguments {
    #[command(subcommand)]
    pub(crate) command: PolicyCommand,
    /// How to answer.
    #[arg(short, long, value_enum, value_name = "FORMAT", default_value_t, global = true)]
    pub(crate) output: Format,
}

#[derive(Subcommand)]
pub(crate) enum PolicyCommand {
    /// Write a new crate with a policy that builds and passes its fixtures as it is.
    ///
    /// The SDK is written beside it, into vendor: the crate needs nothing but its registry's serde and schemars. What
    /// is there already is never written over.
    New {
        /// What the policy is called: lower case letters, digits and -, from a letter to a letter or digit, at most 63;
        /// no keyword of Rust, and none of alloc, core, policy-sdk, std and test.
        name: Name,
        /// Where to write it; by default a new folder of that name, here.
        #[arg(long, value_name = "FOLDER")]
        folder: Option<PathBuf>,
    },
    /// Build the component of a policy and print where it is, how large, and its digest.
    ///
    /// It is written to policies/NAME.wasm in cargo's target folder. Built elsewhere from the same source, lock file
    /// and compiler, its bytes are the same.
    Build {
        /// The folder of the policy's crate.
        #[arg(default_value = ".")]
        folder: PathBuf,
    },
    /// Make the component of a policy from the module that a compiler of any language made.
    ///
    /// The module imports nothing and exports cabi_realloc, its memory, and the functions of each interface by which it
    /// decides, under their names in the canonical ABI, such as clusterlabs:policy/seed@0.1.0#choose. All else is in
    /// the contract, which this program has. A module with bindings of wit-bindgen tells its types by itself.
    Component {
        /// The module, as the linker made it.
        module: PathBuf,
        /// Where the component is written. What is there and is no component is not written over.
        #[arg(value_parser = PathBufValueParser::new().try_map(file::to_write))]
        out: PathBuf,
    },
    /// Show what a component is: name, version, interfaces, settings, size, digest, and whether the operator takes it.
    ///
    /// It is looked at as the operator does, and started once within the operator's bounds. Of one that the operator
    /// refuses, all is shown that can be told, and why: the exit code is then 1. An image is fetched as the operator
    /// does it, with the login of `docker login`.
    Inspect {
        /// The component: a file, or an image as HOST/REPOSITORY:TAG or HOST/REPOSITORY@DIGEST.
        #[arg(value_name = "FILE|IMAGE", value_hint = ValueHint::AnyPath)]
        component: String,
        /// Of an image, only show what its registry says of it, without the download. None of that is checked, and its
        /// settings are not among it: they stand in the component.
        #[arg(long)]
        claims: bool,
        #[command(flatten)]
        access: Access,
    },
    /// Try a component as the operator does before it decides anything: what must be true of any policy.
    ///
    /// The properties, questions and bounds are the operator's own. The operator stops at the first property that does
    /// not hold; this goes on and shows each, with the first question that shows it. The exit code is then 1.
    Conform {
        /// The component.
        file: PathBuf,
        /// The settings to try it with: a JSON object, as spec.policy.settings has it.
        #[arg(long, value_name = "JSON", default_value = "{}")]
        settings: Given,
    },
    /// Measure what components take: to compile, to answer, and of memory.
    ///
    /// Medians of this machine and of this build of the program, with the operator's own engine; each question is asked
    /// in a fresh instance, as the operator does. Beside them, what the policy that is part of the operator takes for the
    /// same questions. What a policy refuses is not measured: the exit code is then 1.
    Bench {
        /// The components.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The settings to measure them with: a JSON object that all of them accept.
        #[arg(long, value_name = "JSON", default_value = "{}")]
        settings: Given,
        /// Ask what the fixtures in this folder ask: of each interface the longest that is decided with these settings.
        /// Default: those in the folder fixtures here, as `new` writes it; where there is none, an output with a bare number,
        /// and three members with such.
        #[arg(long, value_name = "FOLDER")]
        fixtures: Option<PathBuf>,
    },
    /// Run every fixture: natively, by cargo test, and as the component that would run in a cluster.
    ///
    /// A fixture is a question with the answer that is right, as JSON in the crate's folder fixtures; the record of a
    /// decision is one as it is. The component is built first. The exit code is 1 if an answer is wrong either way.
    Test {
        /// The folder of the policy's crate.
        #[arg(default_value = ".")]
        folder: PathBuf,
    },
    /// Take recorded decisions again, offline, and compare answer and fuel.
    ///
    /// The component that decided is looked for by its digest, among the files *.wasm here, in target/policies and
    /// beside the record. A record without one is named, as is what is no record, and the others are taken again. The exit
    /// code is 1 if an answer is different, or the fuel of the same component, if a component is missing, if something is
    /// no record, or if nothing could be compared.
    Replay {
        /// A record of a decision as JSON, an array of them, or what `decisions -o json` prints; - is standard input.
        file: PathBuf,
        /// Ask this component instead, such as a new build: would it have decided otherwise? A file; `policy pull` writes
        /// that of an image.
        #[arg(long, value_name = "COMPONENT")]
        with: Option<PathBuf>,
    },
    /// Say whether an image is signed by one of these keys, as the operator does before it takes a policy.
    ///
    /// The signatures are those of `cosign sign --key`, of cosign 2 and 3. A tag is resolved first: the digest that it has
    /// at the moment is what must be signed, and is printed. The login is that of `docker login`. If no key has signed it,
    /// the exit code is 1.
    Verify {
        /// The image, as HOST/REPOSITORY:TAG or HOST/REPOSITORY@DIGEST.
        image: String,
        /// A file with a public key in PEM, such as cosign.pub; may be given more than once: one of them must have signed.
        #[arg(long = "key", value_name = "FILE", required = true)]
        keys: Vec<PathBuf>,
        #[command(flatten)]
        access: Access,
    },
    /// Push a component to a registry and print the image for spec.policy.image, by its digest.
    ///
    /// It is first looked at as the operator does. The layout is that of the CNCF for WebAssembly; of the same
    /// component the digest is always the same. The login is that of `docker login` and its like: the file
    /// $REGISTRY_AUTH_FILE, or else config.json in $DOCKER_CONFIG, or else config.json in ~/.docker and podman's auth.json,
    /// with the credential helpers that they name.
    Push {
        /// The component.
        file: PathBuf,
        /// Where to, by tag: HOST/REPOSITORY:TAG. Without a tag it is latest.
        image: String,
        #[command(flatten)]
        access: Access,
    },
    /// Write the component of an image into a file, fetched and looked at as the operator does.
    ///
    /// A file that holds something else is not written over.
    Pull {
        /// The image: HOST/REPOSITORY:TAG or HOST/REPOSITORY@DIGEST.
        image: String,
        /// Where to: a file. Default: NAME.wasm here, by the last part of the repository.
        #[arg(value_parser = PathBufValueParser::new().try_map(file::to_write))]
        file: Option<PathBuf>,
        #[command(flatten)]
        access: Access,
    },
}
