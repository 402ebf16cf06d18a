//! An API server of a few kilobytes: objects by path, lists, watches, and the rules for writes that the
//! operator relies on. It writes down what it was asked for.

mod place;
mod world;

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, MutexGuard};

use futures::stream;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use kube::{Client, Config};
use serde_json::Value;
use tokio::sync::watch;

use place::Place;
use world::World;
pub(crate) use world::Write;

type Body = UnsyncBoxBody<Bytes, Infallible>;

/// The stand-in.
#[derive(Clone, Default)]
pub(crate) struct ApiServer(Arc<Shared>);

#[derive(Default)]
struct Shared {
    world: Mutex<World>,
    /// Told at each change, for watches.
    version: watch::Sender<u64>,
    /// The plural whose lists are not answered yet.
    withheld: watch::Sender<Option<&'static str>>,
}

impl ApiServer {
    /// Listens on a free port and answers until the test ends.
    pub(crate) async fn start(&self) -> Client {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let server = self.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let server = server.clone();
                let answer = service_fn(move |request| answer(server.clone(), request));
                let http = hyper::server::conn::http1::Builder::new();
                tokio::spawn(http.serve_connection(TokioIo::new(stream), answer));
            }
        });
        let mut config = Config::new(format!("http://{address}").parse().expect("a URI"));
        config.default_retry = false;
        Client::try_from(config).expect("a client")
    }

    /// The writes since the last call, those that were refused among them.
    pub(crate) fn writes(&self) -> Vec<Write> {
        std::mem::take(&mut self.world().writes)
    }

    /// Whether such a write was asked for since the last call of `writes`.
    pub(crate) fn wrote(&self, such: impl Fn(&Write) -> bool) -> bool {
        self.world().writes.iter().any(such)
    }

    /// An object by its name and plural.
    pub(crate) fn get(&self, plural: &str, name: &str) -> Option<Value> {
        let at = format!("/{plural}/{name}");
        self.world().objects.iter().find(|(path, _)| path.ends_with(&at)).map(|(_, object)| object.clone())
    }

    /// Every object of a plural.
    pub(crate) fn all(&self, plural: &str) -> Vec<Value> {
        let world = self.world();
        let of = world.objects.iter().filter(|(path, _)| Place::of(path).plural == plural);
        of.map(|(_, object)| object.clone()).collect()
    }

    /// Puts an object there behind everyone's back, or in the place of another.
    pub(crate) fn put(&self, path: &str, object: Value) {
        let _ = self.world().store(path, object);
        self.tell();
    }

    /// Changes an object behind everyone's back.
    pub(crate) fn change(&self, plural: &str, name: &str, change: impl FnOnce(&mut Value)) {
        let at = format!("/{plural}/{name}");
        let mut world = self.world();
        let found = world.objects.iter().find(|(path, _)| path.ends_with(&at)).expect("the object is there");
        let (path, mut object) = (found.0.clone(), found.1.clone());
        change(&mut object);
        let _ = world.store(&path, object);
        drop(world);
        self.tell();
    }

    /// Takes an object away behind everyone's back.
    pub(crate) fn remove(&self, plural: &str, name: &str) {
        self.world().remove(&format!("/{plural}/{name}"));
        self.tell();
    }

    /// From now on, every object that is written is stored as this leaves it.
    pub(crate) fn respell(&self, respell: fn(&mut Value)) {
        self.world().respell = Some(respell);
    }

    /// From now on, writes of which this is true fail with 500.
    pub(crate) fn refuse(&self, refused: fn(&Write) -> bool) {
        self.world().refused = Some((StatusCode::INTERNAL_SERVER_ERROR, refused));
    }

    /// From now on, writes of which this is true are refused with 403.
    pub(crate) fn deny(&self, refused: fn(&Write) -> bool) {
        self.world().refused = Some((StatusCode::FORBIDDEN, refused));
    }

    /// From now on, lists of this plural are refused with 403.
    pub(crate) fn forbid(&self, plural: &'static str) {
        self.world().forbidden = Some(plural);
    }

    /// Lists of this plural in this namespace are refused with this code until the next call.
    pub(crate) fn close(&self, closed: Option<(&'static str, &'static str, StatusCode)>) {
        self.world().closed = closed;
    }

    /// From now on, reads of single objects of this plural are refused with 403.
    pub(crate) fn forbid_reads(&self, plural: &'static str) {
        self.world().unreadable = Some(plural);
    }

    /// Reads of single objects of this namespace are refused with 403 until the next call.
    pub(crate) fn hide(&self, namespace: Option<&'static str>) {
        self.world().hidden = namespace;
    }

    /// Watches of this plural tell nothing until the next call, which may name another or none: caches fall behind.
    pub(crate) fn mute(&self, plural: Option<&'static str>) {
        self.world().muted = plural;
        self.tell();
    }

    /// From now on, writes of this plural are taken and not answered.
    pub(crate) fn stall(&self, plural: &'static str) {
        self.world().stalled = Some(plural);
    }

    /// Lists of this plural are not answered until the next call, which may name another or none.
    pub(crate) fn withhold(&self, plural: Option<&'static str>) {
        self.0.withheld.send_replace(plural);
    }

    /// The plurals that are watched: after a list was answered.
    pub(crate) fn watched(&self) -> BTreeSet<String> {
        self.world().watched.clone()
    }

    /// The plurals of which a list was asked for.
    pub(crate) fn listed(&self) -> BTreeSet<String> {
        self.world().listed.clone()
    }

    /// How often an object was asked for by its name.
    pub(crate) fn asked(&self, plural: &str, name: &str) -> usize {
        let at = format!("/{plural}/{name}");
        self.world().asked.iter().filter(|(path, _)| path.ends_with(&at)).map(|(_, times)| times).sum()
    }

    /// Ends when the world is so.
    pub(crate) async fn becomes(&self, so: impl Fn(&Self) -> bool) {
        let mut version = self.0.version.subscribe();
        while !so(self) {
            version.changed().await.expect("the server lives as long as the test");
        }
    }

    fn world(&self) -> MutexGuard<'_, World> {
        self.0.world.lock().expect("no panic")
    }

    fn tell(&self) {
        self.0.version.send_modify(|version| *version += 1);
    }

    /// What happened to these objects since that version, for as long as somebody listens.
    fn watch(self, place: Place, since: u64) -> Body {
        let version = self.0.version.subscribe();
        let lines =
            stream::unfold((self, place, since, version), async |(server, place, since, mut version)| {
                loop {
                    version.mark_unchanged();
                    let (until, text) = server.world().since(&place, since);
                    if !text.is_empty() {
                        let line = Ok::<_, Infallible>(Frame::data(Bytes::from(text)));
                        return Some((line, (server, place, until, version)));
                    }
                    version.changed().await.ok()?;
                }
            });
        StreamBody::new(lines).boxed_unsync()
    }
}

