//! The contract as a page for people.

use std::fmt::Write;
use std::fs;

use anyhow::{Context, Result};

use super::wit::{self, Contract, Interface, Member, Type};
use crate::workspace;

/// Where the contract is.
const CONTRACT: &str = "wit/policy.wit";

/// The page, of the contract as it is.
///
/// # Errors
/// If the contract cannot be read.
pub(super) fn page() -> Result<String> {
    let text = fs::read_to_string(workspace::root().join(CONTRACT));
    let text = text.with_context(|| format!("failed to read {CONTRACT}"))?;
    Ok(rendered(&wit::read(&text)?))
}

fn rendered(contract: &Contract) -> String {
    let mut page = format!(
        "<!-- Written by `cargo xtask generate` from {CONTRACT}: change it there. -->\n# What a policy is asked\n\n\
         The contract `{}`, as [{CONTRACT}](../{CONTRACT}) has it. How to begin: [write-a-policy.md](write-a-policy.md).\n\n",
        contract.package
    );
    paragraph(&mut page, &contract.docs);
    for (index, interface) in contract.interfaces.iter().enumerate() {
        section(&mut page, interface, &contract.interfaces[..index]);
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

fn section(page: &mut String, interface: &Interface, before: &[Interface]) {
    line(page, &format!("## {}\n", interface.name));
    paragraph(page, &interface.docs);
    for Member { name, of, docs } in &interface.functions {
        line(page, &format!("```wit\n{name}: {of};\n```\n"));
        paragraph(page, docs);
    }
    for one in &interface.types {
        match before.iter().find(|other| other.types.iter().any(|other| is_same(one, other))) {
            Some(other) => line(
                page,
                &format!("**{}**: as in [{2}](#{2}). {1}\n", one.name, one.docs.join(" "), other.name),
            ),
            None => table(page, one),
        }
    }
}

/// Each interface has types of its own, and some are the same by every name in them.
fn is_same(one: &Type, other: &Type) -> bool {
    let names = |of: &Type| of.members.iter().map(|m| (m.name.clone(), m.of.clone())).collect::<Vec<_>>();
    one.name == other.name && one.kind == other.kind && names(one) == names(other)
}

fn table(page: &mut String, Type { kind, name, docs, members }: &Type) {
    line(page, format!("**{name}** ({kind}) {}", docs.join(" ")).trim_end());
    let head = if kind == "variant" { "case | of" } else { "field | type" };
    line(page, &format!("\n| {head} | |\n|---|---|---|"));
    for Member { name, of, docs } in members {
        let of = if of.is_empty() { String::new() } else { format!("`{of}`") };
        line(page, &format!("| `{name}` | {of} | {} |", docs.join(" ").replace('|', "\\|")));
    }
    line(page, "");
}

/// Lines of a comment: lists stay lists.
fn paragraph(page: &mut String, docs: &[String]) {
    if !docs.is_empty() {
        line(page, &format!("{}\n", docs.join("\n")));
    }
}

fn line(page: &mut String, text: &str) {
    // Writing to memory does not fail.
    let _ = writeln!(page, "{}", text.trim_end_matches(' '));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_that_another_interface_has_too_is_told_once() {
        let types = "record r {\n/// One | two.\na: u8,\n}";
        let text = format!(
            "package a:b@0.1.0;\ninterface x {{\n{types}\n}}\ninterface y {{\n{types}\n/// Asks.\nf: func(a: r) -> u8;\n}}\n"
        );
        let page = rendered(&wit::read(&text).unwrap());
        assert_eq!(page.matches("| `a` | `u8` | One \\| two. |").count(), 1, "{page}");
        assert!(page.contains("**r**: as in [x](#x)."), "{page}");
        assert!(page.contains("```wit\nf: func(a: r) -> u8;\n```\n\nAsks.\n"), "{page}");
    }
}
