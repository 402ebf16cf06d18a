//! As much of SOCKS 5 (RFC 1928, RFC 1929) as one client of our own speaks.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::policy::fetch::access::Scheme;

const VERSION: u8 = 5;
const USER_AND_PASSWORD: u8 = 2;
const NO_METHOD: u8 = 0xff;
const PASSWORD_VERSION: u8 = 1;
const CONNECT: u8 = 1;

/// Whom the client wants to speak to.
pub(super) struct Wanted {
    pub(super) scheme: Scheme,
    pub(super) host: String,
    pub(super) port: u16,
}

// === impl Wanted ===

impl Wanted {
    /// For messages.
    pub(super) fn shown(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }
}

/// How that ended.
#[derive(Clone, Copy)]
pub(super) enum Reply {
    Connected = 0,
    Refused = 2,
}

/// The user's name says what the connection is for: a proxy is not told otherwise.
pub(super) fn user(scheme: Scheme) -> &'static str {
    match scheme {
        Scheme::Http => "http",
        Scheme::Https => "https",
    }
}

/// What the client wants; none if it is not ours.
pub(super) async fn greet(client: &mut TcpStream, password: &str) -> io::Result<Option<Wanted>> {
    let version = client.read_u8().await?;
    let methods = text(client).await?;
    if version != VERSION || !methods.contains(&USER_AND_PASSWORD) {
        client.write_all(&[VERSION, NO_METHOD]).await?;
        return Ok(None);
    }
    client.write_all(&[VERSION, USER_AND_PASSWORD]).await?;
    let version = client.read_u8().await?;
    let (name, given) = (text(client).await?, text(client).await?);
    let scheme = [Scheme::Http, Scheme::Https].into_iter().find(|scheme| user(*scheme).as_bytes() == name);
    let Some(scheme) = scheme.filter(|_| version == PASSWORD_VERSION && given == password.as_bytes()) else {
        client.write_all(&[PASSWORD_VERSION, 1]).await?;
        return Ok(None);
    };
    client.write_all(&[PASSWORD_VERSION, 0]).await?;
    wanted(client, scheme).await
}

async fn wanted(client: &mut TcpStream, scheme: Scheme) -> io::Result<Option<Wanted>> {
    let mut head = [0; 4];
    client.read_exact(&mut head).await?;
    let host = match head {
        [VERSION, CONNECT, _, 1] => Ipv4Addr::from(client.read_u32().await?).to_string(),
        [VERSION, CONNECT, _, 4] => Ipv6Addr::from(client.read_u128().await?).to_string(),
        [VERSION, CONNECT, _, 3] => String::from_utf8_lossy(&text(client).await?).into_owned(),
        _ => return Ok(None),
    };
    Ok(Some(Wanted { scheme, host, port: client.read_u16().await? }))
}

/// A text with its length before it.
async fn text(client: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut text = vec![0; usize::from(client.read_u8().await?)];
    client.read_exact(&mut text).await?;
    Ok(text)
}

/// Tells the client how it ended. The address that was connected from is nobody's business: zero.
pub(super) async fn reply(client: &mut TcpStream, reply: Reply) -> io::Result<()> {
    client.write_all(&[VERSION, reply as u8, 0, 1, 0, 0, 0, 0, 0, 0]).await
}
