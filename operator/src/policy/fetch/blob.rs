//! Memory for the bytes of a layer, and no more than it may have.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;

use super::manifest::NotAPolicy;

/// Takes in what a registry sends, and fails when that is more than there may be.
pub(super) struct Capped {
    bytes: Vec<u8>,
    most: usize,
}

impl Capped {
    /// For so many bytes.
    pub(super) fn new(most: usize) -> Self {
        Self { bytes: Vec::new(), most }
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

impl AsyncWrite for Capped {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.bytes.len() + bytes.len() > self.most {
            return Poll::Ready(Err(io::Error::other(NotAPolicy::TooLarge)));
        }
        self.bytes.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
