//! SHA-256, the name of everything in an image.

use std::io::{self, Write};

use ring::digest::{Context, SHA256};

/// Hashes what passes through on its way to a file.
pub(super) struct Hashing<W> {
    inner: W,
    hash: Context,
    size: u64,
}

/// The digest of some bytes, as hexadecimal digits.
pub(crate) fn of(bytes: &[u8]) -> String {
    hexadecimal(ring::digest::digest(&SHA256, bytes).as_ref())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

// === impl Hashing ===

impl<W: Write> Hashing<W> {
    pub(super) fn new(inner: W) -> Self {
        Self { inner, hash: Context::new(&SHA256), size: 0 }
    }

    /// The digest and the number of bytes.
    pub(super) fn finish(self) -> (String, u64) {
        (hexadecimal(self.hash.finish().as_ref()), self.size)
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.size += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn digest_of_nothing() {
        assert_eq!(super::of(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    }
}
