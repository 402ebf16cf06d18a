//! What the machine must bring along; all that is missing is named at once.

use std::fs;
use std::path::Path;

use anyhow::{Result, bail};

use super::layout::{self, NFT_TABLE, POD_NETWORK, SERVICE_NETWORK};
use super::{cgroup, teardown};
use crate::run;

/// Go of this version builds the cluster's program.
const OLDEST_GO: (u32, u32) = (1, 24);
/// Program, build cache, base images, and five nodes with some of these unpacked.
const DISK_NEEDED_GIB: u64 = 15;

/// Fail with a list of everything that is missing; warn where nobody has tried.
pub(crate) fn check() -> Result<()> {
    let missing: Vec<String> = [root(), cargo(), go(), compiler(), disk(), groups(), networks(), rival()]
        .into_iter()
        .filter_map(Result::err)
        .collect();
    if !missing.is_empty() {
        bail!("the local cluster needs:\n  - {}", missing.join("\n  - "));
    }
    if let Some(system) = untested() {
        eprintln!(
            "\nwarning: this is {system}; only Debian 12 for x86_64 with control groups version 1 was tried"
        );
    }
    Ok(())
}

/// Linux and root, for every command that touches the machine.
pub(crate) fn check_root() -> Result<()> {
    root().map_err(|missing| anyhow::anyhow!("the local cluster needs {missing}"))
}

fn root() -> Result<(), String> {
    if !cfg!(target_os = "linux") {
        return Err("Linux: use a Debian 12 machine, or --context with a cluster of your own".into());
    }
    let root = rustix::process::geteuid().is_root();
    root.then_some(()).ok_or_else(|| "root, for network and control groups: run it with sudo -E".into())
}

fn cargo() -> Result<(), String> {
    run::find("cargo").map(|_| ()).ok_or_else(|| "cargo in PATH: install rustup".into())
}

fn go() -> Result<(), String> {
    let cure = "install it from go.dev, or bookworm-backports, and put it in PATH";
    let Some(go) = run::find("go") else {
        return Err(format!("Go {}.{} or newer: {cure}", OLDEST_GO.0, OLDEST_GO.1));
    };
    let found = run::words(&[&go.to_string_lossy(), "env", "GOVERSION"]).unwrap_or_default();
    match parse_go(found.trim()) {
        Some(version) if version >= OLDEST_GO => Ok(()),
        _ => Err(format!("Go {}.{} or newer, found {}: {cure}", OLDEST_GO.0, OLDEST_GO.1, found.trim())),
    }
}

fn parse_go(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.strip_prefix("go")?.split(['.', '-', ' ']);
    // A pre-release has letters behind the minor version: 1.25rc1.
    let minor =
        |part: &str| part.split(|c: char| !c.is_ascii_digit()).next().and_then(|digits| digits.parse().ok());
    Some((parts.next()?.parse().ok()?, minor(parts.next()?)?))
}

fn compiler() -> Result<(), String> {
    run::find("cc").map(|_| ()).ok_or_else(|| "a C compiler: apt-get install gcc libc6-dev".into())
}

fn disk() -> Result<(), String> {
    let cache = layout::cache().map_err(|error| error.to_string())?;
    for (folder, needed) in [(cache, DISK_NEEDED_GIB), (layout::state(), DISK_NEEDED_GIB)] {
        let existing = folder.ancestors().find(|f| f.is_dir()).unwrap_or(Path::new("/"));
        let free = run::words(&["df", "--output=avail", "--block-size=1G", &existing.to_string_lossy()]);
        let free: u64 = free.ok().and_then(|t| t.lines().nth(1)?.trim().parse().ok()).unwrap_or(0);
        if free < needed {
            return Err(format!("{needed} GiB free disk at {}, found {free}: make room", existing.display()));
        }
    }
    Ok(())
}

fn groups() -> Result<(), String> {
    cgroup::version().map(|_| ()).map_err(|error| format!("control groups for containers: {error}"))
}

/// Our addresses must lead nowhere yet.
fn networks() -> Result<(), String> {
    let routes =
        run::words(&["ip", "-4", "route", "show"]).map_err(|error| format!("iproute2: {error:#}"))?;
    let prefixes = [POD_NETWORK, SERVICE_NETWORK].map(|net| net.trim_end_matches("0.0/16"));
    let foreign =
        |line: &&str| prefixes.iter().any(|p| line.starts_with(p)) && !line.contains(layout::BRIDGE_PREFIX);
    match routes.lines().find(foreign) {
        Some(route) => {
            Err(format!("the networks {POD_NETWORK} and {SERVICE_NETWORK} unused, found route {route}"))
        }
        None => Ok(()),
    }
}

/// Two kube-proxies on one machine would undo each other's rules, whose names are fixed.
fn rival() -> Result<(), String> {
    let ours = teardown::has_leftovers();
    let tables =
        run::find("nft").and_then(|nft| run::words(&[&nft.to_string_lossy(), "list", "tables"]).ok());
    let tables = tables.unwrap_or_default();
    if tables.contains(" kube-proxy") && !ours && !tables.contains(NFT_TABLE) {
        return Err(
            "no other Kubernetes on this machine, found the packet filter table of another kube-proxy".into(),
        );
    }
    let chains =
        run::find("iptables-save").and_then(|save| run::words(&[&save.to_string_lossy(), "-t", "nat"]).ok());
    match chains.is_some_and(|chains| chains.contains("KUBE-SERVICES")) {
        true => {
            Err("no other Kubernetes on this machine, found the packet filter chains of another kube-proxy"
                .into())
        }
        false => Ok(()),
    }
}

fn untested() -> Option<String> {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let field =
        |key: &str| release.lines().find_map(|l| l.strip_prefix(key)).map(|v| v.trim_matches('"').to_owned());
    let (id, version) = (field("ID="), field("VERSION_ID="));
    let debian =
        id.as_deref() == Some("debian") && version.as_deref() == Some("12") && cfg!(target_arch = "x86_64");
    let groups = cgroup::version().ok()?;
    let name = field("PRETTY_NAME=").unwrap_or_else(|| "an unknown system".into());
    let tried = debian && groups == cgroup::Version::One;
    (!tried).then(|| format!("{name} for {} with control groups version {groups}", std::env::consts::ARCH))
}

#[cfg(test)]
mod tests {
    use super::parse_go;

    #[test]
    fn go_versions() {
        for (text, version) in [
            ("go1.26.8", Some((1, 26))),
            ("go1.25rc1", Some((1, 25))),
            ("go1.24", Some((1, 24))),
            ("go1.24.3-X:nocoverage", Some((1, 24))),
            ("devel", None),
        ] {
            assert_eq!(parse_go(text), version, "{text}");
        }
    }
}
