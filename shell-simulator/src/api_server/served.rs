//! Requests of an operator: on their way, and with what goes wrong there.

use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use api_server::{Answer, Kept, Place, Request as Write, failure};
use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, StatusCode};
use kube::client::Body;
use tokio::time::sleep;

use super::ApiServer;
use crate::life::Life;
use crate::strikes::Trouble;

pub(super) type Reply = UnsyncBoxBody<Bytes, Infallible>;

/// How long a request is on its way, and its answer.
const WAY: Duration = Duration::from_millis(2);

/// How late an operator writes that goes on before: a command is on its way by then.
const LATE: Duration = Duration::from_millis(20);

impl ApiServer {
    /// Answers a request of an operator.
    pub(crate) async fn serve(
        self,
        life: Arc<Life>,
        request: Request<Body>,
    ) -> Result<Response<Reply>, Infallible> {
        let (head, body) = request.into_parts();
        let sent = body.collect().await.map(http_body_util::Collected::to_bytes).unwrap_or_default();
        let query = head.uri.query().unwrap_or_default();
        if query.split('&').any(|part| part == "watch=true") {
            let since = query.split('&').find_map(|part| part.strip_prefix("resourceVersion="));
            let since = since.and_then(|since| since.parse().ok()).unwrap_or_default();
            life.lives().await;
            let place = Place::of(head.uri.path(), query);
            return Ok(Response::new(self.watch(life, place, since)));
        }
        // A request that is on its way lands also if nobody waits for its answer any more.
        let landing = match Write::of(&head, &sent) {
            Err(refused) => tokio::spawn(ready(refused)),
            Ok(Some(write)) => tokio::spawn(self.land(Arc::clone(&life), write)),
            Ok(None) => tokio::spawn(self.read(Arc::clone(&life), Place::of(head.uri.path(), query))),
        };
        let Ok((code, body)) = landing.await else { return std::future::pending().await };
        life.lives().await;
        sleep(WAY).await;
        Ok(response(code, &body))
    }

    async fn read(self, life: Arc<Life>, place: Place) -> Answer {
        life.lives().await;
        sleep(WAY).await;
        // An election that hears nothing for long ends: what goes wrong with a lease goes wrong with its writes.
        let unanswered = if is_effect(&place) { life.unanswered() } else { None };
        match unanswered {
            Some(Trouble::Unanswered) => std::future::pending().await,
            Some(_) => refused(500),
            None => self.act(|state| state.store.read(&place)),
        }
    }

    /// What was asked for happens, as an operator with a fault would ask for it, if there is to be one.
    fn put(&self, life: &Arc<Life>, write: Write) -> Answer {
        match self.planted() {
            Some(fault) if fault.goes_on_before(&write) => self.put_late(Arc::clone(life), write),
            _ => self.act(|state| state.write(&write)),
        }
    }

    /// It is answered as if it had happened, and happens in a moment, unless the process dies before.
    fn put_late(&self, life: Arc<Life>, write: Write) -> Answer {
        let answer = self.act(|state| state.feign(&write));
        let server = self.clone();
        tokio::spawn(async move {
            sleep(LATE).await;
            life.lives().await;
            server.act(|state| state.write_over(write));
        });
        answer
    }

    async fn land(self, life: Arc<Life>, write: Write) -> Answer {
        life.lives().await;
        self.act(|state| state.hear(&write));
        let trouble = match write.place.plural.as_str() {
            "leases" => life.unelected(),
            _ if is_effect(&write.place) => life.begins(named(&write)),
            _ => None,
        };
        life.lives().await;
        sleep(WAY).await;
        match trouble {
            Some(Trouble::Refused(code)) => return refused(code),
            Some(Trouble::Late(seconds)) => {
                tokio::spawn(async move {
                    sleep(Duration::from_secs(seconds)).await;
                    self.act(|state| state.write(&write));
                });
                return refused(504);
            }
            _ => {}
        }
        let answer = self.put(&life, write);
        match trouble {
            Some(Trouble::Death) => life.die(),
            Some(Trouble::AnswerLost) => return refused(500),
            Some(Trouble::Unanswered) => std::future::pending().await,
            _ => {}
        }
        answer
    }
}

fn named(write: &Write) -> String {
    let Write { verb, place, .. } = write;
    let name = place.name.as_deref().unwrap_or_default();
    let at = place.subresource.as_deref().map(|at| format!("/{at}")).unwrap_or_default();
    format!("{verb:?} {}/{name}{at}", place.plural)
}

fn refused(code: u16) -> Answer {
    let reason = match code {
        409 => "Conflict",
        429 => "TooManyRequests",
        504 => "Timeout",
        _ => "InternalError",
    };
    failure(StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), reason)
}

/// What a crash can come after: whatever others see. A lease is renewed whether anything is done or not, and an event
/// is for people.
fn is_effect(place: &Place) -> bool {
    !matches!(place.plural.as_str(), "leases" | "events")
}

fn response(code: StatusCode, body: &Kept) -> Response<Reply> {
    let mut response =
        Response::new(Full::new(Bytes::copy_from_slice(body.text().as_bytes())).boxed_unsync());
    *response.status_mut() = code;
    response
}
