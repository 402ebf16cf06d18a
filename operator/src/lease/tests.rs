use super::*;
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Method, Request, Response};
use kube::client::Body;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::future::pending;
use std::sync::{Arc, Mutex};
use tower::service_fn;

fn refused(code: u16) -> kube::Error {
    let status = json!({"message": "no", "reason": "Forbidden", "code": code});
    kube::Error::Api(serde_json::from_value(status).unwrap())
}

fn candidate(client: Client, leads: watch::Sender<Leads>) -> Candidate {
    Candidate {
        api: Api::namespaced(client, "ops"),
        lease: LeaseRef::of("ops", &[], None),
        identity: "me".to_owned(),
        metrics: Metrics::default(),
        ready: Readiness::default(),
        sighting: Sighting::new(Instant::now()),
        written: None,
        term: Term::default(),
        leads,
    }
}

/// An API server that knows one lease.
#[derive(Default)]
struct OneLease {
    lease: Value,
    version: u64,
    asked: Vec<Method>,
    /// What is written next is told to have failed.
    loses_answer: bool,
}

impl OneLease {
    fn write(&mut self, lease: Value) {
        self.version += 1;
        self.lease = lease;
        self.lease["metadata"]["resourceVersion"] = json!(self.version.to_string());
    }

    fn answer(&mut self, method: Method, sent: &[u8]) -> (u16, Value) {
        let refused = |code: u16, reason: &str| {
            (code, json!({"status": "Failure", "message": "no", "reason": reason, "code": code}))
        };
        self.asked.push(method.clone());
        if method != Method::GET {
            let sent: Value = serde_json::from_slice(sent).unwrap();
            if method == Method::PUT
                && sent["metadata"]["resourceVersion"] != self.lease["metadata"]["resourceVersion"]
            {
                return refused(409, "Conflict");
            }
            self.write(sent);
            if std::mem::take(&mut self.loses_answer) {
                return refused(500, "InternalError");
            }
        }
        if self.lease.is_null() { refused(404, "NotFound") } else { (200, self.lease.clone()) }
    }
}

#[tokio::test]
async fn who_holds_the_lease_renews_it_without_reading_it_until_somebody_else_has_written_it() {
    let server = Arc::new(Mutex::new(OneLease::default()));
    let asked = Arc::clone(&server);
    let service = service_fn(move |request: Request<Body>| {
        let server = Arc::clone(&asked);
        async move {
            let (head, body) = request.into_parts();
            let sent = body.collect().await.unwrap().to_bytes();
            let (code, body) = server.lock().unwrap().answer(head.method, &sent);
            let answer = Response::builder().status(code).body(Full::new(Bytes::from(body.to_string())));
            Ok::<_, Infallible>(answer.unwrap())
        }
    });
    let (leads, told) = watch::channel(Leads::default());
    let mut candidate = candidate(Client::new(service, "ops"), leads);
    let asked = || std::mem::take(&mut server.lock().unwrap().asked);
    candidate.round().await;
    assert_eq!(asked(), [Method::GET, Method::POST], "nobody has it");
    candidate.round().await;
    candidate.round().await;
    assert_eq!(asked(), [Method::PUT, Method::PUT]);
    assert!(told.borrow().now());
    server.lock().unwrap().loses_answer = true;
    candidate.round().await;
    candidate.round().await;
    assert_eq!(asked(), [Method::PUT, Method::GET, Method::PUT], "it may have been written");
    let theirs =
        json!({"metadata": {"name": "ops"}, "spec": {"holderIdentity": "other", "leaseDurationSeconds": 15}});
    server.lock().unwrap().write(theirs);
    candidate.round().await;
    assert_eq!(asked(), [Method::PUT, Method::GET], "what it wrote is there no more");
    assert!(!told.borrow().now());
    candidate.round().await;
    assert_eq!(asked(), [Method::GET], "it is another's");
}

#[test]
fn a_right_that_is_missing_is_told_from_an_api_server_that_is_away() {
    let cases = [
        (Ok(Held::Theirs), Leader::Known),
        (Ok(Held::Unclear), Leader::Known),
        (Err(Error::Read(refused(403))), Leader::Forbidden),
        (Err(Error::Write(refused(403))), Leader::Forbidden),
        (Err(Error::Read(refused(500))), Leader::Unknown),
        (Err(Error::Late), Leader::Unknown),
    ];
    for (held, expected) in cases {
        assert_eq!(known(&held), expected);
    }
}

#[tokio::test]
async fn a_leader_whose_term_is_over_says_so_before_it_waits_for_another_answer() {
    let hour = Duration::from_secs(3600);
    let silent = service_fn(|_: Request<Body>| pending::<Result<Response<Full<Bytes>>, Infallible>>());
    let (leads, told) = watch::channel(Leads::until(Instant::now() + hour));
    let mut candidate = candidate(Client::new(silent, "ops"), leads);
    candidate.term.renew(Instant::now().checked_sub(Duration::from_secs(11)).expect("it runs for longer"));
    let waits = futures::poll!(std::pin::pin!(candidate.round()));
    assert!(waits.is_pending() && !told.borrow().now());
}

#[test]
fn who_asks_late_whether_it_leads_need_not_be_told_that_it_is_over() {
    let now = Instant::now();
    assert!(Leads::until(now + Duration::from_secs(3600)).now());
    assert!(!Leads::until(now).now());
    assert!(!Leads::default().now());
}
