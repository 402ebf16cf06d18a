//! Debian's packages for a node: installed, never started.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use super::prerequisites;
use crate::progress::Step;
use crate::run;

/// What the nodes run on, and what the images are made with.
const PACKAGES: [&str; 10] = [
    "busybox-static",
    "ca-certificates",
    "containerd",
    "containernetworking-plugins",
    "iproute2",
    "mmdebstrap",
    "nftables",
    "runc",
    "tar",
    "util-linux",
];

/// Debian asks this program whether a package may start its service. 101 means no.
const POLICY: &str = "/usr/sbin/policy-rc.d";
const DENY: &str =
    "#!/bin/sh\n# rss-cluster: while it installs packages, none may start a service.\nexit 101\n";

/// Denies the start of services while it lives; then what was there before is back.
struct NoServices {
    saved: Option<PathBuf>,
}

/// Install what of the cluster's packages is missing.
pub(crate) fn install(step: &mut Step) -> Result<()> {
    let missing: Vec<_> = PACKAGES.into_iter().filter(|package| !is_installed(package)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    step.note(|| format!("installing {}", missing.join(" ")));
    add(&missing)
}

/// Install packages, none of whose services is started.
///
/// # Errors
/// If this is no Debian, there are no rights to, or the archive does not have them.
pub(crate) fn add(missing: &[&str]) -> Result<()> {
    if run::find("apt-get").is_none() {
        bail!(
            "this machine has no apt-get: install yourself what these Debian packages hold: {}",
            missing.join(" ")
        );
    }
    prerequisites::check_root().with_context(|| format!("cannot install {}", missing.join(" ")))?;
    let guard = NoServices::install()?;
    let installed = apt_install(missing).or_else(|_| {
        // Package lists that are missing or older than the archive look the same: fetch them, try again.
        apt(&["update"])?;
        apt_install(missing)
    });
    drop(guard);
    if missing.contains(&"containerd") && Path::new("/run/systemd/system").is_dir() {
        run::words(&["systemctl", "disable", "containerd.service"])?;
    }
    installed.with_context(|| format!("failed to install {}", missing.join(" ")))
}

fn is_installed(package: &str) -> bool {
    let state = run::words(&["dpkg-query", "--show", "--showformat=${db:Status-Status}", package]);
    state.is_ok_and(|state| state == "installed")
}

fn apt_install(packages: &[&str]) -> Result<()> {
    // Another package manager at work is worth a wait; a removal is never worth the install.
    let options =
        ["install", "--yes", "--no-install-recommends", "--no-remove", "-o", "DPkg::Lock::Timeout=300"];
    apt(&[options.as_slice(), packages].concat())
}

fn apt(arguments: &[&str]) -> Result<()> {
    let mut command = Command::new("apt-get");
    command.arg("--quiet").args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    run::output(&mut command).map(|_| ())
}

// === impl NoServices ===

impl NoServices {
    fn install() -> Result<Self> {
        let policy = Path::new(POLICY);
        let aside = PathBuf::from(format!("{POLICY}.rss-cluster-saved"));
        let leftover = fs::read_to_string(policy).is_ok_and(|text| text == DENY);
        if policy.exists() && !leftover {
            fs::rename(policy, &aside).with_context(|| format!("failed to set {POLICY} aside"))?;
        }
        fs::write(policy, DENY)?;
        fs::set_permissions(policy, fs::Permissions::from_mode(0o755))?;
        Ok(Self { saved: aside.exists().then_some(aside) })
    }
}

impl Drop for NoServices {
    fn drop(&mut self) {
        let restored = match &self.saved {
            Some(aside) => fs::rename(aside, POLICY),
            None => fs::remove_file(POLICY),
        };
        if let Err(error) = restored {
            eprintln!("warning: {POLICY} still forbids packages to start services: {error}");
        }
    }
}
