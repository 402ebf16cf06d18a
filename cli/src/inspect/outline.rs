//! What a binary imports and exports, also one that the operator does not take: that is when one wants to know.

use wasmparser::{Parser, Payload, Result};

/// The names on the outside of a binary.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outline {
    pub(super) imports: Vec<String>,
    pub(super) exports: Vec<String>,
    /// It is a core module.
    pub(super) is_module: bool,
}

impl Outline {
    /// None: the bytes cannot be read to their end, and what else they have is not known.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        let mut outline = Self::default();
        match Parser::is_core_wasm(bytes) {
            true => outline.take_module(bytes),
            false => outline.take_component(bytes),
        }
        .ok()?;
        outline.exports.sort();
        Some(outline)
    }

    /// Only what it has outside: within a component the imports of its modules are satisfied there.
    fn take_component(&mut self, bytes: &[u8]) -> Result<()> {
        let mut depth = 0;
        for payload in Parser::new(0).parse_all(bytes) {
            match payload? {
                Payload::Version { .. } => depth += 1,
                Payload::End(_) => depth -= 1,
                Payload::ComponentImportSection(section) if depth == 1 => {
                    for import in section {
                        self.imports.push(import?.name.name.to_owned());
                    }
                }
                Payload::ComponentExportSection(section) if depth == 1 => {
                    for export in section {
                        self.exports.push(export?.name.name.to_owned());
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn take_module(&mut self, bytes: &[u8]) -> Result<()> {
        self.is_module = true;
        for payload in Parser::new(0).parse_all(bytes) {
            match payload? {
                Payload::ImportSection(section) => {
                    for import in section.into_imports() {
                        let import = import?;
                        self.imports.push(format!("{} {}", import.module, import.name));
                    }
                }
                Payload::ExportSection(section) => {
                    for export in section {
                        self.exports.push(export?.name.to_owned());
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_cannot_be_read_to_its_end_nothing_is_known() {
        let module = wat::parse_str("(module (import \"a\" \"b\" (func)) (func (export \"c\")))").unwrap();
        let known = Outline::of(&module).unwrap();
        assert_eq!(
            (known.imports, known.exports, known.is_module),
            (vec!["a b".into()], vec!["c".into()], true)
        );
        let component = wat::parse_str("(component (import \"a\" (func)))").unwrap();
        assert_eq!(Outline::of(&component).unwrap().imports, ["a"]);
        for unread in [b"(module)", &module[..module.len() - 1], &component[..component.len() - 1], b""] {
            assert_eq!(Outline::of(unread), None);
        }
    }
}
