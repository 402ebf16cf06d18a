//! Container images without a container engine: layers are tar files, an image is a list of them.

mod base;
mod compile;
pub(crate) mod digest;
mod example;
mod layer;
pub(crate) mod pause;
mod recipe;

use std::fs::File;
use std::io::Write;

use anyhow::{Context, Result};
use serde_json::{Value, json};

pub use layer::{Entry, Layer};
pub use recipe::Recipe;

/// An image in the cache, ready to be loaded under its name.
#[derive(Clone, Debug)]
pub struct Image {
    pub(crate) name: String,
    layers: Vec<Layer>,
    config: Vec<u8>,
    manifest: Vec<u8>,
}

/// What an image runs, and how.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The program and its first arguments.
    pub entrypoint: Vec<String>,
    /// Arguments that a pod may replace.
    pub arguments: Vec<String>,
    /// `user` or `user:group`; root if empty.
    pub user: String,
}

/// What a name without a host is completed with, by every container runtime.
const DEFAULT_HOST: &str = "docker.io";

// === impl Image ===

impl Image {
    /// An image of these layers, the base first.
    ///
    /// # Errors
    /// None in practice: an image is plain data.
    pub fn of(name: &str, layers: &[Layer], config: &Config) -> Result<Self> {
        let ids: Vec<_> = layers.iter().map(|layer| format!("sha256:{}", layer.digest)).collect();
        let config = serde_json::to_vec(&json!({
            "architecture": "amd64",
            "os": "linux",
            "config": {
                "Entrypoint": config.entrypoint,
                "Cmd": config.arguments,
                "User": config.user,
                "Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],
            },
            "rootfs": {"type": "layers", "diff_ids": ids},
        }))?;
        let blobs = layers.iter().map(|l| descriptor("layer.v1.tar", &l.digest, l.size));
        let manifest = serde_json::to_vec(&json!({
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": descriptor("config.v1+json", &digest::of(&config), config.len() as u64),
            "layers": blobs.collect::<Vec<_>>(),
        }))?;
        Ok(Self { name: name.to_owned(), layers: layers.to_vec(), config, manifest })
    }

    /// What the name stands for: changes whenever anything in the image does.
    #[must_use]
    pub fn digest(&self) -> String {
        digest::of(&self.manifest)
    }

    /// Write the image as an archive, without those layers that the reader has.
    pub(crate) fn write_archive(&self, to: impl Write, has: impl Fn(&str) -> bool) -> Result<()> {
        let mut archive = tar::Builder::new(to);
        let mut described = descriptor("manifest.v1+json", &self.digest(), self.manifest.len() as u64);
        described["annotations"] = json!({"io.containerd.image.name": reference(&self.name)});
        let index = json!({"schemaVersion": 2, "manifests": [described]});
        append(&mut archive, "oci-layout", br#"{"imageLayoutVersion":"1.0.0"}"#)?;
        for small in [&self.manifest, &self.config] {
            append(&mut archive, &blob(&digest::of(small)), small)?;
        }
        for layer in self.layers.iter().filter(|layer| !has(&layer.digest)) {
            let file = layer.file()?;
            let file = File::open(&file).with_context(|| format!("failed to open {}", file.display()))?;
            let mut header = header(layer.size);
            archive.append_data(&mut header, blob(&layer.digest), file)?;
        }
        append(&mut archive, "index.json", &serde_json::to_vec(&index)?)?;
        archive.into_inner()?.flush().map_err(Into::into)
    }
}

/// The full form of a name, under which a kubelet's runtime looks for an image.
fn reference(name: &str) -> String {
    match name.split_once('/') {
        Some((host, _)) if host == "localhost" || host.contains(['.', ':']) => name.to_owned(),
        Some(_) => format!("{DEFAULT_HOST}/{name}"),
        None => format!("{DEFAULT_HOST}/library/{name}"),
    }
}

fn descriptor(kind: &str, digest: &str, size: u64) -> Value {
    let media_type = format!("application/vnd.oci.image.{kind}");
    json!({"mediaType": media_type, "digest": format!("sha256:{digest}"), "size": size})
}

fn blob(digest: &str) -> String {
    format!("blobs/sha256/{digest}")
}

fn append<W: Write>(archive: &mut tar::Builder<W>, path: &str, bytes: &[u8]) -> Result<()> {
    archive.append_data(&mut header(bytes.len() as u64), path, bytes).map_err(Into::into)
}

fn header(size: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_mode(0o644);
    header.set_mtime(0);
    header.set_size(size);
    header
}

#[cfg(test)]
mod tests {
    use super::reference;

    #[test]
    fn short_names_are_completed_and_full_ones_kept() {
        assert!(reference("dummy:example").ends_with("/library/dummy:example"));
        assert!(reference("team/dummy:example").ends_with("/team/dummy:example"));
        assert_ne!(reference("team/dummy:example"), "team/dummy:example");
        for full in ["localhost/rss/pause:1", "host.example/dummy:1", "host:5000/dummy:1"] {
            assert_eq!(reference(full), full);
        }
    }
}
