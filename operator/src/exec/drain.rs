//! Reads what a command writes, without end but with bounded memory.

use tokio::io::{AsyncRead, AsyncReadExt};

/// How much of each output is kept; the rest is read and dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Bytes of standard output: a position may have 64 KiB.
    pub stdout: usize,
    /// Bytes of standard error: some databases print their position there, after pages of log. Its end is kept.
    pub stderr: usize,
}

impl Default for Caps {
    fn default() -> Self {
        Self { stdout: 64 * 1024, stderr: 64 * 1024 }
    }
}

/// Which part of a long output is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The first bytes.
    Beginning,
    /// The last bytes, from the beginning of a line.
    End,
}

/// The part of an output that is kept.
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

    pub(super) fn is_blank(&self) -> bool {
        self.bytes.iter().all(u8::is_ascii_whitespace)
    }

    fn take(&mut self, chunk: &[u8], part: Part, cap: usize) {
        let room = cap.saturating_sub(self.bytes.len());
        self.truncated |= chunk.len() > room;
        match part {
            Part::Beginning => self.bytes.extend_from_slice(&chunk[..chunk.len().min(room)]),
            Part::End => {
                self.bytes.extend_from_slice(chunk);
                self.bytes.drain(..self.bytes.len().saturating_sub(cap));
            }
        }
    }

    /// Half of a line could be read as another line.
    fn drop_half_a_line(&mut self) {
        let end = self.bytes.iter().position(|byte| *byte == b'\n').map_or(self.bytes.len(), |at| at + 1);
        self.bytes.drain(..end);
    }
}

/// Reads to the end and keeps a part. A command that floods is read on, or it would block
/// for ever in its next write. A stream that fails ends here: the exit status tells.
pub(super) async fn drain(stream: Option<impl AsyncRead + Unpin>, part: Part, cap: usize) -> Kept {
    let mut kept = Kept::default();
    let Some(mut stream) = stream else { return kept };
    let mut chunk = vec![0; 4096];
    while let Ok(read @ 1..) = stream.read(&mut chunk).await {
        kept.take(&chunk[..read], part, cap);
    }
    if kept.truncated && part == Part::End {
        kept.drop_half_a_line();
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_over_the_cap_is_read_and_dropped() {
        let mut flood = std::io::Cursor::new(vec![b'x'; 100_000]);
        let kept = drain(Some(&mut flood), Part::Beginning, 10_000).await;
        assert_eq!((kept.text().len(), kept.truncated), (10_000, true));
        assert_eq!(flood.position(), 100_000, "read to its end");
    }

    #[tokio::test]
    async fn an_output_of_exactly_the_cap_is_whole() {
        for part in [Part::Beginning, Part::End] {
            let kept = drain(Some(&b"12345"[..]), part, 5).await;
            assert_eq!((kept.text().as_str(), kept.truncated), ("12345", false), "{part:?}");
        }
    }

    #[tokio::test]
    async fn the_end_of_a_long_log_is_kept_from_the_beginning_of_a_line() {
        let log = format!("{}position 12\nthe end\n", "a warning\n".repeat(10_000));
        let kept = drain(Some(log.as_bytes()), Part::End, 25).await;
        assert_eq!((kept.text().as_str(), kept.truncated), ("position 12\nthe end\n", true));
        let kept = drain(Some(log.as_bytes()), Part::End, 19).await;
        assert_eq!(kept.text(), "the end\n", "half of a line is dropped");
        let kept = drain(Some(&[b'x'; 100][..]), Part::End, 10).await;
        assert_eq!((kept.text().as_str(), kept.truncated), ("", true));
    }

    #[tokio::test]
    async fn bytes_that_are_no_text_are_replaced() {
        let kept = drain(Some(&b"a\xff\xfeb"[..]), Part::Beginning, 64).await;
        assert_eq!(kept.text(), "a\u{fffd}\u{fffd}b");
    }
}
