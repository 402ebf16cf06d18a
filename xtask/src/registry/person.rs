//! Somebody with the author's tool who has logged in, or has tried to.

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Context, Result};
use serde_json::json;

use super::Registry;
use crate::{policies, run};

/// Somebody with the author's tool: what `docker login` leaves behind, in a folder that goes with this.
#[derive(Debug)]
pub struct Person {
    folder: PathBuf,
}

// === impl Registry ===

impl Registry {
    /// A configuration of Docker, in JSON, with the registry's user and this password; as files and Secrets have it.
    #[must_use]
    pub fn logins(&self, password: &str) -> String {
        json!({"auths": {&self.host: {"username": self.user, "password": password}}}).to_string()
    }

    /// Push the component of one of this project's policies as a person does; the image by its digest.
    ///
    /// # Errors
    /// If it was not built, or the registry does not take it.
    pub fn push(&self, policy: &str, image: &str) -> Result<String> {
        let person = Person::with_password(self, &self.password)?;
        let mut push = person.policy("push");
        let pushed = run::output(push.arg(policies::component(policy)).arg(image))?;
        Ok(pushed.trim().to_owned())
    }
}

// === impl Person ===

impl Person {
    /// Who knows the registry's authority, and a password that may be wrong.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn with_password(registry: &Registry, password: &str) -> Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("rss-person-{}-{number}", std::process::id());
        let person = Self { folder: std::env::temp_dir().join(name) };
        // There is a password in it.
        DirBuilder::new().mode(0o700).create(&person.folder).context("failed to make a folder")?;
        fs::write(person.folder.join("config.json"), registry.logins(password))?;
        fs::write(person.authority(), &registry.ca_pem)?;
        Ok(person)
    }

    /// `kubectl rss policy WORD`, by this login and trusting the registry's authority.
    #[must_use]
    pub fn policy(&self, word: &str) -> Command {
        let mut command = Command::new(policies::tool_path());
        command.args(["policy", word, "--ca"]).arg(self.authority()).env("DOCKER_CONFIG", &self.folder);
        command
    }

    /// The folder, for other files that shall go with it.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn authority(&self) -> PathBuf {
        self.folder.join("registry.crt")
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        // The folder for temporary files is emptied by others, too.
        fs::remove_dir_all(&self.folder).ok();
    }
}
