//! How long after a failure a watch is asked for again, and which failure is news.

use std::time::Duration;

use kube::runtime::utils::Backoff;
use kube::runtime::watcher::{DefaultBackoff, Error, Event};

use crate::controller::backoff;

/// What the failures of one watch so far tell.
#[derive(Default)]
pub(super) struct Patience {
    missing: Option<Missing>,
    others: DefaultBackoff,
}

/// A right or a definition that is missing stays so until a person gives it: after the first time that is no news, and
/// it is asked for ever later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Missing {
    /// What the API server answered: another answer is another cause.
    code: u16,
    /// So many times in a row.
    times: u32,
}

// === impl Patience ===

impl Patience {
    /// How long to wait after this event.
    pub(super) fn after<K>(&mut self, event: &Result<Event<K>, Error>) -> Duration {
        self.missing = missing(self.missing, event);
        match (event, self.missing) {
            (Ok(_), _) => {
                self.others.reset();
                Duration::ZERO
            }
            (Err(_), Some(missing)) => backoff(missing.times),
            (Err(_), None) => self.others.next().unwrap_or_default(),
        }
    }

    /// The last failure was told before.
    pub(super) fn has_told(&self) -> bool {
        self.missing.is_some_and(|missing| missing.times > 1)
    }
}

/// What is missing, as far as this event tells: a list that only begins tells nothing.
fn missing<K>(before: Option<Missing>, event: &Result<Event<K>, Error>) -> Option<Missing> {
    match event {
        Ok(Event::Init) => before,
        Ok(_) => None,
        Err(error) => {
            let code = refusal(error)?;
            let before = before.filter(|before| before.code == code);
            Some(Missing { code, times: before.map_or(0, |before| before.times).saturating_add(1) })
        }
    }
}

fn refusal(error: &Error) -> Option<u16> {
    use kube::Error::Api;
    match error {
        Error::InitialListFailed(Api(status)) | Error::WatchStartFailed(Api(status)) => {
            Some(status.code).filter(|code| matches!(code, 403 | 404))
        }
        Error::WatchError(status) => Some(status.code).filter(|code| *code == 403),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refused(code: u16) -> Result<Event<()>, Error> {
        let status = json!({"message": "", "reason": "", "code": code});
        Err(Error::InitialListFailed(kube::Error::Api(serde_json::from_value(status).unwrap())))
    }

    #[test]
    fn a_missing_right_is_news_once_until_it_was_there_and_is_asked_for_ever_later() {
        let mut patience = Patience::default();
        for (sentence, event, wait, has_told) in [
            ("it begins", Ok(Event::Init), 0, false),
            ("it is refused", refused(403), 500, false),
            ("it is tried again", Ok(Event::Init), 0, false),
            ("it is refused again", refused(403), 1000, true),
            ("there is no definition", refused(404), 500, false),
            ("there still is none", refused(404), 1000, true),
            ("it was given", Ok(Event::InitDone), 0, false),
            ("it is taken away", refused(403), 500, false),
        ] {
            let waits = patience.after(&event);
            assert_eq!(waits, Duration::from_millis(wait), "{sentence}");
            assert_eq!(event.is_err() && patience.has_told(), has_told, "{sentence}");
        }
        let longest = (0..99).map(|_| patience.after(&refused(403))).max();
        assert_eq!(longest, Some(Duration::from_secs(30)));
    }

    #[test]
    fn where_the_api_server_is_away_it_is_asked_soon_and_told_each_time() {
        let mut patience = Patience::default();
        for times in 1..9 {
            assert_eq!(patience.after(&Ok(Event::<()>::Init)), Duration::ZERO);
            let wait = patience.after(&refused(500));
            assert!(wait < Duration::from_secs(2) && !patience.has_told(), "{times}: {wait:?}");
        }
    }
}
