//! Memory for the bytes of a layer, and no more than a policy may have.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::AsyncWrite;

use super::manifest::NotAPolicy;
use crate::policy::limits;

/// Takes in what a registry sends, and fails when that is more than a policy has.
#[derive(Default)]
pub(super) struct Capped(Vec<u8>);

impl Capped {
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

impl AsyncWrite for Capped {
    fn poll_write(mut self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.0.len() + bytes.len() > limits::COMPONENT {
            return Poll::Ready(Err(io::Error::other(NotAPolicy::TooLarge)));
        }
        self.0.extend_from_slice(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
