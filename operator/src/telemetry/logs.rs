//! Logs: JSON lines in a cluster, text on a terminal.

use std::io::IsTerminal;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::ParseError;

/// kube logs every refused request as an error of its own, without saying whose it was, and every refused watch; here
/// each is reported by the one who sent it.
const QUIET: &str = "kube_client::client::builder=off,kube_client=warn,kube_runtime=warn,\
    kube_runtime::watcher=error,hyper=warn,tower=warn";

/// How log lines are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// One JSON object per line.
    Json,
    /// For people.
    Text,
}

impl LogFormat {
    /// Text on a terminal, JSON otherwise.
    #[must_use]
    pub fn fitting() -> Self {
        if std::io::stderr().is_terminal() { Self::Text } else { Self::Json }
    }
}

/// Begins to log to standard error. The level is a filter such as `info` or `info,operator=debug`.
///
/// # Errors
/// If the level is no filter.
pub fn begin_logging(format: LogFormat, level: &str) -> Result<(), ParseError> {
    let filter = filter(level)?;
    let logs = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match format {
        LogFormat::Json => logs.json().flatten_event(true).with_span_list(false).init(),
        LogFormat::Text => logs.with_ansi(std::io::stderr().is_terminal()).init(),
    }
    Ok(())
}

fn filter(level: &str) -> Result<EnvFilter, ParseError> {
    EnvFilter::try_new(format!("{QUIET},{level}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tracing::enabled;

    #[test]
    fn each_refused_watch_is_told_by_us_alone_unless_somebody_asks_for_more() {
        for (level, is_told) in [("info", false), ("debug", false), ("info,kube_runtime::watcher=warn", true)]
        {
            let logs = tracing_subscriber::fmt().with_env_filter(filter(level).unwrap()).finish();
            tracing::subscriber::with_default(logs, || {
                let watcher = enabled!(target: "kube_runtime::watcher", tracing::Level::WARN);
                let follow = enabled!(target: "operator::controller::follow", tracing::Level::WARN);
                assert_eq!((watcher, follow), (is_told, true), "{level}");
            });
        }
    }
}
