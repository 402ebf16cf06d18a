//! The names of images.

use std::path::Path;

use anyhow::{Result, bail};
use operator::policy::fetch::Image;

/// The image that a person names, which has its host: a forgotten one would be looked for at Docker Hub.
///
/// # Errors
/// If it is a file, or names no image or no host.
pub(crate) fn named(name: &str) -> Result<Image> {
    if Path::new(name).exists() {
        bail!("{name} is a file, and this is about an image: HOST/REPOSITORY:TAG or HOST/REPOSITORY@DIGEST");
    }
    of(name)
}

/// The image of a name that is no file's.
///
/// # Errors
/// If it names no image or no host.
pub(crate) fn of(name: &str) -> Result<Image> {
    let image = name.parse()?;
    if !has_host(name) {
        bail!(
            "{name:?} names no host; write HOST/REPOSITORY:TAG or HOST/REPOSITORY@DIGEST, where the host of Docker Hub is \
             docker.io"
        );
    }
    Ok(image)
}

fn has_host(name: &str) -> bool {
    let Some((host, _)) = name.split_once('/') else { return false };
    host == "localhost" || (host.contains(['.', ':']) && !host.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_is_told_from_a_file_by_its_host() {
        for name in ["registry.example.com/p:1", "host:5000/team/p", "localhost/p"] {
            assert!(of(name).is_ok() && named(name).is_ok(), "{name}");
        }
        for name in ["p.wasm", "target/policies/p.wasm", "./host.example/p", "../p", "team/p:1", "/a.b/p"] {
            assert!(of(name).is_err() && named(name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_file_is_not_looked_for_in_a_registry() {
        let error = named("src/image.rs").unwrap_err().to_string();
        assert!(error.contains("src/image.rs is a file"), "{error}");
        let error = named("team/p:1").unwrap_err().to_string();
        assert!(error.contains("names no host") && error.contains("docker.io"), "{error}");
    }
}
