//! A set of one member, an operator that leads, and an application whose commands the test can see.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use futures::FutureExt;
use futures::future::BoxFuture;
use kube::runtime::events::{Recorder, Reporter};
use operator::api::Installation;
use operator::attempts::Attempts;
use operator::clients::Clients;
use operator::context::Context;
use operator::controller::Controller;
use operator::exec::{Call, Exec, LostReason, Outcome, Purpose};
use operator::lease::Leads;
use operator::policy::fetch::Registries;
use operator::policy::isolated::Bounds;
use operator::policy::keep::Keep;
use operator::policy::{Host, Isolated, Policies};
use operator::telemetry::{Metrics, Readiness};
use planner::observation::{Command, Output};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::server::ApiServer;

/// What has not come after this never will.
const FOREVER: Duration = Duration::from_secs(300);

const RECORD: &str = "clusterlabs.org/record";

const SETS: &str = "/apis/clusterlabs.org/v1alpha1/namespaces/shop/replicatedstatefulsets";

/// A command that was begun, and what stood in the API server at that moment.
pub(crate) struct Begun {
    pub(crate) purpose: Purpose,
    pub(crate) call: Call,
    pub(crate) set: Value,
    pub(crate) claim: Value,
}

/// The application in every container: stopped until it is started, and `sequence` says 7.
struct Application {
    server: ApiServer,
    begun: UnboundedSender<Begun>,
    running: Running,
    silent: Silent,
}

/// In which pods the application runs.
type Running = Arc<Mutex<BTreeMap<String, bool>>>;

/// Pods in which no command ends.
type Silent = Arc<Mutex<BTreeSet<String>>>;

/// The world of one test.
pub(crate) struct Scene {
    pub(crate) server: ApiServer,
    pub(crate) ready: Readiness,
    pub(crate) context: Context,
    begun: UnboundedReceiver<Begun>,
    controller: Option<Controller>,
    running: Running,
    silent: Silent,
    /// Whether this operator leads.
    _leads: watch::Sender<Leads>,
}

impl Exec for Application {
    fn run(&self, call: Call) -> BoxFuture<'_, Outcome> {
        let purpose = call.purpose;
        let name = call.container.pod.0.clone();
        if self.silent.lock().expect("no panic").contains(&name) {
            let given_up = tokio::time::sleep(call.deadline);
            return given_up.map(|()| Outcome::Lost(LostReason::Deadline)).boxed();
        }
        let mut running = self.running.lock().expect("no panic");
        let (code, said) = match purpose {
            Purpose::Status => (if running.get(&name) == Some(&true) { 0 } else { 7 }, ""),
            Purpose::Guarded(Command::Read | Command::Rehearse) => (0, "7\n"),
            // The lock is held by the application that was started.
            Purpose::Guarded(Command::Probe) => (123, ""),
            Purpose::Guarded(command) => {
                running.insert(name, command != Command::Stop);
                (0, "")
            }
            Purpose::Shell | Purpose::Fate => (0, ""),
        };
        if purpose != Purpose::Status {
            let set = self.server.get("replicatedstatefulsets", "x").unwrap_or_default();
            let claim = self.server.get("persistentvolumeclaims", "data-rss-x-0").unwrap_or_default();
            // The test may be over.
            let _ = self.begun.send(Begun { purpose, call, set, claim });
        }
        let output = Output { code, stdout: said.to_owned(), stderr: String::new(), truncated: false };
        futures::future::ready(Outcome::Ended(output)).boxed()
    }
}

impl Scene {
    /// The set is there with a pod, its claim and its node; the operator has not begun.
    pub(crate) async fn new() -> Self {
        let server = ApiServer::default();
        server.put(&format!("{SETS}/x"), set());
        server.put("/api/v1/namespaces/shop/pods/rss-x-0", pod());
        server.put("/api/v1/namespaces/shop/persistentvolumeclaims/data-rss-x-0", claim());
        server.put("/api/v1/nodes/n0", node());
        let client = server.start().await;
        let clients = Clients { reads: client.clone(), writes: client.clone() };
        let controller = Controller::new(&client, &[]);
        let (begin, begun) = unbounded_channel();
        let (leads, led) = watch::channel(for_ever());
        let ready = Readiness::default();
        let (silent, running) = (Silent::default(), Running::default());
        let application = Application {
            server: server.clone(),
            begun: begin,
            running: Arc::clone(&running),
            silent: Arc::clone(&silent),
        };
        let context = Context {
            policies: policies(&clients, Registries::default()),
            clients,
            stores: controller.stores.clone(),
            exec: Arc::new(application),
            audit: planner::audit,
            leads: led,
            recorder: Recorder::new(client, Reporter { controller: "rss-operator".into(), instance: None }),
            metrics: Metrics::default(),
            ready: ready.clone(),
            installation: Installation { name: "a/b".into(), lease: "a/b".into(), renewed: None },
        };
        Self { server, ready, context, begun, controller: Some(controller), running, silent, _leads: leads }
    }

