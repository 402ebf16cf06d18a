//! Tests of the operator in a real cluster.
//!
//! All of them are one program, because the linker takes longer than the compiler. `cargo xtask test --only e2e` runs the
//! groups one after the other. Tests in `sets` share the cluster, tests in `alone` and `faults` need it for themselves, and
//! tests in `requests` compare the API server of the simulation with a real one.
//! Tests in a module named `full` run with `cargo xtask test --full` only.

mod alone;
mod faults;
mod requests;
mod sets;

use tokio::sync::{Mutex, MutexGuard};

/// A test that needs the cluster for itself holds this lock.
async fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::const_new(());
    ONE.lock().await
}
