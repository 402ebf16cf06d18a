//! What events say of an object that fails. Events are for people, so nothing that proves an end is taken from them.

use std::time::Duration;

use k8s_openapi::List;
use k8s_openapi::api::core::v1::Event;
use k8s_openapi::jiff::Timestamp;
use k8s_openapi::jiff::fmt::rfc2822;
use kube::Client;
use kube::api::ListParams;
use kube::client::Body;
use kube::core::{Request, Resource};

use super::trouble::Said;

/// An event that was not seen again for so long is over. The StatefulSet controller repeats a creation that fails at
/// the latest after 1000 seconds.
const CURRENT: Duration = Duration::from_secs(1200);

/// More events of one object are not read.
const MOST: u32 = 500;

/// The events of one object, and the time at which the API server answered.
pub(super) struct Happened {
    events: Vec<Event>,
    /// By the clock of the API server, where it says so.
    answered: Option<Timestamp>,
}

/// The events of the object with this UID. The time of the answer is in its head, so the client reads that too.
pub(super) async fn of_object(client: &Client, namespace: &str, uid: &str) -> kube::Result<Happened> {
    let params = ListParams::default().fields(&format!("involvedObject.uid={uid}")).limit(MOST);
    let list = Request::new(Event::url_path(&(), Some(namespace))).list(&params);
    let request = list.map_err(kube::Error::BuildRequest)?.map(Body::from);
    let (head, body) = client.send(request).await?.into_parts();
    let body = body.collect_bytes().await?;
    if !head.status.is_success() {
        let status = serde_json::from_slice(&body).map_err(kube::Error::SerdeError)?;
        return Err(kube::Error::Api(status));
    }
    let list: List<Event> = serde_json::from_slice(&body).map_err(kube::Error::SerdeError)?;
    let date = head.headers.get("date").and_then(|date| date.to_str().ok());
    Ok(Happened {
        events: list.items,
        answered: date.and_then(|date| rfc2822::parse(date).ok()).map(|date| date.timestamp()),
    })
}

/// When it was last seen.
fn last(event: &Event) -> Option<Timestamp> {
    let times = [&event.last_timestamp, &event.first_timestamp, &event.metadata.creation_timestamp];
    let times = times.into_iter().flatten().map(|time| time.0);
    let series = event.series.as_ref().and_then(|series| series.last_observed_time.as_ref());
    times.chain(series.into_iter().chain(&event.event_time).map(|time| time.0)).max()
}

// === impl Happened ===

impl Happened {
    /// The newest warning with one of these reasons, or with any, if it is current. Where success ends it, no event that is
    /// no warning came later.
    pub(super) fn warning(&self, reason: Option<&str>, ended_by_success: bool) -> Option<Said> {
        let is_warning = |event: &&Event| event.type_.as_deref() == Some("Warning");
        let is_meant = |event: &&Event| reason.is_none() || event.reason.as_deref() == reason;
        let warnings = self.events.iter().filter(is_warning).filter(is_meant);
        let (at, newest) =
            warnings.filter_map(|event| Some((last(event)?, event))).max_by_key(|(at, _)| *at)?;
        let others = self.events.iter().filter(|event| !is_warning(event));
        let is_ended = ended_by_success && others.filter_map(last).any(|other| other > at);
        let now = self.answered.unwrap_or(at);
        let is_current = at.checked_add(CURRENT).is_ok_and(|until| now <= until);
        let said = || Said::new(newest.reason.as_deref().unwrap_or("Warning"), newest.message.as_deref());
        (is_current && !is_ended).then(said)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn event(kind: &str, reason: &str, minute: i64) -> Value {
        let at = Timestamp::from_second(minute * 60).unwrap().to_string();
        json!({"metadata": {}, "involvedObject": {}, "type": kind, "reason": reason, "message": "no quota",
            "lastTimestamp": at})
    }

    fn said(
        events: &[Value],
        answered: Option<i64>,
        reason: Option<&str>,
        ended_by_success: bool,
    ) -> Option<String> {
        let events = events.iter().map(|event| serde_json::from_value(event.clone()).unwrap()).collect();
        let answered = answered.map(|minute| Timestamp::from_second(minute * 60).unwrap());
        Happened { events, answered }.warning(reason, ended_by_success).map(|said| said.reason)
    }

    #[test]
    fn the_newest_warning_counts_until_it_is_old_or_something_succeeds() {
        let failed = |minute| event("Warning", "FailedCreate", minute);
        let made = |minute| event("Normal", "SuccessfulCreate", minute);
        let other = |minute| event("Warning", "FailedMount", minute);
        let create = Some("FailedCreate");
        for (sentence, events, answered, reason, ends, expected) in [
            ("there is none", vec![], Some(9), None, true, None),
            ("it came just now", vec![failed(9)], Some(9), create, true, create),
            ("the controller tries again after 16 minutes", vec![failed(9)], Some(29), create, true, create),
            ("it is not seen any more", vec![failed(9)], Some(30), create, true, None),
            ("nobody says how late it is", vec![failed(9)], None, create, true, create),
            ("a success came later", vec![failed(9), made(10)], Some(10), create, true, None),
            ("a success came before", vec![made(8), failed(9)], Some(10), create, true, create),
            ("no success ends it", vec![failed(9), made(10)], Some(10), create, false, create),
            ("another warning is newer", vec![failed(8), other(9)], Some(9), None, true, Some("FailedMount")),
            ("only one reason is meant", vec![failed(8), other(9)], Some(9), create, true, create),
        ] {
            assert_eq!(said(&events, answered, reason, ends).as_deref(), expected, "{sentence}");
        }
    }

    #[test]
    fn an_event_of_a_series_was_last_seen_when_the_series_was() {
        let mut repeated = event("Warning", "FailedMount", 1);
        repeated["series"] = json!({"count": 9, "lastObservedTime": "1970-01-01T01:00:00.000000Z"});
        assert_eq!(said(&[repeated], Some(61), None, true).as_deref(), Some("FailedMount"));
    }

    #[test]
    fn the_head_of_an_answer_tells_the_time() {
        let time = rfc2822::parse("Thu, 01 Jan 1970 00:01:00 GMT").unwrap().timestamp();
        assert_eq!(time, Timestamp::from_second(60).unwrap());
    }
}