    /// The operator watches these namespaces alone.
    pub(crate) fn in_namespaces(mut self, namespaces: &[&str]) -> Self {
        let named: Vec<String> = namespaces.iter().map(|name| (*name).to_owned()).collect();
        let controller = Controller::new(&self.context.clients.reads, &named);
        self.context.stores = controller.stores.clone();
        Self { controller: Some(controller), ..self }
    }

    /// The application runs nowhere any more.
    pub(crate) fn all_stop(&self) {
        self.running.lock().expect("no panic").clear();
    }

    /// From now on, no command in this pod ends.
    pub(crate) fn falls_silent(&self, pod: &str) {
        self.silent.lock().expect("no panic").insert(pod.to_owned());
    }

    /// Another set, `y`, that is as this one and has the policy that is part of the operator.
    pub(crate) fn put_another_set(&self) {
        self.put_set("y", 1);
    }

    /// A set of this name, that is as this one and has the policy that is part of the operator; no two have one number.
    pub(crate) fn put_set(&self, name: &str, number: usize) {
        let other = |object: Value, uid: &str| {
            let text = object.to_string().replace("rss-x", &format!("rss-{name}"));
            let text = text.replace("c://0", &format!("c://{number}"));
            let mut other: Value = serde_json::from_str(&text).expect("JSON");
            other["metadata"]["uid"] = json!(format!("{uid}{number}"));
            other
        };
        let mut another = other(set(), "set");
        another["metadata"]["name"] = json!(name);
        let mut pod = other(pod(), "p");
        pod["metadata"]["labels"]["app"] = json!(name);
        self.server.put(&format!("{SETS}/{name}"), another);
        self.server.put(&format!("/api/v1/namespaces/shop/pods/rss-{name}-0"), pod);
        let claim = other(claim(), "k");
        let path = format!("/api/v1/namespaces/shop/persistentvolumeclaims/data-rss-{name}-0");
        self.server.put(&path, claim);
    }

    /// The set has a second member, as its first one is.
    pub(crate) fn put_another_member(&self) {
        let second = |object: Value, uid: &str| {
            let text = object.to_string().replace("rss-x-0", "rss-x-1").replace("c://0", "c://1");
            let mut second: Value = serde_json::from_str(&text).expect("JSON");
            second["metadata"]["uid"] = json!(uid);
            second
        };
        self.server.put("/api/v1/namespaces/shop/pods/rss-x-1", second(pod(), "p1"));
        let claim = second(claim(), "k1");
        self.server.put("/api/v1/namespaces/shop/persistentvolumeclaims/data-rss-x-1", claim);
        self.server.change("replicatedstatefulsets", "x", |set| set["spec"]["replicas"] = json!(2));
    }

    /// The operator begins.
    pub(crate) fn begin(&mut self) {
        let controller = self.controller.take().expect("it begins once");
        tokio::spawn(controller.run(self.context.clone()));
    }

    /// The operator begins, and of this plural it knows what is there now alone: what becomes of it then no watch tells.
    pub(crate) async fn begun_behind(mut self, plural: &'static str, then: impl FnOnce(&ApiServer)) -> Self {
        let other = if plural == "pods" { "persistentvolumeclaims" } else { "pods" };
        self.server.withhold(Some(other));
        self.begin();
        self.becomes("it is watched", |server| server.watched().contains(plural)).await;
        self.server.mute(Some(plural));
        then(&self.server);
        self.server.withhold(None);
        self
    }

    /// A set's commands, without its task.
    pub(crate) fn attempts(&self) -> Attempts {
        Attempts::new(Arc::clone(&self.context.exec), Arc::new(|| {}))
    }

    /// The next command of this kind, whatever is begun before it.
    pub(crate) async fn begins(&mut self, command: Command) -> Begun {
        let next = async {
            loop {
                let begun = self.begun.recv().await.expect("the operator runs");
                if begun.purpose == Purpose::Guarded(command) {
                    return begun;
                }
            }
        };
        tokio::time::timeout(FOREVER, next).await.unwrap_or_else(|_| panic!("no {command:?} is begun"))
    }

    /// Everything but `status` that was begun and not looked at.
    pub(crate) fn begun(&mut self) -> Vec<Purpose> {
        std::iter::from_fn(|| self.begun.try_recv().ok()).map(|begun| begun.purpose).collect()
    }

