//! `policy new`: a crate that builds and passes as it is.

mod name;

use std::fmt;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use serde::Serialize;

use crate::{output, shell};
pub(crate) use name::Name;

/// The SDK, the contract and their licence, as they were when this program was built.
const VENDOR: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/vendor.rs"));

/// What becomes the author's own; `filled` puts the names in. A manifest called Cargo.toml would make a package of the
/// template.
const TEMPLATE: [(&str, &str); 7] = [
    ("Cargo.toml", include_str!("../template/Cargo.toml.txt")),
    (".gitignore", include_str!("../template/gitignore.txt")),
    ("README.md", include_str!("../template/README.md")),
    ("rust-toolchain.toml", include_str!("../../rust-toolchain.toml")),
    ("src/lib.rs", include_str!("../template/lib.rs.txt")),
    ("tests/fixtures.rs", include_str!("../template/fixtures.rs.txt")),
    ("fixtures/read.json", include_str!("../template/read.json")),
];

/// What was written.
#[derive(Debug, Serialize)]
pub(crate) struct Created {
    name: String,
    #[serde(serialize_with = "output::path")]
    folder: PathBuf,
}

// === impl Created ===

impl fmt::Display for Created {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folder = self.folder.display();
        writeln!(f, "{folder}: a policy that reads LINEAGE/NUMBER; src/lib.rs is where to begin")?;
        writeln!(f, "  cd {}", quoted(&folder.to_string()))?;
        writeln!(f, "  kubectl rss policy test")?;
        write!(f, "  kubectl rss policy build")
    }
}

/// A folder, as a shell has to be given it.
fn quoted(folder: &str) -> String {
    // What begins like a flag is to be none.
    let here = if folder.starts_with('-') { "./" } else { "" };
    shell::word(&format!("{here}{folder}"))
}

/// Writes the crate.
///
/// # Errors
/// If the folder is there and not empty, or cannot be written.
pub(crate) fn create(name: &Name, folder: Option<PathBuf>) -> Result<Created> {
    let folder = folder.unwrap_or_else(|| PathBuf::from(name.as_str()));
    if fs::read_dir(&folder).is_ok_and(|mut entries| entries.next().is_some()) {
        bail!("{} is there, and not empty", folder.display());
    }
    let own = TEMPLATE.iter().map(|(path, text)| (PathBuf::from(path), filled(text, name)));
    let vendor = VENDOR.iter().map(|(path, text)| (PathBuf::from("vendor").join(path), (*text).to_owned()));
    for (path, text) in own.chain(vendor) {
        let file = folder.join(path);
        let parent = file.parent().context("a file lies in a folder")?;
        fs::create_dir_all(parent).with_context(|| format!("failed to make {}", parent.display()))?;
        fs::write(&file, text).with_context(|| format!("failed to write {}", file.display()))?;
    }
    Ok(Created { name: name.as_str().to_owned(), folder })
}

fn filled(text: &str, name: &Name) -> String {
    text.replace("{{name}}", name.as_str())
        .replace("{{type}}", &name.as_type())
        .replace("{{crate}}", &name.as_str().replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_printed_as_a_shell_takes_it() {
        for (folder, word) in [
            ("my-db", "my-db"),
            ("/a/b.c_d", "/a/b.c_d"),
            ("my db", "'my db'"),
            ("it's", r"'it'\''s'"),
            ("$(reboot)", "'$(reboot)'"),
            ("~x", "'~x'"),
            ("-P", "./-P"),
            ("-a b", "'./-a b'"),
        ] {
            assert_eq!(quoted(folder), word);
        }
    }

    #[test]
    fn what_is_there_is_never_written_over() {
        let folder = std::env::temp_dir().join(format!("kubectl-rss-new-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("README.md"), "mine").unwrap();
        let refused = create(&"my-db".parse().unwrap(), Some(folder.clone()));
        let kept = fs::read_to_string(folder.join("README.md")).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert!(refused.is_err_and(|error| error.to_string().ends_with("is there, and not empty")));
        assert_eq!(kept, "mine");
    }

    #[test]
    fn no_place_of_the_template_is_left_open() {
        let name = "my-db".parse().unwrap();
        for (path, text) in TEMPLATE {
            assert!(!filled(text, &name).contains("{{"), "{path}");
        }
    }
}
