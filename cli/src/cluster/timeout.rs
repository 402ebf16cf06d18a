//! How long the API server is waited for.

use std::fmt::{self, Display, Formatter};
use std::num::ParseIntError;
use std::str::FromStr;
use std::time::Duration;

/// How long a connection may take, TLS with it. One within a network takes milliseconds, one around the world a second.
pub(super) const CONNECT: Duration = Duration::from_secs(10);

/// How long one request may take. The API server itself gives most of them up after a minute; a person at three in the
/// morning wants to know sooner that it does not answer.
const REQUEST: Duration = Duration::from_secs(30);

/// The most time of one request, as `kubectl --request-timeout` has it; none: as long as it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timeout(Option<Duration>);

/// A text that is no time.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "write a number of seconds, or a number with ms, s, m or h, such as 1s, 2m or 3h; 0 waits without end"
)]
pub(crate) struct NotATime;

// === impl Timeout ===

impl Timeout {
    /// The answer if it comes in time.
    pub(super) async fn bound<T>(self, answer: impl Future<Output = T>) -> Result<T, Self> {
        match self.0 {
            Some(most) => tokio::time::timeout(most, answer).await.map_err(|_| self),
            None => Ok(answer.await),
        }
    }
}

impl Default for Timeout {
    fn default() -> Self {
        Self(Some(REQUEST))
    }
}

impl FromStr for Timeout {
    type Err = NotATime;

    fn from_str(text: &str) -> Result<Self, NotATime> {
        let unit = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
        let (number, unit) = text.split_at(unit);
        let number: u64 = number.parse().map_err(|_: ParseIntError| NotATime)?;
        let of = |seconds: u64| number.checked_mul(seconds).map(Duration::from_secs).ok_or(NotATime);
        let most = match unit {
            "ms" => Duration::from_millis(number),
            "" | "s" => of(1)?,
            "m" => of(60)?,
            "h" => of(3600)?,
            _ => return Err(NotATime),
        };
        Ok(Self(Some(most).filter(|most| !most.is_zero())))
    }
}

/// As it is written.
impl Display for Timeout {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(most) => write!(f, "{most:?}"),
            None => f.write_str("0"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_as_for_kubectl() {
        for (text, milliseconds) in [
            ("5", 5_000),
            ("1s", 1_000),
            ("250ms", 250),
            ("2m", 120_000),
            ("3h", 10_800_000),
            ("30s", 30_000),
        ] {
            assert_eq!(text.parse(), Ok(Timeout(Some(Duration::from_millis(milliseconds)))), "{text}");
        }
        for without_end in ["0", "0s", "0h"] {
            assert_eq!(without_end.parse(), Ok(Timeout(None)));
        }
        for bad in
            ["", "s", "-1", "1.5s", "1d", "1 s", "1m30s", "99999999999999999999", "9999999999999999999h"]
        {
            assert_eq!(bad.parse::<Timeout>(), Err(NotATime), "{bad}");
        }
    }

    #[test]
    fn without_a_word_of_the_person_there_is_a_bound_which_is_told_as_it_would_be_written() {
        assert_eq!(Timeout::default().to_string().parse(), Ok(Timeout::default()));
        assert!(Timeout::default().0.is_some());
    }
}
