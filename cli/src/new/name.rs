//! What a policy may be called.

use std::str::FromStr;

/// The name of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Name(String);

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
            return Err(
                "a keyword of Rust, or a crate that policies are built with; choose another".to_owned()
            );
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
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// As a type: `my-db` is `MyDb`.
    pub(super) fn as_type(&self) -> String {
        let word = |word: &str| {
            let (first, rest) = word.split_at(word.len().min(1));
            first.to_uppercase() + rest
        };
        self.0.split('-').map(word).collect()
    }
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
}
