//! Which policies there are, and how each is made.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

/// What makes the policy of an example that is not in Rust.
const SCRIPT: &str = "build.sh";

/// The folder of a crate's fixtures.
const FIXTURES: &str = "fixtures";

/// Those beside a script, as the records of decisions.
const SCRIPTS_FIXTURES: &str = "fixtures.json";

/// A policy of the repository.
pub(super) struct Source {
    /// What its component is called.
    pub(super) name: String,
    /// Its folder, from the root of the repository.
    folder: PathBuf,
    /// It is not in Rust.
    has_script: bool,
}

// === impl Source ===

impl Source {
    /// All of them: crates in `policies` that make a component, and folders of `examples` with a script that does.
    pub(super) fn all(root: &Path) -> Result<Vec<Self>> {
        let is_crate = |folder: &Path| {
            fs::read_to_string(folder.join("Cargo.toml")).is_ok_and(|text| text.contains("\"cdylib\""))
        };
        let has_script = |folder: &Path| folder.join(SCRIPT).is_file();
        let mut all = Self::of(root, "policies", false, is_crate)?;
        all.extend(Self::of(root, "examples", true, has_script)?);
        all.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(all)
    }

    fn of(root: &Path, place: &str, has_script: bool, is: impl Fn(&Path) -> bool) -> Result<Vec<Self>> {
        let entries =
            fs::read_dir(root.join(place)).with_context(|| format!("failed to look into {place}"))?;
        let mut found = Vec::new();
        for entry in entries {
            let entry = entry?;
            if is(&entry.path()) {
                let name = entry.file_name().to_string_lossy().into_owned();
                found.push(Self { folder: Path::new(place).join(&name), name, has_script });
            }
        }
        Ok(found)
    }

    /// The folder of its fixtures: questions with the answers that are right.
    pub(super) fn fixtures(&self, root: &Path) -> PathBuf {
        let folder = root.join(&self.folder);
        if self.has_script { folder } else { folder.join(FIXTURES) }
    }

    /// What asks its component every fixture; of a crate the native policy too.
    pub(super) fn test(&self, tool: &Path, root: &Path, component: &Path) -> Command {
        let mut command = Command::new(tool);
        match self.has_script {
            true => {
                let fixtures = self.fixtures(root).join(SCRIPTS_FIXTURES);
                command.args(["policy", "replay"]).arg(fixtures).arg("--with").arg(component)
            }
            false => command.args(["policy", "test"]).arg(root.join(&self.folder)),
        };
        command.current_dir(root);
        command
    }

    /// What makes its component of the source in a repository.
    pub(super) fn build(&self, tool: &Path, root: &Path, component: &Path) -> Command {
        let folder = root.join(&self.folder);
        let mut command = match self.has_script {
            true => Command::new("sh"),
            false => Command::new(tool),
        };
        match self.has_script {
            true => command.arg(folder.join(SCRIPT)).arg(component).env("KUBECTL_RSS", tool),
            false => command.args(["policy", "build"]).arg(folder),
        };
        command.current_dir(root);
        command
    }
}
