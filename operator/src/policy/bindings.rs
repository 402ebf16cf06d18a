//! What `wit/policy.wit` is in Rust: one world for each interface, because a policy exports the ones it wants.

pub(super) mod sequence {
    wasmtime::component::bindgen!({ path: "../wit", world: "sequence-policy" });
}
pub(super) mod seed {
    wasmtime::component::bindgen!({ path: "../wit", world: "seed-policy" });
}
pub(super) mod primaries {
    wasmtime::component::bindgen!({ path: "../wit", world: "primaries-policy" });
}
pub(super) mod replicas {
    wasmtime::component::bindgen!({ path: "../wit", world: "replicas-policy" });
}
pub(super) mod metadata {
    wasmtime::component::bindgen!({ path: "../wit", world: "metadata-policy" });
}
