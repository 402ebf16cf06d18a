//! `policy inspect`: what a component is, and whether the operator takes it.

mod claims;
mod outline;
mod schema;

use std::fmt;

use anyhow::Result;
use operator::policy::limits;
use serde::Serialize;
use serde_json::Value;

use crate::access::Access;
use crate::candidate::{Candidate, MODULE, Origin};
use crate::output::Verdict;
use crate::terminal::in_line;
pub(crate) use claims::claims;
use outline::Outline;

/// How imports are got rid of.
const CURE: &str = "a policy imports nothing: no WASI, clock, files or random numbers. In Rust, build it with `kubectl rss policy build`; in \
     another language, for a target without a system (wasm32-unknown-unknown), then make the component from the module: \
     kubectl rss policy component MODULE FILE";

/// What is said of names that nobody knows.
const NOT_KNOWN: &str = "not known: it cannot be read to its end";

/// What a component is.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Inspected {
    #[serde(flatten)]
    origin: Origin,
    /// In bytes.
    size: usize,
    /// `sha256:` and 64 hexadecimal digits.
    digest: String,
    name: Option<String>,
    version: Option<String>,
    summary: Option<String>,
    /// None: they are not known, since it cannot be read.
    exports: Option<Vec<String>>,
    imports: Option<Vec<String>>,
    /// A JSON Schema.
    settings_schema: Option<Value>,
    /// Why the operator does not take it, if so.
    refusal: Option<String>,
    #[serde(skip)]
    is_module: bool,
}

/// Looks at a file or an image.
///
/// # Errors
/// If it cannot be read or fetched, or this machine runs no policies.
pub(crate) fn inspect(name: &str, access: &Access) -> Result<Inspected> {
    let candidate = Candidate::find(name, access)?;
    let outline = Outline::of(&candidate.bytes);
    let loaded = candidate.try_load()?;
    let described = loaded.as_ref().ok().and_then(|component| component.description());
    Ok(Inspected {
        size: candidate.bytes.len(),
        digest: candidate.digest().to_string(),
        name: described.map(|described| described.name.clone()),
        version: described.map(|described| described.version.clone()),
        summary: described.map(|described| described.summary.clone()),
        settings_schema: described
            .and_then(|described| serde_json::from_str(&described.settings_schema).ok()),
        refusal: loaded.as_ref().err().map(ToString::to_string),
        origin: candidate.origin,
        is_module: outline.as_ref().is_some_and(|outline| outline.is_module),
        exports: outline.as_ref().map(|outline| outline.exports.clone()),
        imports: outline.map(|outline| outline.imports),
    })
}

// === impl Inspected ===

impl Verdict for Inspected {
    fn is_well(&self) -> bool {
        self.refusal.is_none()
    }
}

impl fmt::Display for Inspected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let none = || "none: it exports no clusterlabs:policy/metadata".to_owned();
        let name =
            self.name.clone().zip(self.version.clone()).map(|(name, version)| format!("{name} {version}"));
        writeln!(f, "{}", self.origin)?;
        if self.is_well() {
            writeln!(f, "name      {}", name.map_or_else(none, |name| in_line(&name)))?;
            writeln!(f, "summary   {}", in_line(self.summary.as_deref().unwrap_or("none")))?;
        }
        writeln!(f, "size      {} bytes of at most {}", self.size, limits::COMPONENT)?;
        writeln!(f, "digest    {}", self.digest)?;
        let names =
            |names: &Option<Vec<String>>| names.as_deref().map_or_else(|| NOT_KNOWN.to_owned(), lines);
        writeln!(f, "exports   {}", names(&self.exports))?;
        writeln!(f, "imports   {}", names(&self.imports))?;
        let has_imports = self.imports.as_ref().is_some_and(|imports| !imports.is_empty());
        if has_imports {
            writeln!(f, "          {CURE}")?;
        }
        if self.is_well() {
            let settings = self.settings_schema.as_ref().map(schema::lines).unwrap_or_default();
            writeln!(f, "settings  {}", lines(&settings))?;
        }
        match &self.refusal {
            None => write!(f, "operator  takes it"),
            Some(why) => {
                let cure = if self.is_module && !has_imports { MODULE } else { "" };
                write!(f, "operator  refuses it: {}{cure}", in_line(why))
            }
        }
    }
}

/// One below the other, under the first.
fn lines(list: &[String]) -> String {
    let list: Vec<String> = list.iter().map(|one| in_line(one)).collect();
    if list.is_empty() { "none".to_owned() } else { list.join("\n          ") }
}
