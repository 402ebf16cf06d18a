//! `policy build`: a component whose bytes depend on its source alone.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ring::digest::{SHA256, digest};
use serde::Serialize;

use crate::cargo::{self, Policy};
use crate::{component, file, output};

/// What was built.
#[derive(Debug, Serialize)]
pub(crate) struct Built {
    name: String,
    version: String,
    #[serde(flatten)]
    pub(crate) component: Component,
}

/// A component that was written.
#[derive(Debug, Serialize)]
pub(crate) struct Component {
    #[serde(serialize_with = "output::path")]
    pub(crate) path: PathBuf,
    /// In bytes.
    size: usize,
    /// `sha256:` and 64 hexadecimal digits.
    digest: String,
    exports: Vec<String>,
}

// === impl Built ===

impl fmt::Display for Built {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, version, component: Component { path, size, digest, exports } } = self;
        writeln!(f, "{}", path.display())?;
        writeln!(f, "  {name} {version}, {size} bytes, {digest}")?;
        write!(f, "  exports {}", exports.join(", "))
    }
}

/// Builds the policy of a crate.
///
/// # Errors
/// If there is no library there, it does not compile, or it makes no component without imports.
pub(crate) fn build(folder: &Path) -> Result<Built> {
    of(cargo::find(folder)?)
}

/// Builds the policy of a crate that was found.
///
/// # Errors
/// As `build`.
pub(crate) fn of(policy: Policy) -> Result<Built> {
    let module = cargo::compile(&policy)?;
    let module = fs::read(&module).with_context(|| format!("failed to read {}", module.display()))?;
    let bytes = component::encode(&module)?;
    let path = policy.target.join("policies").join(format!("{}.wasm", policy.name));
    let component = Component::write(&bytes, &path)?;
    Ok(Built { name: policy.name, version: policy.version, component })
}

// === impl Component ===

impl Component {
    /// Writes one into a folder that is made if it is missing.
    ///
    /// # Errors
    /// If it is none without imports that exports something, or cannot be written.
    pub(crate) fn write(bytes: &[u8], path: &Path) -> Result<Self> {
        let exports = component::exports(bytes)?;
        if let Some(out) = path.parent() {
            fs::create_dir_all(out).with_context(|| format!("failed to make {}", out.display()))?;
        }
        file::write(path, bytes).with_context(|| format!("failed to write {}", path.display()))?;
        let hex: String = digest(&SHA256, bytes).as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { path: path.to_owned(), size: bytes.len(), digest: format!("sha256:{hex}"), exports })
    }
}

impl fmt::Display for Component {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, size, digest, exports } = self;
        writeln!(f, "{}", path.display())?;
        writeln!(f, "  {size} bytes, {digest}")?;
        write!(f, "  exports {}", exports.join(", "))
    }
}
