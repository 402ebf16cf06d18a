//! The operator against a stand-in of the API server.

mod absences;
mod approval;
mod beside;
mod boots;
mod candidate;
mod change;
mod children;
mod elsewhere;
mod given_once;
#[path = "../../src/policy/guest/mod.rs"]
#[allow(dead_code, reason = "the tests within the library use the rest")]
mod guest;
mod hostile;
mod identities;
mod isolated;
mod labels;
#[allow(dead_code, reason = "the tests of bombs use the rest")]
#[path = "../made/mod.rs"]
mod made;
mod namespaces;
mod policies;
mod presence;
mod pull_secrets;
mod readiness;
mod records;
mod registry;
mod rehearsal;
mod rounds;
mod scene;
mod server;
mod serving;
mod signatures;
#[path = "../../src/policy/fetch/tests/signer.rs"]
mod signer;
mod steps;
mod successors;
mod unreadable;
mod volumes;

/// Where the guests look for it.
mod interface {
    pub(crate) use operator::policy::Interface;
}
