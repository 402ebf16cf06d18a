//! Names of resources, as Kubernetes has them (RFC 1123): they become parts of addresses of the API server.

/// The most that a subdomain may have, in bytes.
const SUBDOMAIN: usize = 253;
/// The most that a label may have, in bytes.
const LABEL: usize = 63;

/// Why a text is no name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a name has lower case letters, digits, -{dots}, begins and ends with a letter or digit, and has at most {most}"
)]
pub(crate) struct NotAName {
    dots: &'static str,
    most: usize,
}

/// What a set or a replica is called.
///
/// # Errors
/// If it is no subdomain.
pub(crate) fn of_resource(text: &str) -> Result<String, NotAName> {
    let is_subdomain = text.len() <= SUBDOMAIN && text.split('.').all(is_of_letters_and_digits);
    checked(text, is_subdomain).ok_or(NotAName { dots: " and .", most: SUBDOMAIN })
}

/// What a namespace is called.
///
/// # Errors
/// If it is no label.
pub(crate) fn of_namespace(text: &str) -> Result<String, NotAName> {
    let is_label = text.len() <= LABEL && is_of_letters_and_digits(text);
    checked(text, is_label).ok_or(NotAName { dots: "", most: LABEL })
}

fn checked(text: &str, is_good: bool) -> Option<String> {
    is_good.then(|| text.to_owned())
}

fn is_of_letters_and_digits(part: &str) -> bool {
    let is_good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !part.is_empty() && part.bytes().all(is_good) && !part.starts_with('-') && !part.ends_with('-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_that_the_api_server_takes() {
        let (longest, too_long) = ("x".repeat(LABEL), "x".repeat(LABEL + 1));
        for label in ["a", "0", "my-db", "1-a", &longest] {
            assert!(of_namespace(label).is_ok() && of_resource(label).is_ok(), "{label}");
        }
        for subdomain in ["a.b", "rss-orders.x-0", &too_long, &"x".repeat(SUBDOMAIN)] {
            assert!(of_namespace(subdomain).is_err() && of_resource(subdomain).is_ok(), "{subdomain}");
        }
    }

    #[test]
    fn what_would_be_more_than_one_part_of_an_address_is_no_name() {
        let too_long = "x".repeat(SUBDOMAIN + 1);
        for bad in [
            "", ".", "..", "../x", "a/b", "a?b", "a#b", "a%2fb", "-a", "a-", ".a", "a.", "a..b", "A", "a_b",
            "a b", "ä", &too_long,
        ] {
            assert!(of_namespace(bad).is_err() && of_resource(bad).is_err(), "{bad:?}");
        }
    }
}
