//! What the contract says, by the lines of its text.
//!
//! Not by a parser of the whole language: it would be the largest thing that this program is made of. What is not
//! understood is an error.

use std::mem::take;

use anyhow::{Context, Result, bail};

/// The contract.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Contract {
    pub(super) docs: Vec<String>,
    pub(super) package: String,
    pub(super) interfaces: Vec<Interface>,
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Interface {
    pub(super) name: String,
    pub(super) docs: Vec<String>,
    pub(super) types: Vec<Type>,
    pub(super) functions: Vec<Member>,
}

/// A record or variant.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Type {
    /// `record` or `variant`.
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) docs: Vec<String>,
    pub(super) members: Vec<Member>,
}

/// A field, case or function.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: String,
    /// What follows the name: a type, or nothing.
    pub(super) of: String,
    pub(super) docs: Vec<String>,
}

/// Reads the text of a contract.
///
/// # Errors
/// If a line is none that this knows.
pub(super) fn read(text: &str) -> Result<Contract> {
    let (mut contract, mut docs, mut is_in_type) = (Contract::default(), Vec::new(), false);
    // Worlds only list the interfaces.
    let text = text.split("\nworld ").next().unwrap_or_default();
    for (number, line) in (1..).zip(text.lines().map(str::trim)) {
        let told = || format!("line {number} of the contract is not understood: {line}");
        let interface = contract.interfaces.last_mut();
        if let Some(doc) = line.strip_prefix("///") {
            docs.push(doc.trim_start().to_owned());
        } else if line.is_empty() {
        } else if let Some(package) = line.strip_prefix("package ") {
            contract.package = package.trim_end_matches(';').to_owned();
            contract.docs = take(&mut docs);
        } else if let Some(name) = block(line, "interface") {
            contract.interfaces.push(Interface { name, docs: take(&mut docs), ..Interface::default() });
        } else if let Some((kind, name)) =
            ["record", "variant"].iter().find_map(|kind| Some((*kind, block(line, kind)?)))
        {
            let new = Type { kind: kind.to_owned(), name, docs: take(&mut docs), members: Vec::new() };
            interface.with_context(told)?.types.push(new);
            is_in_type = true;
        } else if line == "}" {
            is_in_type = false;
        } else if let Some(line) = line.strip_suffix(',').filter(|_| is_in_type) {
            let new = member(line, take(&mut docs));
            interface.and_then(|interface| interface.types.last_mut()).with_context(told)?.members.push(new);
        } else if let Some(line) = line.strip_suffix(';').filter(|line| line.contains(": func(")) {
            let new = member(line, take(&mut docs));
            interface.with_context(told)?.functions.push(new);
        } else {
            bail!(told());
        }
    }
    Ok(contract)
}

/// The name of a block that begins here.
fn block(line: &str, kind: &str) -> Option<String> {
    let name = line.strip_prefix(kind)?.strip_prefix(' ')?.strip_suffix('{')?;
    Some(name.trim().to_owned())
}

/// `name: type`, `name(type)` or `name`.
fn member(line: &str, docs: Vec<String>) -> Member {
    let (name, of) = match (line.split_once(": "), line.split_once('(')) {
        (Some((name, of)), _) => (name, of),
        (None, Some((name, of))) => (name, of.trim_end_matches(')')),
        (None, None) => (line, ""),
    };
    Member { name: name.to_owned(), of: of.to_owned(), docs }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_is_found_with_what_is_said_before_it() {
        let text = "/// All.\npackage a:b@0.1.0;\n\n/// One.\ninterface one {\n    /// What\n    /// it is.\n    record r {\n        /// A field.\n        a: list<u8>,\n        b-c: u8,\n    }\n\n    variant v {\n        x(r),\n        /// A case.\n        y,\n    }\n\n    /// Does.\n    f: func(a: r) -> v;\n}\n\n/// W.\nworld w {\n    export one;\n}\n";
        let contract = read(text).unwrap();
        assert_eq!((contract.package.as_str(), contract.docs), ("a:b@0.1.0", vec!["All.".to_owned()]));
        let [one] = contract.interfaces.as_slice() else { panic!("one interface") };
        let [r, v] = one.types.as_slice() else { panic!("two types") };
        assert_eq!((r.docs.join(" "), r.kind.as_str()), ("What it is.".to_owned(), "record"));
        let members: Vec<_> = r.members.iter().chain(&v.members).chain(&one.functions).collect();
        let told: Vec<_> =
            members.iter().map(|m| (m.name.as_str(), m.of.as_str(), m.docs.concat())).collect();
        let expected = [
            ("a", "list<u8>", "A field."),
            ("b-c", "u8", ""),
            ("x", "r", ""),
            ("y", "", "A case."),
            ("f", "func(a: r) -> v", "Does."),
        ];
        assert_eq!(told, expected.map(|(name, of, docs)| (name, of, docs.to_owned())));
    }

    #[test]
    fn a_line_that_is_not_known_is_an_error() {
        for strange in ["interface a {\n    flags f {\n", "interface a {\n    resource r;\n", "record r {\n"]
        {
            assert!(read(strange).is_err(), "{strange}");
        }
    }
}
