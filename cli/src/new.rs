//! `policy new`: a crate that builds and passes as it is.

use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use serde::Serialize;

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

/// The name of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name(String);

/// What was written.
#[derive(Debug, Serialize)]
pub(crate) struct Created {
    name: String,
    folder: PathBuf,
}

// === impl Name ===

impl FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_good = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let begins = text.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
        if !begins || !text.bytes().all(is_good) || text.ends_with('-') || text.len() > 63 {
            return Err(
                "lower case letters, digits and -, from a letter to a letter or digit, at most 63".to_owned()
            );
        }
        if RESERVED.contains(&text) {
            return Err("cargo takes no such package".to_owned());
        }
        Ok(Self(text.to_owned()))
    }
}

/// Keywords of Rust, and crates that a policy is built with.
const RESERVED: [&str; 56] = [
    "abstract",
    "alloc",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "const",
    "continue",
    "core",
    "crate",
    "do",
    "dyn",
    "else",
    "enum",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "policy-sdk",
    "priv",
    "pub",
    "ref",
    "return",
    "self",
    "static",
    "std",
    "struct",
    "super",
    "test",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "while",
    "yield",
];

impl Name {
    /// As a type: `my-db` is `MyDb`.
    fn as_type(&self) -> String {
        let word = |word: &str| {
            let (first, rest) = word.split_at(word.len().min(1));
            first.to_uppercase() + rest
        };
        self.0.split('-').map(word).collect()
    }
}

// === impl Created ===

impl fmt::Display for Created {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let folder = self.folder.display();
        writeln!(f, "{folder}: a policy that reads LINEAGE/NUMBER; src/lib.rs is where to begin")?;
        writeln!(f, "  cd {folder}")?;
        writeln!(f, "  kubectl rss policy test")?;
        write!(f, "  kubectl rss policy build")
    }
}

/// Writes the crate.
///
/// # Errors
/// If the folder is there and not empty, or cannot be written.
pub(crate) fn create(name: &Name, folder: Option<PathBuf>) -> Result<Created> {
    let folder = folder.unwrap_or_else(|| PathBuf::from(&name.0));
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
    Ok(Created { name: name.0.clone(), folder })
}

fn filled(text: &str, name: &Name) -> String {
    text.replace("{{name}}", &name.0)
        .replace("{{type}}", &name.as_type())
        .replace("{{crate}}", &name.0.replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_that_cargo_and_the_contract_take() {
        for good in ["a", "my-db", "db2", &"x".repeat(63)] {
            assert!(good.parse::<Name>().is_ok(), "{good}");
        }
        for bad in [
            "",
            "-a",
            "a-",
            "A",
            "2db",
            "my_db",
            "my db",
            "../x",
            "test",
            "fn",
            "policy-sdk",
            &"x".repeat(64),
        ] {
            assert!(bad.parse::<Name>().is_err(), "{bad}");
        }
        assert_eq!("my-db2-x".parse::<Name>().unwrap().as_type(), "MyDb2X");
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
