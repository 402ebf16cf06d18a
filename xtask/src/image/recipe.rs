//! Which image is made of what.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::str::FromStr;

use anyhow::{Context, Result};
use clap::ValueEnum;

use super::base::{self, Base};
use super::{Config, Entry, Image, Layer, layer};
use crate::progress::Step;
use crate::run;

/// An image the project knows how to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recipe {
    name: &'static str,
    base: Base,
    files: Files,
}

/// What lies on the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Files {
    Operator,
    /// The files of the folder of this name under `examples`.
    Example(&'static str),
    Nothing,
}

/// Which build of the operator an image holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Profile {
    /// The quick build that tests use.
    Dev,
    /// The one that is shipped.
    Release,
}

const MARIADB: &str = "mariadb-server,galera-4,rsync,lsof,iproute2,procps,socat";

const RECIPES: [Recipe; 4] = [
    Recipe { name: "operator", base: Base::Empty, files: Files::Operator },
    Recipe { name: "busybox", base: Base::Busybox, files: Files::Nothing },
    Recipe { name: "dummy", base: Base::Busybox, files: Files::Example("dummy") },
    Recipe { name: "galera", base: Base::Debian(MARIADB), files: Files::Example("galera") },
];

// === impl Recipe ===

impl FromStr for Recipe {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let known = || RECIPES.map(|recipe| recipe.name).join(", ");
        RECIPES.into_iter().find(|r| r.name == name).ok_or_else(|| format!("there are {}", known()))
    }
}

impl Recipe {
    /// The name under which a pod finds the image; it must not be pulled, so set
    /// `imagePullPolicy: IfNotPresent` or `Never`.
    #[must_use]
    pub fn image_name(&self) -> String {
        format!("localhost/rss/{}:dev", self.name)
    }

    /// Make it, as far as the cache has it not.
    ///
    /// # Errors
    /// If a file is missing or a tool fails.
    pub fn build(&self, profile: Profile, step: &mut Step) -> Result<Image> {
        let (entries, entrypoint) = match self.files {
            Files::Operator => (operator(profile)?, vec!["/usr/local/bin/rss-operator".to_owned()]),
            Files::Example(name) => (example(&root().join("examples").join(name))?, Vec::new()),
            Files::Nothing => (Vec::new(), Vec::new()),
        };
        let mut layers = vec![self.base.layer(step)?];
        if !entries.is_empty() {
            layers.push(Layer::of(entries)?);
        }
        layer::prune(&base::kept()?)?;
        Image::of(&self.image_name(), &layers, &Config { entrypoint, ..Config::default() })
    }
}

/// The files of an example, each where its kind belongs: commands in the path (and, as the first
/// manifests of such sets named them, in the root folder), what they source beside them, settings
/// in the database's folder.
fn example(folder: &Path) -> Result<Vec<Entry>> {
    let files = fs::read_dir(folder).with_context(|| format!("failed to read {}", folder.display()))?;
    let mut entries = Vec::new();
    for file in files {
        let path = file?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_command = path.metadata()?.permissions().mode() & 0o100 != 0;
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("sh") if is_command => {
                let place = format!("usr/local/bin/{name}");
                entries.push(Entry::link(&name, &format!("/{place}")));
                entries.push(Entry::copy(&place, &path)?);
            }
            Some("sh") => entries.push(Entry::copy(&format!("usr/local/lib/{name}"), &path)?),
            Some("cnf") => entries.push(Entry::copy(&format!("etc/mysql/mariadb.conf.d/{name}"), &path)?),
            _ => {}
        }
    }
    anyhow::ensure!(!entries.is_empty(), "{} holds no script", folder.display());
    Ok(entries)
}

/// The program and the libraries it asks for, each where the loader looks.
fn operator(profile: Profile) -> Result<Vec<Entry>> {
    let folder = match profile {
        Profile::Dev => "debug",
        Profile::Release => "release",
    };
    let program = target().join(folder).join("rss-operator");
    let mut entries = vec![Entry::copy("usr/local/bin/rss-operator", &program)?];
    let libraries = run::output(Command::new("ldd").arg(&program))?;
    for library in libraries.split_whitespace().filter(|word| word.starts_with('/')) {
        entries.push(Entry::copy(library.trim_start_matches('/'), Path::new(library))?);
    }
    Ok(entries)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

fn target() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
