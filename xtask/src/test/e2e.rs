//! The operator in a real cluster.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::durations::Durations;
use super::programs::{self, Program};
use super::test_run::TestRun;
use crate::binary::Profile;
use crate::cluster::{self, Cluster};
use crate::image::Recipe;
use crate::own::Own;
use crate::progress::Progress;
use crate::{counts, policies, run};

/// Three for the members of a set, and two more for tests that take nodes away.
const NODES: u8 = 5;
const IMAGES: [&str; 6] = ["coder", "dummy", "galera", "mysql", "operator", "registry"];
/// The package of these tests, and the target in it that needs a cluster.
pub(super) const PACKAGE: &str = "e2e";
pub(super) const TARGET: &str = "cluster";
/// Tests that share the cluster with others. They mostly wait: more of them run at a time than there are processors, and
/// fewer than would starve the databases.
const SETS: [&str; 2] = ["sets::", "--test-threads=4"];
/// Tests that need the cluster for themselves.
const ALONE: [&str; 2] = ["alone::", "--test-threads=1"];
/// The rules of the API server of the simulation, compared with a real one.
const REQUESTS: [&str; 2] = ["requests::", "--nocapture"];
/// Sequences of requests for the full test, and for each change.
const SEQUENCES: u64 = 20;
const SAMPLE: u64 = 5;
/// Faults by chance: how they are drawn and observed, and rounds of them.
pub(crate) const BY_CHANCE: [&str; 4] =
    ["faults::chance::", "faults::readings::", "faults::seeds::", "faults::rounds::"];
/// Tests of sets that need the registry of the local cluster, or reach for processes and networks of its pods.
const LOCAL: [&str; 5] = ["policies::", "galera_faults::", "cut_off::", "full_volume::", "lineages::"];
/// The soak runs the other seeds.
const FIRST_SEED: u64 = 0;

/// Run the tests on the local cluster. It goes down afterwards, unless it was up before.
pub(super) fn run(test: &TestRun) -> Result<()> {
    // An error of the compiler is found before minutes are spent on the cluster.
    let program = programs::target(test.programs()?, PACKAGE, TARGET)?;
    policies::write()?;
    let found = Cluster::attach().is_ok_and(|cluster| cluster.nodes().len() == usize::from(NODES));
    cluster::up(NODES)?;
    let result = on(&Cluster::attach()?, test, program);
    if test.keeps_cluster() || found {
        eprintln!("the cluster stays up; to remove it: cargo xtask cluster down");
        return result;
    }
    // The failure of a test says more than a failure of the removal after it.
    let removed = cluster::down();
    result.and(removed)
}

fn on(cluster: &Cluster, test: &TestRun, program: &Program) -> Result<()> {
    prepare(cluster)?;
    for group in [SETS, ALONE] {
        test.test(program, &mut local(cluster, program, &group))?;
    }
    let sequences = if test.is_full() { SEQUENCES } else { SAMPLE };
    test.test(program, &mut requests(cluster, program, 1, sequences))?;
    test.test(program, &mut faults(cluster, program, &BY_CHANCE, FIRST_SEED))
}

fn local(cluster: &Cluster, program: &Program, arguments: &[&str]) -> Command {
    let mut tests = program.command(arguments);
    tests.env("RSS_KUBECONFIG", cluster.kubeconfig()).env_remove("RSS_CONTEXT");
    tests
}

fn requests(cluster: &Cluster, program: &Program, from: u64, count: u64) -> Command {
    let mut tests = local(cluster, program, &REQUESTS);
    tests.env("RSS_SEQUENCES_FROM", from.to_string()).env("RSS_SEQUENCES_COUNT", count.to_string());
    tests
}

fn faults(cluster: &Cluster, program: &Program, arguments: &[&str], seed: u64) -> Command {
    let mut tests = local(cluster, program, &[arguments, &["--nocapture", "--test-threads=1"]].concat());
    tests.env("RSS_FAULTS_FROM", seed.to_string()).env("RSS_FAULTS_COUNT", "1");
    tests
}

/// Run tests of faults by their names. A test that draws faults uses this seed. The tests add their counts to the file.
/// The cluster stays up.
///
/// # Errors
/// If a test fails, or the cluster does not come up.
pub(crate) fn fault(names: &[&str], seed: u64, counts: &Path) -> Result<()> {
    let programs = programs::build()?;
    let program = programs::target(&programs, PACKAGE, TARGET)?;
    policies::write()?;
    cluster::up(NODES)?;
    let cluster = Cluster::attach()?;
    prepare(&cluster)?;
    let mut tests = faults(&cluster, program, names, seed);
    program.run(tests.env(counts::VARIABLE, counts), &mut Durations::default())
}

/// Send sequences of requests to a real API server and to the one of the simulation. The cluster stays up.
///
/// # Errors
/// If an answer differs, or the cluster does not come up.
pub(crate) fn sequences(from: u64, count: u64) -> Result<()> {
    let programs = programs::build()?;
    let program = programs::target(&programs, PACKAGE, TARGET)?;
    cluster::up(NODES)?;
    program.run(&mut requests(&Cluster::attach()?, program, from, count), &mut Durations::default())
}

/// Run the tests in a cluster of the user's own, where the images already are. Tests that would harm it are left out.
pub(super) fn run_on(test: &TestRun, own: &Own) -> Result<()> {
    let program = programs::target(test.programs()?, PACKAGE, TARGET)?;
    policies::write()?;
    let list = |filters: &[&str]| {
        run::output(&mut program.command(&[filters, &["--list"]].concat())).map(|list| indented(&list))
    };
    eprintln!(
        "left out, because they take nodes away or watch all namespaces:\n{}",
        list(&["alone::", "faults::", "requests::"])?
    );
    let of_sets = LOCAL.map(|group| format!("sets::{group}"));
    let of_sets: Vec<&str> = of_sets.iter().map(String::as_str).collect();
    eprintln!(
        "left out, because they need the registry, processes or networks of the local cluster:\n{}",
        list(&of_sets)?
    );
    let skipped = of_sets.iter().flat_map(|group| ["--skip", group]);
    let mut tests = program.command(&SETS.into_iter().chain(skipped).collect::<Vec<_>>());
    tests.env_remove("RSS_KUBECONFIG").env("RSS_CONTEXT", &own.context);
    tests.env("RSS_IMAGE_PREFIX", own.image_prefix.as_deref().unwrap_or_default());
    test.test(program, &mut tests)
}

/// The names in a list of tests.
fn indented(list: &str) -> String {
    let tests = list.lines().filter_map(|line| line.strip_suffix(": test"));
    tests.map(|test| format!("  {test}")).collect::<Vec<_>>().join("\n")
}

/// Give the images to the nodes, and empty the volumes of earlier runs.
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
    fn only_the_names_of_tests_are_taken_from_a_list() {
        let list = "nodes::a_node_goes: test\neverywhere::one_for_all: test\n\n2 tests, 0 benchmarks\n";
        assert_eq!(super::indented(list), "  nodes::a_node_goes\n  everywhere::one_for_all");
    }
}
