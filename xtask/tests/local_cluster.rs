//! What the project relies on in its local cluster. It must be up, with two nodes or more:
//! `cargo xtask cluster up && cargo test -p xtask -- --ignored`.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use xtask::cluster::Cluster;
use xtask::image::Recipe;
use xtask::operator::Profile;
use xtask::progress::Step;

/// A namespace that goes with the test.
struct Namespace<'a> {
    cluster: &'a Cluster,
    name: &'static str,
}

#[test]
#[ignore = "needs the local cluster"]
fn pods_have_claims_names_and_neighbours_and_survive_a_power_cut() -> Result<()> {
    let cluster = Cluster::attach()?;
    let busybox: Recipe = "busybox".parse().map_err(anyhow::Error::msg)?;
    cluster.load(&busybox.build(Profile::Dev, &mut Step::silent())?)?;
    let space = Namespace::create(&cluster, "xtask-local-cluster")?;
    space.apply(&manifest(busybox.image_name()))?;
    space.run(&["wait", "--for=condition=Ready", "--timeout=60s", "pod/left", "pod/right"])?;

    let sum = space.exec("left", "echo kept > /data/file; exit 7");
    ensure!(format!("{:#}", sum.err().context("exit 7 must fail")?).contains("exit code 7"));
    space.exec("right", "nslookup kubernetes.default.svc.cluster.local")?;
    let address = space.run(&["get", "pod", "left", "-o", "jsonpath={.status.podIP}"])?;
    space.exec("right", &format!("nslookup {address}"))?;
    ensure!(space.exec("right", &format!("wget -qO- http://{address}:8080/data/file"))? == "kept\n");
    ensure!(space.exec("right", "wget -qO- http://left/data/file")? == "kept\n", "by its service");

    let node = space.run(&["get", "pod", "left", "-o", "jsonpath={.spec.nodeName}"])?;
    cluster.stop_node(&node)?;
    within(20, || space.condition(&node).is_ok_and(|ready| ready == "Unknown"))?;
    cluster.start_node(&node)?;
    within(60, || space.exec("left", "cat /data/file").is_ok_and(|file| file == "kept\n"))?;

    space.run(&["delete", "pod,persistentvolumeclaim", "--all"])?;
    within(20, || cluster.recycle_volumes().is_ok_and(|recycled| recycled > 0))?;
    let phases = cluster.kubectl(&["get", "persistentvolumes", "-o", "jsonpath={.items[*].status.phase}"])?;
    ensure!(!phases.contains("Released"), "{phases}");
    Ok(())
}

fn within(seconds: u64, mut done: impl FnMut() -> bool) -> Result<()> {
    let begun = Instant::now();
    while !done() {
        ensure!(begun.elapsed() < Duration::from_secs(seconds), "not within {seconds} s");
        std::thread::sleep(Duration::from_millis(200));
    }
    Ok(())
}

/// Two pods on two nodes; the left one has a claim and serves what is in it.
fn manifest(image: &str) -> String {
    format!(
        "
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {{name: data}}
spec: {{accessModes: [ReadWriteOncePod], resources: {{requests: {{storage: 1Gi}}}}}}
---
apiVersion: v1
kind: Service
metadata: {{name: left}}
spec: {{selector: {{app: left}}, ports: [{{port: 80, targetPort: 8080}}]}}
---
apiVersion: v1
kind: Pod
metadata: {{name: left, labels: {{app: left}}}}
spec:
  terminationGracePeriodSeconds: 0
  containers: [{{name: main, image: \"{image}\", command: [httpd, -f, -p, \"8080\", -h, /],
    volumeMounts: [{{name: data, mountPath: /data}}]}}]
  volumes: [{{name: data, persistentVolumeClaim: {{claimName: data}}}}]
---
apiVersion: v1
kind: Pod
metadata: {{name: right}}
spec:
  terminationGracePeriodSeconds: 0
  affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [
    {{topologyKey: kubernetes.io/hostname, labelSelector: {{matchLabels: {{app: left}}}}}}]}}}}
  containers: [{{name: main, image: \"{image}\", command: [sleep, \"86400\"]}}]
"
    )
}

// === impl Namespace ===

impl<'a> Namespace<'a> {
    fn create(cluster: &'a Cluster, name: &'static str) -> Result<Self> {
        cluster.kubectl(&["create", "namespace", name])?;
        let space = Self { cluster, name };
        // A pod is refused before its namespace's account is there.
        within(20, || space.run(&["get", "serviceaccount", "default"]).is_ok())?;
        Ok(space)
    }

    fn run(&self, words: &[&str]) -> Result<String> {
        self.cluster.kubectl(&[&["--namespace", self.name], words].concat())
    }

    fn apply(&self, manifest: &str) -> Result<String> {
        self.cluster.kubectl_with_input(&["--namespace", self.name, "apply", "-f", "-"], manifest)
    }

    fn exec(&self, pod: &str, script: &str) -> Result<String> {
        self.run(&["exec", pod, "--", "sh", "-c", script])
    }

    fn condition(&self, node: &str) -> Result<String> {
        let ready = "jsonpath={.status.conditions[?(@.type==\"Ready\")].status}";
        self.run(&["get", "node", node, "-o", ready])
    }
}

impl Drop for Namespace<'_> {
    fn drop(&mut self) {
        self.cluster.kubectl(&["delete", "namespace", self.name, "--wait=false"]).ok();
    }
}
