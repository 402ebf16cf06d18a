//! What a binary imports and exports, also one that the operator does not take: that is when one wants to know.

use wasmparser::{Encoding, Parser, Payload};

/// The names on the outside of a binary.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outline {
    pub(super) imports: Vec<String>,
    pub(super) exports: Vec<String>,
}

impl Outline {
    /// As far as the bytes can be read.
    pub(super) fn of(bytes: &[u8]) -> Self {
        let (mut outline, mut depth) = (Self::default(), 0);
        for payload in Parser::new(0).parse_all(bytes).map_while(Result::ok) {
            match payload {
                Payload::Version { encoding, .. } => {
                    depth += 1;
                    // Only a module that stands alone: within a component its imports are satisfied there.
                    if depth == 1 && encoding == Encoding::Module {
                        return Self::of_module(bytes);
                    }
                }
                Payload::End(_) => depth -= 1,
                Payload::ComponentImportSection(section) if depth == 1 => {
                    let names = section.into_iter().map_while(Result::ok);
                    outline.imports.extend(names.map(|import| import.name.name.to_owned()));
                }
                Payload::ComponentExportSection(section) if depth == 1 => {
                    let names = section.into_iter().map_while(Result::ok);
                    outline.exports.extend(names.map(|export| export.name.name.to_owned()));
                }
                _ => {}
            }
        }
        outline.exports.sort();
        outline
    }

    fn of_module(bytes: &[u8]) -> Self {
        let mut outline = Self::default();
        for payload in Parser::new(0).parse_all(bytes).map_while(Result::ok) {
            match payload {
                Payload::ImportSection(section) => {
                    let names = section.into_imports().map_while(Result::ok);
                    outline.imports.extend(names.map(|import| format!("{} {}", import.module, import.name)));
                }
                Payload::ExportSection(section) => {
                    let names = section.into_iter().map_while(Result::ok);
                    outline.exports.extend(names.map(|export| export.name.to_owned()));
                }
                _ => {}
            }
        }
        outline
    }
}
