//! The operator in a real cluster.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::cluster::{self, Cluster};
use crate::image::Recipe;
use crate::operator::Profile;
use crate::own::Own;
use crate::progress::Progress;
use crate::{counts, policies, run, workspace};

/// Three for the members of a set, and two that may be lost or wait.
const NODES: u8 = 5;
const IMAGES: [&str; 6] = ["coder", "dummy", "galera", "mysql", "operator", "registry"];
/// Tests that can share a cluster with anything, and those that cannot.
const SETS: &str = "sets";
const ALONE: &str = "alone";
/// Those of `sets` that need the local cluster's registry, or reach for processes and networks of its pods.
const LOCAL: [&str; 5] = ["policies::", "galera_faults::", "cut_off::", "full_volume::", "lineages::"];
/// Those that take long, or go by chance.
const FAULTS: &str = "faults";
/// What draws and watches faults by chance, and the rounds of them.
pub(crate) const BY_CHANCE: [&str; 4] = ["chance::", "readings::", "seeds::", "rounds::"];
/// The one seed of faults that is always told; the soak has others.
const FIRST_SEED: u64 = 0;
/// The rules of the API server of the simulation beside a real one. With `e2e` it needs nothing compiled anew.
const RULES: [&str; 7] = ["test", "--package", "e2e", "--package", "api-server", "--test", "real"];
/// Tests mostly wait: more at a time than there are cores, and fewer than would starve the databases.
const THREADS: &str = "--test-threads=3";

/// Compile first, then start the cluster: an error in a test is found before minutes are spent.
pub(super) fn run(keep: bool) -> Result<()> {
    compile()?;
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

/// Runs the tests of `faults` with these names. A test that draws faults uses this seed. The tests add their counts to
/// the file. The cluster is left up.
pub(crate) fn fault(names: &[&str], seed: u64, counts: &Path) -> Result<()> {
    run::shown(&mut workspace::cargo(&["test", "--package", "e2e", "--test", FAULTS, "--no-run"]))?;
    policies::write()?;
    cluster::up(NODES)?;
    let cluster = Cluster::attach()?;
    prepare(&cluster)?;
    run::shown(faults(&cluster, names, seed).env(counts::VARIABLE, counts))
}

fn faults(cluster: &Cluster, names: &[&str], seed: u64) -> Command {
    let mut tests = workspace::cargo(&["test", "--package", "e2e", "--test", FAULTS, "--", "--nocapture"]);
    tests.args(names).env("RSS_FAULTS_FROM", seed.to_string()).env("RSS_FAULTS_COUNT", "1");
    tests.env("RSS_KUBECONFIG", cluster.kubeconfig()).env_remove("RSS_CONTEXT");
    tests
}

/// Sequences of requests of so many seeds, to a real API server and to the one of the simulation. The cluster is left up.
pub(crate) fn sequences(from: u64, count: u64) -> Result<()> {
    run::shown(workspace::cargo(&RULES).arg("--no-run"))?;
    cluster::up(NODES)?;
    let cluster = Cluster::attach()?;
    let mut tests = rules(&cluster);
    tests.env("RSS_SEQUENCES_FROM", from.to_string()).env("RSS_SEQUENCES_COUNT", count.to_string());
    run::shown(&mut tests)
}

fn rules(cluster: &Cluster) -> Command {
    let mut tests = workspace::cargo(&RULES);
    tests.args(["--", "--nocapture"]).env("RSS_KUBECONFIG", cluster.kubeconfig()).env_remove("RSS_CONTEXT");
    tests
}

/// The tests in a cluster of the user's own, where the images are already, without what would harm it.
pub(super) fn run_on(own: &Own) -> Result<()> {
    compile()?;
    let list = |words: &[&str]| {
        let list = [&["test", "--package", "e2e", "--test"], words, &["--list"]].concat();
        run::output(&mut workspace::cargo(&list)).map(|list| indented(&list))
    };
    eprintln!(
        "left out, for they reach for the nodes themselves or look after all namespaces:\n{}",
        list(&[ALONE, "--"])?
    );
    eprintln!(
        "and, for they take the local cluster's registry away, or reach for processes and networks of its pods:\n{}",
        list(&[&[SETS, "--"], LOCAL.as_slice()].concat())?
    );
    let mut tests = workspace::cargo(&["test", "--package", "e2e", "--lib", "--test", SETS, "--", THREADS]);
    tests.args(LOCAL.iter().flat_map(|group| ["--skip", group]));
    tests.env_remove("RSS_KUBECONFIG").env("RSS_CONTEXT", &own.context);
    tests.env("RSS_IMAGE_PREFIX", own.image_prefix.as_deref().unwrap_or_default());
    run::shown(&mut tests)
}

fn compile() -> Result<()> {
    for tests in [&["--no-run"] as &[&str], &["--test", FAULTS, "--no-run"]] {
        run::shown(workspace::cargo(&["test", "--package", "e2e"]).args(tests))?;
    }
    run::shown(workspace::cargo(&RULES).arg("--no-run"))?;
    policies::write()
}

/// The tests of a list that cargo's tests print.
fn indented(list: &str) -> String {
    let tests = list.lines().filter_map(|line| line.strip_suffix(": test"));
    tests.map(|test| format!("  {test}")).collect::<Vec<_>>().join("\n")
}

fn on(cluster: &Cluster) -> Result<()> {
    prepare(cluster)?;
    let mut tests = workspace::cargo(&["test", "--package", "e2e", "--", THREADS]);
    run::shown(tests.env("RSS_KUBECONFIG", cluster.kubeconfig()).env_remove("RSS_CONTEXT"))?;
    run::shown(&mut faults(cluster, &BY_CHANCE, FIRST_SEED))?;
    run::shown(&mut rules(cluster))
}

/// Gives the images to the nodes, and empties what earlier runs left.
fn prepare(cluster: &Cluster) -> Result<()> {
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
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn tests_are_named_and_what_is_around_them_is_not() {
        let list = "nodes::a_node_goes: test\neverywhere::one_for_all: test\n\n2 tests, 0 benchmarks\n";
        assert_eq!(super::indented(list), "  nodes::a_node_goes\n  everywhere::one_for_all");
    }
}
