//! What a pod answers without the API server: it is reached from this machine by its address.

use std::net::IpAddr;

use anyhow::Result;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The whole answer of a pod.
///
/// # Errors
/// If it does not answer.
pub async fn get(address: IpAddr, port: u16, path: &str) -> Result<String> {
    let mut stream = TcpStream::connect((address, port)).await?;
    stream.write_all(format!("GET {path} HTTP/1.0\r\n\r\n").as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}
