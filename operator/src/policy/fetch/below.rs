//! What is below the errors of clients of registries: they wrap each other, and not always as a source.

use std::error::Error;

/// What is below it all.
#[must_use]
pub fn root(error: &dyn Error) -> String {
    let mut error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string()
}

/// What TLS has to say of it, if anything. An I/O error is no source of what it wraps.
#[must_use]
pub fn tls<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    let mut next = Some(error);
    while let Some(error) = next {
        let wrapped = error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref);
        let found = error.downcast_ref().or_else(|| wrapped.and_then(|wrapped| wrapped.downcast_ref()));
        if found.is_some() {
            return found;
        }
        next = match wrapped {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        };
    }
    None
}
