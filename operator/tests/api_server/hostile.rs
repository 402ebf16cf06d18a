//! Policies that are made to do harm: each ends in a named condition on its own set, and another set goes on.

mod kept;
mod registries;
mod turncoats;

use operator::exec::Purpose;
use planner::observation::Command;
use serde_json::json;

use crate::guest::{Guest, Image, renamed};
use crate::interface::Interface;
use crate::policies::{from_config_map, is, name, put};
use crate::scene::{Scene, condition};
use crate::server::ApiServer;
use kept::kept;

/// What one of them may add to what is resident: far from the 1 GiB that some of these want. Most of it is what
/// compiling takes.
const MEMORY: u64 = 48 << 20;

/// Set for a process in which one test runs alone.
const ALONE: &str = "RSS_TEST_ALONE";

/// What is told of a policy: its bytes, the reason of the condition, and words of its message.
type Case = (&'static str, Vec<u8>, &'static str, &'static str);

/// Does this before it answers `sequence`.
fn reads(body: &str) -> Vec<u8> {
    Guest::sequence(Image::unreadable()).body(body).component()
}

/// Reads this from every output, but of a command that failed, of one that was cut, and of one that said nothing.
fn claims(image: Image, body: &str) -> Vec<u8> {
    let unreadable = "(if (i32.or (i32.or (local.get $exit_code) (local.get $truncated)) (i32.eqz (local.get $stdout_length)))
        (then (i32.store8 (i32.const 1024) (i32.const 2))))";
    Guest::sequence(image).pages(256).body(&format!("{body} {unreadable}")).component()
}

fn text(component: &str) -> Vec<u8> {
    wat::parse_str(component).expect("text of a component")
}

/// What is refused before it is asked anything.
fn no_policies() -> Vec<Case> {
    use wit_component::StringEncoding::UTF16;
    let seed = Guest::seed().component();
    let starts = |body: &str| {
        let more = format!("{} (func $begin {body}) (start $begin)", kept("deeper"));
        Guest::seed().more(&more).component()
    };
    let refused = [
        ("a start that does not end", starts(&kept("endless")), "units of fuel"),
        ("a start that nests without end", starts(&kept("call-deeper")), "nested too deep"),
        ("a start that takes all memory", starts(&kept("grow")), "bytes of memory"),
        ("an import of WASI", text(&kept("import-of-wasi")), "build for wasm32-unknown-unknown"),
        ("an import of its own", text(&kept("import-of-its-own")), "imports a:b/c"),
        ("no interface", text(&kept("no-interface")), "none of the interfaces"),
        (
            "another version",
            renamed(&seed, Interface::Seed, "clusterlabs:policy/seed@0.2.0"),
            "this host knows",
        ),
        (
            "a slip of the pen",
            renamed(&seed, Interface::Seed, "clusterlabs:policy/sead@0.1.0"),
            "this host knows",
        ),
        ("strings in UTF-16", Guest::seed().encoded(UTF16), "a policy's are UTF-8"),
        ("two core modules", text(&kept("two-core-modules")), "core modules"),
        ("a core module", Guest::seed().module(), "a core module and not a component"),
        ("cut bytes", seed[..seed.len() / 2].to_vec(), "not a valid component"),
        ("too many bytes", [seed.as_slice(), &vec![0; 768 << 10]].concat(), "a policy has at most 786432"),
        ("native code", [b"\x7fELF".as_slice(), &seed].concat(), "native code"),
        ("text", b"(component)".to_vec(), "give the binary"),
        ("a memory of 16 MiB and a page", Guest::seed().pages(257).component(), "bytes of memory"),
    ];
    refused.map(|(sentence, bytes, words)| (sentence, bytes, "PolicyRefused", words)).into()
}

