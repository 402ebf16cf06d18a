//! Which image is made of what, and its name.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::str::FromStr;

use anyhow::{Context, Result};

use super::base::{self, Base};
use super::example::{self, Example};
use super::{Config, Entry, Image, Layer, layer};
use crate::binary::{self, Profile};
use crate::progress::Step;
use crate::{registry, run, workspace};

/// The user of the operator's image, that of `nonroot` in the base of deploy/Containerfile.
const NONROOT: &str = "65532:65532";

/// An image the project knows how to make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recipe {
    image: String,
    contents: Contents,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Contents {
    Operator,
    Busybox,
    Registry,
    Example(Example),
}

// === impl Recipe ===

impl FromStr for Recipe {
    type Err = String;

    /// `operator`, `busybox`, `registry`, or a folder under `examples`. The manifests there say what the image is called.
    fn from_str(name: &str) -> Result<Self, String> {
        let root = workspace::root();
        let folder = root.join("examples").join(name);
        let recipe = match name {
            "operator" => {
                image_in(&root.join("deploy/deployment.yaml")).map(|image| (image, Contents::Operator))
            }
            registry::NAME => Ok((registry::IMAGE.to_owned(), Contents::Registry)),
            "busybox" => Ok(("localhost/rss/busybox:dev".to_owned(), Contents::Busybox)),
            _ if !folder.join(example::FILE).is_file() => return Err(format!("there are {}", known())),
            _ => image_in(&folder.join("cluster.yaml"))
                .and_then(|image| Ok((image, Contents::Example(Example::read(&folder)?)))),
        };
        recipe.map(|(image, contents)| Self { image, contents }).map_err(|error| format!("{error:#}"))
    }
}

impl Recipe {
    /// The name under which a pod finds the image; it must not be pulled, so set
    /// `imagePullPolicy: IfNotPresent` or `Never`.
    #[must_use]
    pub fn image_name(&self) -> &str {
        &self.image
    }

    /// Make it, as far as the cache has it not. The operator is compiled first.
    ///
    /// # Errors
    /// If a file is missing or a tool fails.
    pub fn build(&self, profile: Profile, step: &mut Step) -> Result<Image> {
        let mut config = Config::default();
        let (base, entries) = match &self.contents {
            Contents::Operator => {
                config.entrypoint = vec![format!("/{OPERATOR}")];
                // The manifests name no user: OpenShift gives each namespace a range of its own.
                config.user = NONROOT.to_owned();
                (Base::Empty, installed(profile, step)?)
            }
            Contents::Busybox => (Base::Busybox, Vec::new()),
            Contents::Registry => return registry::image(step),
            Contents::Example(example) => {
                config.entrypoint.clone_from(&example.entrypoint);
                config.arguments.clone_from(&example.command);
                (example.base, example.entries(step)?)
            }
        };
        let mut layers = vec![base.layer(step)?];
        if !entries.is_empty() {
            layers.push(Layer::of(entries)?);
        }
        layer::prune(&base::kept()?)?;
        Image::of(&self.image, &layers, &config)
    }
}

/// Every name that is a recipe's.
fn known() -> String {
    let folders = fs::read_dir(workspace::root().join("examples")).into_iter().flatten().flatten();
    let examples = folders.filter(|folder| folder.path().join(example::FILE).is_file());
    let mut names: Vec<_> = examples.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.extend(["operator", "busybox", registry::NAME].map(str::to_owned));
    names.sort();
    names.join(", ")
}

/// The first image that a manifest names.
fn image_in(manifest: &Path) -> Result<String> {
    let text =
        fs::read_to_string(manifest).with_context(|| format!("failed to read {}", manifest.display()))?;
    let mut images = text.lines().filter_map(|line| line.trim_start().strip_prefix("image: "));
    let image = images.next().with_context(|| format!("{} names no image", manifest.display()))?;
    Ok(image.trim().to_owned())
}

/// The operator's place in its image.
const OPERATOR: &str = "usr/local/bin/rss-operator";

/// Whom Debian trusts, of the package ca-certificates; the operator fetches policies from registries.
const AUTHORITIES: &str = "etc/ssl/certs/ca-certificates.crt";

/// The program and the libraries it asks for, each where the loader looks.
fn installed(profile: Profile, step: &mut Step) -> Result<Vec<Entry>> {
    let program = binary::OPERATOR.build(profile, step)?;
    let mut entries = vec![Entry::copy(OPERATOR, &program)?];
    entries.extend(["etc/ssl", "etc/ssl/certs"].map(|folder| Entry::folder(folder, 0o755)));
    entries.push(Entry::file(AUTHORITIES, 0o644, &Path::new("/").join(AUTHORITIES)));
    let libraries = run::output(Command::new("ldd").arg(&program))?;
    for library in libraries.split_whitespace().filter(|word| word.starts_with('/')) {
        entries.push(Entry::copy(library.trim_start_matches('/'), Path::new(library))?);
    }
    Ok(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_are_called_what_their_manifests_call_them() {
        for (name, image) in
            [("dummy", "dummy:example"), ("galera", "galera:example"), ("mysql", "mysql:example")]
        {
            assert_eq!(name.parse::<Recipe>().unwrap().image_name(), image);
        }
        assert!("operator".parse::<Recipe>().unwrap().image_name().starts_with("rss-operator:"));
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let answer = "nobody".parse::<Recipe>().unwrap_err();
        assert!(["busybox", "dummy", "operator"].iter().all(|name| answer.contains(name)), "{answer}");
    }
}
