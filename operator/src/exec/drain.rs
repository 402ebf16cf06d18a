//! Reads what a command writes, without end but with bounded memory.

use tokio::io::{AsyncRead, AsyncReadExt};

/// How much of each output is kept; the rest is read and dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Bytes of standard output: a position may have 64 KiB.
    pub stdout: usize,
    /// Bytes of standard error: some databases print their position there, after pages of log.
    pub stderr: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Self { stdout: 64 * 1024, stderr: 64 * 1024 }
    }
}

/// The beginning of an output.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Kept {
    bytes: Vec<u8>,
    pub(super) truncated: bool,
}

impl Kept {
    /// As text; what is no UTF-8 is replaced.
    pub(super) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// Reads to the end and keeps the beginning. A command that floods is read on, or it would block
/// for ever in its next write. A stream that fails ends here: the exit status tells.
pub(super) async fn drain(stream: Option<impl AsyncRead + Unpin>, cap: usize) -> Kept {
    let mut kept = Kept::default();
    let Some(mut stream) = stream else { return kept };
    let mut chunk = vec![0; 4096];
    while let Ok(read @ 1..) = stream.read(&mut chunk).await {
        let room = cap - kept.bytes.len();
        kept.truncated |= read > room;
        kept.bytes.extend_from_slice(&chunk[..read.min(room)]);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_over_the_cap_is_read_and_dropped() {
        let mut flood = std::io::Cursor::new(vec![b'x'; 100_000]);
        let kept = drain(Some(&mut flood), 10_000).await;
        assert_eq!((kept.text().len(), kept.truncated), (10_000, true));
        assert_eq!(flood.position(), 100_000, "read to its end");
    }

    #[tokio::test]
    async fn an_output_of_exactly_the_cap_is_whole() {
        let kept = drain(Some(&b"12345"[..]), 5).await;
        assert_eq!((kept.text().as_str(), kept.truncated), ("12345", false));
    }

    #[tokio::test]
    async fn bytes_that_are_no_text_are_replaced() {
        let kept = drain(Some(&b"a\xff\xfeb"[..]), 64).await;
        assert_eq!(kept.text(), "a\u{fffd}\u{fffd}b");
    }
}
