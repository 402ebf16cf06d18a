//! An error in one line, for people.

/// An error with all its causes, in one line.
#[must_use]
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = words(error);
    let mut cause = below(error);
    while let Some(error) = cause {
        let words = words(error);
        // Many tell what is below them, too.
        if !text.contains(&words) {
            text.push_str(": ");
            text.push_str(&words);
        }
        cause = below(error);
    }
    text
}

/// kube prints an answer of the API server with all of its fields.
fn words(error: &(dyn std::error::Error + 'static)) -> String {
    match error.downcast_ref::<kube::Error>() {
        Some(kube::Error::Api(status)) => format!("{} ({} {})", status.message, status.code, status.reason),
        _ => error.to_string(),
    }
}

/// The cause. That of an answer of the API server is the same answer once more.
fn below<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e (dyn std::error::Error + 'static)> {
    error.source().filter(|_| !matches!(error.downcast_ref(), Some(kube::Error::Api(_))))
}

#[cfg(test)]
pub(super) fn refused(code: u16) -> kube::Error {
    let status = serde_json::json!({"message": "you may not", "reason": "Forbidden", "code": code});
    kube::Error::Api(serde_json::from_value(status).unwrap())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::promise;
    use crate::reconcile::Error;

    #[test]
    fn each_cause_is_told_once_and_in_few_words() {
        let error = Error::Promise(promise::Error::Status(refused(403)));
        assert_eq!(
            chain(&error),
            "failed to promise: failed to write the status: you may not (403 Forbidden)"
        );
    }

    #[derive(Debug, thiserror::Error)]
    #[error("no connection")]
    struct NoConnection(#[source] std::io::Error);

    #[test]
    fn why_the_api_server_is_not_reached_is_told_to_the_last_cause() {
        let refused = NoConnection(std::io::Error::from(std::io::ErrorKind::ConnectionRefused));
        assert_eq!(
            chain(&Error::Observe(kube::Error::Service(refused.into()))),
            "failed to look at the set: ServiceError: no connection: connection refused"
        );
    }
}
