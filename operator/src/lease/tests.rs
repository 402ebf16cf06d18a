use super::*;
use bytes::Bytes;
use http_body_util::Full;
use hyper::{Request, Response};
use kube::client::Body;
use serde_json::json;
use std::convert::Infallible;
use std::future::pending;
use tower::service_fn;

fn refused(code: u16) -> kube::Error {
    let status = json!({"message": "no", "reason": "Forbidden", "code": code});
    kube::Error::Api(serde_json::from_value(status).unwrap())
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
    let mut candidate = Candidate {
        api: Api::namespaced(Client::new(silent, "ops"), "ops"),
        lease: LeaseRef::of("ops", &[], None),
        identity: "me".to_owned(),
        metrics: Metrics::default(),
        ready: Readiness::default(),
        sighting: Sighting::new(Instant::now()),
        term: Term::default(),
        leads,
    };
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
