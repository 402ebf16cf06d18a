//! Long runs with faults of the local cluster, one at a time: `cargo xtask soak --part faults`, and one seed of
//! `cargo xtask test`. Each reaches for nodes, networks or the API server, so nothing else may use the cluster meanwhile.

mod chance;
mod databases;
mod harm;
mod lines;
mod operator_kills;
mod readings;
mod rounds;
mod seeds;
mod settled;

use tokio::sync::{Mutex, MutexGuard};

/// Held by the one test that runs.
async fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::const_new(());
    ONE.lock().await
}
