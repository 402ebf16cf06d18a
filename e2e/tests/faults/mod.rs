//! Long runs with faults of the local cluster, for `cargo xtask soak --part faults`. `cargo xtask test --full` runs one seed.
//! Each reaches for nodes, networks or the API server, so nothing else may use the cluster meanwhile.

mod chance;
mod databases;
mod harm;
mod lines;
mod operator_kills;
mod readings;
mod rounds;
mod seeds;
mod settled;
