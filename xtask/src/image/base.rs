//! What images are built on: a Debian with packages, or a lone busybox.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::{Entry, Layer, digest};
use crate::cluster::layout;
use crate::progress::Step;
use crate::run;

/// A file system to put more layers on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Base {
    /// A shell and the small tools, in one static program.
    Busybox,
    /// Debian 12 with MariaDB and Galera.
    Mariadb,
    /// Folders only.
    #[serde(skip)]
    Empty,
}

const MARIADB: &str = "mariadb-server,galera-4,rsync,lsof,iproute2,procps,socat";
/// The package makes a database: data that no member wrote, the same in every container.
const MARIADB_CLEANED: &str = r#"rm -rf "$1"/var/lib/mysql/*"#;

/// What a user's home of an empty Debian would be; other users are the base's own.
const PASSWD: &str = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n";
const GROUP: &str = "root:x:0:\nnogroup:x:65534:\n";

// === impl Base ===

impl Base {
    /// The layer, made unless the cache has it.
    pub(super) fn layer(self, step: &mut Step) -> Result<Layer> {
        match self {
            Self::Empty => Layer::of(skeleton()),
            Self::Busybox => busybox(),
            Self::Mariadb => debian(MARIADB, MARIADB_CLEANED, step),
        }
    }
}

/// The layers in the cache that took long to make.
pub(super) fn kept() -> Result<Vec<Layer>> {
    let made = fs::read_dir(layout::cache()?.join("bases")).into_iter().flatten().flatten();
    let made = made.filter(|entry| entry.path().extension().is_some_and(|e| e == "json"));
    made.map(|entry| Ok(serde_json::from_slice(&fs::read(entry.path())?)?)).collect()
}

fn skeleton() -> Vec<Entry> {
    let folders = [
        "bin",
        "dev",
        "etc",
        "lib",
        "lib64",
        "proc",
        "root",
        "run",
        "sys",
        "usr",
        "usr/local",
        "usr/local/bin",
        "var",
    ];
    let mut entries: Vec<_> = folders.map(|folder| Entry::folder(folder, 0o755)).into();
    entries.push(Entry::folder("tmp", 0o1777));
    entries.push(Entry::bytes("etc/passwd", 0o644, PASSWD));
    entries.push(Entry::bytes("etc/group", 0o644, GROUP));
    entries
}

fn busybox() -> Result<Layer> {
    let program = run::find("busybox").context("busybox is not installed: cargo xtask cluster up does it")?;
    let tools = run::output(Command::new(&program).arg("--list"))?;
    let mut entries = skeleton();
    entries.push(Entry::copy("bin/busybox", &program)?);
    let linked = tools.lines().filter(|tool| *tool != "busybox");
    entries.extend(linked.map(|tool| Entry::link(&format!("bin/{tool}"), "busybox")));
    entries.push(Entry::folder("usr/bin", 0o755));
    entries.push(Entry::link("usr/bin/env", "../../bin/busybox"));
    Layer::of(entries)
}

/// Half a minute and 500 MB: kept in the cache until the packages wanted change.
fn debian(packages: &str, cleaned: &str, step: &mut Step) -> Result<Layer> {
    let folder = layout::cache()?.join("bases");
    fs::create_dir_all(&folder)?;
    let key = digest::of(format!("{packages}\n{cleaned}").as_bytes());
    let made = folder.join(format!("debian-{}.json", &key[..16]));
    if let Ok(text) = fs::read(&made) {
        let layer: Layer = serde_json::from_slice(&text)?;
        if layer.file()?.is_file() {
            return Ok(layer);
        }
    }
    step.note(|| format!("installing Debian with {packages}"));
    let tar = folder.join(format!("new-{}.tar", std::process::id()));
    bootstrap(packages, cleaned, &tar)?;
    let layer = Layer::adopt(&tar)?;
    fs::write(made, serde_json::to_vec(&layer)?)?;
    Ok(layer)
}

fn bootstrap(packages: &str, cleaned: &str, tar: &Path) -> Result<()> {
    let mut command = Command::new("mmdebstrap");
    command.args(["--variant=apt", "--mode=root", &format!("--include={packages}")]);
    // Device files need a right that not every root has, and a container gets its own.
    command.args([
        "--skip=output/dev",
        "--dpkgopt=path-exclude=/usr/share/doc/*",
        "--dpkgopt=path-exclude=/usr/share/man/*",
    ]);
    command.arg(format!("--customize-hook={cleaned}"));
    command.arg("bookworm").arg(tar).env("SOURCE_DATE_EPOCH", "0").env("DEBIAN_FRONTEND", "noninteractive");
    run::output(&mut command).map(|_| ())
}
