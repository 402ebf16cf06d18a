//! From nothing to a cluster whose nodes are ready.

use std::path::Path;

use anyhow::{Context, Result};

use super::kubelite::KUBELITE;
use super::layout::Node;
use super::{
    Cluster, certificates, cgroup, control_plane, each, isolation, lock, network, packages, prerequisites,
    status, storage, teardown,
};
use crate::image::pause;
use crate::progress::{Progress, Step};

/// Bring the cluster up with this many nodes. What an interrupted run left is removed first; a
/// cluster of the same size in which all is well is left as it is.
///
/// # Errors
/// If the machine lacks something, or a part does not start.
pub fn up(nodes: u8) -> Result<()> {
    prerequisites::check_root()?;
    let _lock = lock::take()?;
    if Cluster::attach().is_ok_and(|cluster| cluster.nodes == nodes) && status::look()?.is_sound() {
        eprintln!("the local cluster is up");
        return Ok(());
    }
    let mut progress = Progress::new(9);
    progress.step("check the machine", |_| prerequisites::check())?;
    progress.step("remove what an earlier run left", |_| teardown::remove_all())?;
    progress.step("install packages", packages::install)?;
    let kubelite = progress.step("build Kubernetes", |step| KUBELITE.build(step))?;
    progress.step("prepare network, control groups, certificates", |_| prepare(nodes))?;
    progress.step("start API server and container runtimes", |step| start_first(&kubelite, nodes, step))?;
    let cluster = Cluster::unchecked(&kubelite, nodes);
    progress.step("start kubelets and controllers", |_| start_rest(&kubelite, nodes))?;
    progress.step("offer volumes", |_| {
        let_nodes_read(&cluster)?;
        storage::create(&cluster)
    })?;
    progress.step("wait for the nodes", |step| wait_ready(&cluster, step))?;
    cluster.save()?;
    progress.finish(&format!("the local cluster is up, nodes: {nodes}"));
    eprintln!("export KUBECONFIG={}", cluster.kubeconfig().display());
    Ok(())
}

fn prepare(nodes: u8) -> Result<()> {
    std::fs::create_dir_all(super::layout::state())?;
    isolation::prepare()?;
    network::create(nodes)?;
    cgroup::create(nodes)?;
    certificates::create(nodes)
}

/// The API server takes seconds to be ready, and the container runtimes use them.
fn start_first(kubelite: &Path, nodes: u8, step: &mut Step) -> Result<()> {
    let pause = pause::build(step)?;
    std::thread::scope(|scope| {
        let api = scope.spawn(|| control_plane::start_store_and_api(kubelite));
        let runtimes = each(Node::all(nodes), |node| {
            node.start_runtime()?;
            node.import(&pause)
        });
        let api = api.join().unwrap_or_else(|_| anyhow::bail!("a thread panicked"));
        api.and(runtimes)
    })
}

fn start_rest(kubelite: &Path, nodes: u8) -> Result<()> {
    each(Node::all(nodes), |node| node.start_kubelet(kubelite))?;
    control_plane::start_controllers(kubelite)
}

/// The node authorizer learns of a claim a moment after its pod, and a kubelet that asks too early asks
/// again a quarter of a minute later. Here every node may read what any of them may.
fn let_nodes_read(cluster: &Cluster) -> Result<()> {
    let group = "--group=system:nodes";
    cluster.kubectl(&["create", "clusterrolebinding", "nodes", "--clusterrole=system:node", group])?;
    Ok(())
}

fn wait_ready(cluster: &Cluster, step: &mut Step) -> Result<()> {
    for node in Node::all(cluster.nodes) {
        let name = format!("node/{}", node.name());
        // Before it has registered, kubectl knows nothing to wait for.
        node.kubelet().wait("it registered its node", || cluster.kubectl(&["get", &name]).is_ok())?;
        step.note(|| format!("{name} is registered"));
        let ready = cluster.kubectl(&["wait", "--for=condition=Ready", "--timeout=90s", &name]);
        ready.with_context(|| format!("{name} is not ready; {}", node.kubelet().log_tail()))?;
    }
    Ok(())
}