/// What is a policy, and does not behave when it is tried.
fn ill_behaved() -> Vec<Case> {
    let seeds = |body: &str| Guest::seed().body(body).component();
    let orders = |body: &str| Guest::primaries().body(body).component();
    let deeper = Guest::sequence(Image::unreadable()).more(&kept("deeper")).body(&kept("call-deeper"));
    let no_room = |body: &str| Guest::sequence(Image::unreadable()).realloc(body).component();
    let intervals = |list: &[(u64, u64)]| claims(Image::history(&[("a", list)]), "");
    let many = |body: &str| claims(Image::history(&[("a", &[(1, 2)])]), body);
    let broken = [
        ("a call that does not end", reads(&kept("endless")), "Answers"),
        ("calls that nest without end", deeper.component(), "Answers"),
        ("memory without end", reads(&kept("grow")), "Answers"),
        ("a trap where the host wants room", no_room(&kept("trap")), "Answers"),
        ("no end where the host wants room", no_room(&kept("endless")), "Answers"),
        ("a list of 1 GiB", many(&kept("list-of-1-gib")), "Answers"),
        ("a million intervals", many(&kept("a-million-intervals")), "Answers"),
        ("a reversed interval", intervals(&[(9, 8)]), "WellFormed"),
        ("intervals that overlap", intervals(&[(1, 5), (4, 9)]), "WellFormed"),
        ("a name that was not given", seeds(&kept("unknown-name")), "NamesAreKnown"),
        ("an empty name", seeds(&kept("empty-name")), "NamesAreKnown"),
        ("a name twice", orders(&kept("name-twice")), "OrdersAreWhole"),
    ];
    broken.map(|(sentence, bytes, words)| (sentence, bytes, "DoesNotConform", words)).into()
}

/// What is told of the set, whatever the policy.
fn told(server: &ApiServer, reason: &str, words: &str) -> bool {
    let message = condition(server, "PolicyReady")["message"].clone();
    is(server, "PolicyReady", "False", reason) && message.as_str().is_some_and(|said| said.contains(words))
}

#[tokio::test(flavor = "multi_thread")]
async fn each_hostile_policy_ends_in_a_named_condition_on_its_own_set_and_another_set_goes_on() {
    // The memory of a process is that of all its tests.
    if std::env::var_os(ALONE).is_none() {
        let test =
            "hostile::each_hostile_policy_ends_in_a_named_condition_on_its_own_set_and_another_set_goes_on";
        return again_alone(test);
    }
    for (sentence, bytes, reason, words) in no_policies().into_iter().chain(ill_behaved()) {
        let before = forget_peak();
        let mut scene = Scene::new().await;
        put(&scene, "hostile", &bytes);
        name(&scene, &from_config_map("hostile"));
        scene.put_another_set();
        scene.begin();
        let seed = scene.begins(Command::Seed).await;
        assert_eq!(seed.call.container.pod.0, "rss-y-0", "{sentence}");
        scene.becomes(sentence, |server| told(server, reason, words)).await;
        assert!(!scene.begun().contains(&Purpose::Guarded(Command::Seed)), "{sentence}: nothing else seeds");
        let more = resident("VmHWM:").saturating_sub(before);
        assert!(more < MEMORY, "{sentence}: {more} bytes more were resident at once");
    }
}

/// Runs a test in a process of its own.
fn again_alone(test: &str) {
    let this = std::env::current_exe().expect("a test runs");
    let again = std::process::Command::new(this).args([test, "--exact"]).env(ALONE, "1").output();
    let again = again.expect("it runs again");
    let said = String::from_utf8_lossy(&again.stdout);
    assert!(
        again.status.success() && said.contains("1 passed"),
        "{said}{}",
        String::from_utf8_lossy(&again.stderr)
    );
}

/// From now on the peak is that of what comes: what is resident at this moment, in bytes.
fn forget_peak() -> u64 {
    std::fs::write("/proc/self/clear_refs", "5").expect("Linux forgets it");
    resident("VmRSS:")
}

/// A number of the kernel's about this process, in bytes.
fn resident(name: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells");
    let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("the kernel tells");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") << 10
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_of_the_wrong_shape_are_told_by_their_path_and_another_set_goes_on() {
    let schema =
        r#"{"type": "object", "properties": {"order": {"type": "array"}}, "additionalProperties": false}"#;
    let texts = ["guest", "0.1.0", "for tests", schema];
    for (settings, path) in [(json!({"order": "by age"}), "/order"), (json!({"colour": 1}), "colour")] {
        let mut scene = Scene::new().await;
        put(&scene, "described", &Guest::described(Image::metadata(texts, &[])).component());
        let mut policy = from_config_map("described");
        policy["settings"] = settings;
        name(&scene, &policy);
        scene.put_another_set();
        scene.begin();
        assert_eq!(scene.begins(Command::Seed).await.call.container.pod.0, "rss-y-0");
        scene.becomes(path, |server| told(server, "SettingsRefused", path)).await;
    }
}