    /// Ends when the API server's objects are so.
    pub(crate) async fn becomes(&self, sentence: &str, so: impl Fn(&ApiServer) -> bool) {
        let so = self.server.becomes(so);
        tokio::time::timeout(FOREVER, so).await.unwrap_or_else(|_| panic!("it does not happen: {sentence}"));
    }
}

/// One engine for all tests, as there is one in a process.
fn host() -> Host {
    static HOST: OnceLock<Host> = OnceLock::new();
    HOST.get_or_init(|| Host::new().expect("an engine")).clone()
}

/// Policies as an operator has them that was just started.
pub(crate) fn policies(clients: &Clients, registries: Registries) -> Policies {
    let isolated = Isolated::new(env!("CARGO_BIN_EXE_rss-operator"), Bounds::default());
    Policies::new(host(), registries, Keep::new(clients, "ops"), clients.reads.clone()).isolated(isolated)
}

/// What stands in the status of the set.
pub(crate) fn status(server: &ApiServer) -> Value {
    server.get("replicatedstatefulsets", "x").map(|set| set["status"].clone()).unwrap_or_default()
}

/// The member's claim says that such a start is open; the set was well before that.
pub(crate) fn write_open_start(server: &ApiServer, pod: &str, (node, boot): (&str, &str), lock: &str) {
    let start = json!({"attempt": "a", "kind": "Seed", "pod": pod, "container": format!("c://{pod}"), "node": node,
        "boot": boot, "lock": lock, "confirmed": true, "began": true, "ended": true, "joiningBefore": false});
    let record = json!({"holder": {"claims": ["k0"]}, "replica": "rss-x-0", "epoch": {"number": 1},
        "confirmed": 1, "joining": false, "starts": 1, "open": [start], "waived": false, "left": false,
        "lockBusy": false, "ended": false});
    write_record(server, "rss-x-0", &record);
}

/// Writes what is known of the data of this replica on its claim.
pub(crate) fn write_record(server: &ApiServer, replica: &str, record: &Value) {
    server.change("persistentvolumeclaims", &format!("data-{replica}"), |claim| {
        claim["metadata"]["annotations"] = json!({RECORD: record.to_string()});
    });
}

/// It leads for longer than a test lasts.
pub(crate) fn for_ever() -> Leads {
    Leads::until(Instant::now() + 100 * FOREVER)
}

/// What stands on a claim.
pub(crate) fn record_of(claim: &Value) -> Value {
    let record = claim["metadata"]["annotations"][RECORD].as_str();
    serde_json::from_str(record.expect("the claim has a record")).expect("JSON")
}

/// A condition of the set.
pub(crate) fn condition(server: &ApiServer, kind: &str) -> Value {
    let status = status(server);
    let mut conditions = status["conditions"].as_array().into_iter().flatten();
    conditions.find(|condition| condition["type"] == kind).cloned().unwrap_or_default()
}

pub(crate) fn set() -> Value {
    let command = |name: &str| json!({"command": [name]});
    json!({
        "apiVersion": "clusterlabs.org/v1alpha1", "kind": "ReplicatedStatefulSet",
        "metadata": {"name": "x", "namespace": "shop", "uid": "set", "generation": 1},
        "spec": {"replicas": 1, "pod": {
            "commands": {"sequence": command("sequence"), "primary": command("primary"),
                "status": command("status"), "stop": command("stop")},
            "containers": [{"name": "db", "image": "db",
                "volumeMounts": [{"name": "data", "mountPath": "/data"}]}],
            "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": {}}]}},
    })
}

pub(crate) fn pod() -> Value {
    json!({
        "metadata": {"name": "rss-x-0", "namespace": "shop", "uid": "p0",
            "labels": {"app": "x", "rss-operator-managed": "true"}},
        "spec": {"nodeName": "n0", "containers": [{"name": "db",
            "env": [{"name": "RSS_POD_UID"}], "volumeMounts": [{"name": "run", "mountPath": "/run/rss"}]}]},
        "status": {"phase": "Running", "containerStatuses": [{"name": "db", "image": "", "imageID": "",
            "ready": true, "restartCount": 0, "containerID": "c://0", "state": {"running": {}}}]},
    })
}

pub(crate) fn claim() -> Value {
    json!({"metadata": {"name": "data-rss-x-0", "namespace": "shop", "uid": "k0"},
        "spec": {"volumeName": "pv0"}, "status": {"phase": "Bound"}})
}

fn node() -> Value {
    json!({"metadata": {"name": "n0", "uid": "n0"}, "status": {
        "nodeInfo": {"bootID": "b0", "architecture": "", "containerRuntimeVersion": "", "kernelVersion": "",
            "kubeProxyVersion": "", "kubeletVersion": "", "machineID": "", "operatingSystem": "", "osImage": "",
            "systemUUID": ""},
        "conditions": [{"type": "Ready", "status": "True"}]}})
}
