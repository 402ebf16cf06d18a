//! What would disturb other tests, or reaches for the local cluster itself: nodes that lose their power, an API server
//! that is away, a container runtime that hangs, and an operator for all namespaces. Cargo runs one binary of tests after the other, and of these one test at a time.

mod api_server;
mod cluster;
mod everywhere;
mod given_once;
mod lost_node;
mod nodes;
mod runtime;

use tokio::sync::{Mutex, MutexGuard};

/// Held by the one test that runs.
async fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::const_new(());
    ONE.lock().await
}
