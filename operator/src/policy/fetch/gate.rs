//! The one way out of a fetch: every connection of the client is made here, whatever sent it there: an image's name, a
//! redirect, or where a registry says that tokens are given.
//!
//! The client can neither be told which addresses it may speak to nor how much it may take in before it looks. It can be
//! told to use a proxy; so this is one, within the process, for one fetch, that asks for a password of its own.

mod refusal;
mod socks;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ring::rand::{SecureRandom, SystemRandom};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, lookup_host};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::access::{Access, Scheme};
use super::proxy::{Proxy, Way};
pub use refusal::Refusal;
use socks::{Reply, Wanted};

/// How long a name is looked up here that a proxy resolves too: behind a proxy, name servers often know no other hosts.
const LOOKUP: Duration = Duration::from_secs(1);

/// The way out of one fetch. It closes when this is dropped.
pub(super) struct Gate {
    address: SocketAddr,
    shared: Arc<Shared>,
    _doorkeeper: JoinSet<()>,
}

struct Shared {
    access: Access,
    proxy: Proxy,
    connect: Duration,
    /// Of what may come in until it is set anew, in bytes; and how much of it has come.
    limit: AtomicUsize,
    taken: AtomicUsize,
    password: String,
    refusal: Mutex<Option<Refusal>>,
}

impl Gate {
    /// Opens it. All that comes in through it is at most `limit` bytes.
    pub(super) async fn open(
        access: &Access,
        proxy: &Proxy,
        connect: Duration,
        limit: usize,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            access: access.clone(),
            proxy: proxy.clone(),
            connect,
            limit: AtomicUsize::new(limit),
            taken: AtomicUsize::new(0),
            password: password()?,
            refusal: Mutex::new(None),
        });
        let mut doorkeeper = JoinSet::new();
        doorkeeper.spawn(admit(listener, Arc::clone(&shared)));
        Ok(Self { address, shared, _doorkeeper: doorkeeper })
    }

    /// From now on at most `limit` bytes more come in, whatever came before. Nothing is asked for at this moment.
    pub(super) fn allow(&self, limit: usize) {
        self.shared.limit.store(limit, Ordering::Relaxed);
        self.shared.taken.store(0, Ordering::Relaxed);
        // What was cut of an answer that nobody read to its end says nothing of what comes.
        self.refusal();
    }

    /// The proxy for connections of this scheme. Names are resolved on this side.
    pub(super) fn proxy(&self, scheme: Scheme) -> String {
        format!("socks5h://{}:{}@{}", socks::user(scheme), self.shared.password, self.address)
    }

    /// The first connection that was not made or was cut since this was last asked, if any.
    pub(super) fn refusal(&self) -> Option<Refusal> {
        self.shared.refusal.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Nobody else of this machine gets out this way.
fn password() -> io::Result<String> {
    let mut bytes = [0; 16];
    SystemRandom::new().fill(&mut bytes).map_err(|_| io::Error::other("the system has no random numbers"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

async fn admit(listener: TcpListener, shared: Arc<Shared>) {
    let mut visitors = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        let shared = Arc::clone(&shared);
        visitors.spawn(async move {
            // The client sees that its connection ends; why is in `refusal`.
            let _ = shared.serve(client).await;
        });
        while visitors.try_join_next().is_some() {}
    }
}

impl Shared {
    async fn serve(&self, mut client: TcpStream) -> io::Result<()> {
        let Some(wanted) = timeout(self.connect, socks::greet(&mut client, &self.password)).await?? else {
            return Ok(());
        };
        match self.connect(&wanted).await {
            Ok(server) => {
                socks::reply(&mut client, Reply::Connected).await?;
                self.carry(client, server).await
            }
            Err(refusal) => {
                self.refuse(refusal);
                socks::reply(&mut client, Reply::Refused).await
            }
        }
    }

    fn refuse(&self, refusal: Refusal) {
        self.refusal.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(refusal);
    }

    async fn connect(&self, wanted: &Wanted) -> Result<TcpStream, Refusal> {
        let Wanted { scheme, host, port } = wanted;
        if !self.access.admits_scheme(*scheme, host, *port) {
            return Err(Refusal::Plain { host: wanted.shown() });
        }
        match self.proxy.way(*scheme, host, *port) {
            Some(way) => self.connect_by(&way, wanted).await,
            None => self.connect_directly(wanted).await,
        }
    }

    /// The proxy resolves the name. A name that has a forbidden address here is refused all the same.
    async fn connect_by(&self, way: &Way, wanted: &Wanted) -> Result<TcpStream, Refusal> {
        let Wanted { scheme, host, port } = wanted;
        if let Ok(Ok(addresses)) = timeout(LOOKUP, lookup_host((host.as_str(), *port))).await {
            self.check(wanted, &addresses.collect::<Vec<_>>())?;
        }
        let refused = |why| Refusal::Proxy { host: wanted.shown(), why };
        match timeout(self.connect, way.connect(*scheme, host, *port)).await {
            Ok(stream) => stream.map_err(refused),
            Err(_) => Err(refused("no answer in time".to_owned())),
        }
    }

    fn check(&self, wanted: &Wanted, addresses: &[SocketAddr]) -> Result<(), Refusal> {
        let Wanted { scheme, host, port } = wanted;
        let forbidden = addresses.iter().map(SocketAddr::ip).find_map(|address| {
            let why = self.access.forbids(*scheme, host, *port, address)?;
            Some(Refusal::Address { host: wanted.shown(), address, why })
        });
        forbidden.map_or(Ok(()), Err)
    }

    async fn connect_directly(&self, wanted: &Wanted) -> Result<TcpStream, Refusal> {
        let Wanted { host, port, .. } = wanted;
        let shown = || wanted.shown();
        let addresses = match timeout(self.connect, lookup_host((host.as_str(), *port))).await {
            Ok(found) => found.map_err(|error| Refusal::Unnamed { host: shown(), why: error.to_string() })?,
            Err(_) => return Err(Refusal::Unnamed { host: shown(), why: "no answer in time".to_owned() }),
        };
        let addresses: Vec<SocketAddr> = addresses.collect();
        self.check(wanted, &addresses)?;
        // The very addresses that were looked at: asked again, the name server may answer otherwise.
        match timeout(self.connect, TcpStream::connect(addresses.as_slice())).await {
            Ok(stream) => {
                stream.map_err(|error| Refusal::Unreachable { host: shown(), why: error.to_string() })
            }
            Err(_) => Err(Refusal::Unreachable { host: shown(), why: "no answer in time".to_owned() }),
        }
    }

    /// Ends when either side does.
    async fn carry(&self, client: TcpStream, server: TcpStream) -> io::Result<()> {
        let (mut from_client, mut to_client) = client.into_split();
        let (mut from_server, mut to_server) = server.into_split();
        let inward = async {
            let mut buffer = vec![0; 16 << 10];
            loop {
                let read = from_server.read(&mut buffer).await?;
                let taken = self.taken.fetch_add(read, Ordering::Relaxed) + read;
                let limit = self.limit.load(Ordering::Relaxed);
                if taken > limit {
                    self.refuse(Refusal::TooMuch { limit });
                }
                if read == 0 || taken > limit {
                    return to_client.shutdown().await;
                }
                to_client.write_all(&buffer[..read]).await?;
            }
        };
        let outward = async { tokio::io::copy(&mut from_client, &mut to_server).await.map(drop) };
        tokio::select! {
            done = inward => done,
            done = outward => done,
        }
    }
}
