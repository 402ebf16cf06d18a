//! When this process is told to end.

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Becomes true at SIGTERM or SIGINT.
///
/// # Errors
/// If signals cannot be listened to.
pub fn on_signal() -> std::io::Result<watch::Receiver<bool>> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let (over, shutdown) = watch::channel(false);
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        tracing::info!("told to end");
        over.send_replace(true);
        over.closed().await;
    });
    Ok(shutdown)
}

/// Ends when the shutdown begins, or can never be told of any more.
pub async fn begins(shutdown: &mut watch::Receiver<bool>) {
    let _ = shutdown.wait_for(|over| *over).await;
}
