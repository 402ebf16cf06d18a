//! The recovery while it happens: on a terminal a block that is drawn anew, else a line for each change.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write};

use super::recovery::Recovery;
use super::seen;

/// What was shown last.
pub(super) struct View {
    is_terminal: bool,
    shown: Vec<String>,
    events: usize,
}

// === impl View ===

impl View {
    pub(super) fn new() -> Self {
        Self { is_terminal: std::io::stderr().is_terminal(), shown: Vec::new(), events: 0 }
    }

    /// Show what has changed by what was told just now.
    pub(super) fn show(&mut self, recovery: &Recovery) {
        let now = recovery.told;
        let block = block(recovery);
        let mut text = String::new();
        if self.is_terminal && !self.shown.is_empty() {
            // Up to the block's first line, and nothing from there on.
            write!(text, "\x1b[{}F\x1b[J", self.shown.len()).ok();
        }
        for (at, what) in recovery.events.iter().skip(self.events) {
            text.push_str(&self.line(*at, what));
        }
        for (number, what) in block.iter().enumerate() {
            if self.is_terminal || self.shown.get(number) != Some(what) {
                text.push_str(&self.line(now, what));
            }
        }
        self.events = recovery.events.len();
        self.shown = block;
        // Standard error may be a pipe that has gone; what is shown is not worth failing for.
        std::io::stderr().write_all(text.as_bytes()).ok();
    }

    /// Print that nothing has changed. A terminal shows the whole block already.
    pub(super) fn wait(&self, recovery: &Recovery) {
        if self.is_terminal {
            return;
        }
        let waiting: Vec<_> = recovery
            .members
            .iter()
            .filter(|(_, member)| member.joined.is_none())
            .map(|(name, _)| name.as_str())
            .collect();
        let what = match waiting.as_slice() {
            [] => "wait for the client and the condition Ready".to_owned(),
            names => format!("wait for {}", names.join(", ")),
        };
        let line = self.line(recovery.cut.at.elapsed().as_secs_f64(), &what);
        std::io::stderr().write_all(line.as_bytes()).ok();
    }

    /// A wrapped line would take two of the block's, so a terminal cuts it.
    fn line(&self, at: f64, what: &str) -> String {
        let (before, after) = if self.is_terminal { ("\x1b[?7l", "\x1b[?7h") } else { ("", "") };
        // What rounds to nothing has no sign.
        let at = (at * 10.0).round() / 10.0 + 0.0;
        format!("{before}{at:>5.1}s  {what}{after}\n")
    }
}

/// A line for each member, one for the client, and one for the operator.
fn block(recovery: &Recovery) -> Vec<String> {
    let members = recovery.members.iter().map(|(name, member)| {
        let now = &member.now;
        let position =
            now.standing().map(|position| format!("position {}", seen::short(position))).unwrap_or_default();
        // A database that is coming up answers that it does not serve.
        let is_starting = now.state == "Failed" && now.waits.contains("under way");
        let state = if is_starting { "Starting" } else { &now.state };
        let what = if now.waits.is_empty() { member.pod } else { &now.waits };
        format!("{name:<14}  {state:<9}  {position:<24}  {what}")
    });
    let client = match recovery.first_write {
        Some(at) => format!("writes again since {at:.2} s"),
        None => "no write is acknowledged".to_owned(),
    };
    let last = [format!("{:<14}  {client}", "client"), format!("{:<14}  {}", "operator", recovery.operator)];
    members.chain(last).collect()
}
