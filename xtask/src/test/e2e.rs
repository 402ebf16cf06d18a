//! The operator in a real cluster.

use anyhow::{Context, Result};

use crate::cluster::{self, Cluster};
use crate::image::Recipe;
use crate::operator::Profile;
use crate::progress::Progress;
use crate::{run, workspace};

/// Three for the members of a set, and two that may be lost or wait.
const NODES: u8 = 5;
const IMAGES: [&str; 3] = ["dummy", "galera", "operator"];
/// Tests mostly wait: more at a time than there are cores, and fewer than would starve the databases.
const THREADS: &str = "--test-threads=3";

/// Compile first, then start the cluster: an error in a test is found before minutes are spent.
pub(super) fn run(keep: bool) -> Result<()> {
    run::shown(&mut workspace::cargo(&["test", "--package", "e2e", "--no-run"]))?;
    let found = Cluster::attach().is_ok_and(|cluster| cluster.nodes().len() == usize::from(NODES));
    cluster::up(NODES)?;
    let result = on(&Cluster::attach()?);
    if keep || found {
        eprintln!("the cluster is left up: cargo xtask cluster down");
        return result;
    }
    // The test's own failure says more than that of the removal after it.
    let removed = cluster::down();
    result.and(removed)
}

fn on(cluster: &Cluster) -> Result<()> {
    let mut progress = Progress::new(IMAGES.len());
    for name in IMAGES {
        let recipe: Recipe = name.parse().map_err(anyhow::Error::msg)?;
        progress.step(&format!("image {}", recipe.image_name()), |step| {
            cluster.load(&recipe.build(Profile::Dev, step)?)
        })?;
    }
    let volumes = cluster.recycle_volumes().context("failed to empty the volumes of earlier runs")?;
    if volumes > 0 {
        eprintln!("emptied {volumes} volumes of earlier runs");
    }
    let mut tests = workspace::cargo(&["test", "--package", "e2e", "--", THREADS]);
    run::shown(tests.env("RSS_KUBECONFIG", cluster.kubeconfig()))
}
