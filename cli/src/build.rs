//! `policy build`: a component whose bytes depend on its source alone.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use ring::digest::{SHA256, digest};
use serde::Serialize;

use crate::cargo::{self, Policy};
use crate::component;

/// What was built.
#[derive(Debug, Serialize)]
pub(crate) struct Built {
    name: String,
    version: String,
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
        let Self { name, version, path, size, digest, exports } = self;
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
    let exports = component::exports(&bytes)?;
    let out = policy.target.join("policies");
    let path = out.join(format!("{}.wasm", policy.name));
    fs::create_dir_all(&out).with_context(|| format!("failed to make {}", out.display()))?;
    fs::write(&path, &bytes).with_context(|| format!("failed to write {}", path.display()))?;
    let hex: String = digest(&SHA256, &bytes).as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Built {
        name: policy.name,
        version: policy.version,
        path,
        size: bytes.len(),
        digest: format!("sha256:{hex}"),
        exports,
    })
}