async fn answer(server: ApiServer, request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
    let (head, body) = request.into_parts();
    let sent = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
    let query = head.uri.query().unwrap_or_default();
    let place = Place::of(head.uri.path()).selected(query);
    let kind =
        head.headers.get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default().to_owned();
    if query.split('&').any(|part| part == "watch=true") {
        let since = query.split('&').find_map(|part| part.strip_prefix("resourceVersion="));
        let since = since.and_then(|since| since.parse().ok()).unwrap_or_default();
        server.world().watched.insert(place.plural.clone());
        server.tell();
        return Ok(Response::new(server.watch(place, since)));
    }
    if place.name.is_some() && head.method == "GET" {
        *server.world().asked.entry(place.path.clone()).or_default() += 1;
        server.tell();
    }
    if place.name.is_none() && head.method == "GET" {
        server.world().listed.insert(place.plural.clone());
        server.tell();
        let mut withheld = server.0.withheld.subscribe();
        let _ = withheld.wait_for(|plural| *plural != Some(place.plural.as_str())).await;
    }
    let (status, body): (StatusCode, Value) = server.world().serve(&head.method, &place, &kind, &sent);
    if head.method != "GET" {
        server.tell();
        if server.world().stalled == Some(place.plural.as_str()) {
            return std::future::pending().await;
        }
    }
    let mut response = Response::new(Full::new(Bytes::from(body.to_string())).boxed_unsync());
    *response.status_mut() = status;
    Ok(response)
}
