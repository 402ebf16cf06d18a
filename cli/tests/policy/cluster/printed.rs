//! What is printed to be pasted into a shell: it asks the cluster that was asked, and is nothing but that command.

use super::*;

/// A kubeconfig in a folder whose name is no plain word, and what names it to a shell.
fn odd_kubeconfig(name: &str, from: &Path) -> (PathBuf, String) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name).join("it's mine");
    std::fs::create_dir_all(&folder).unwrap();
    let odd = folder.join("config");
    std::fs::copy(from, &odd).unwrap();
    let shown = odd.to_str().unwrap().replace("it's", r"it'\''s");
    (odd, format!("'{shown}'"))
}

#[test]
fn every_command_that_is_printed_asks_the_cluster_that_was_named() {
    let mut set = asking();
    set["status"]["holds"][0]["reason"] = json!("RestoreSize");
    set["status"]["restoreReplicas"] = json!(3);
    set["status"]["conditions"][0]["type"] = json!("Accepted");
    set["status"]["conditions"][0]["status"] = json!("False");
    let paused = json!({"scope": "set", "reason": "Paused", "message": "", "keys": []});
    let lost = json!({"scope": "x-0", "reason": "LostData", "message": "", "keys": ["AcceptLoss/x-0/33cc"]});
    set["status"]["holds"].as_array_mut().unwrap().extend([paused, lost]);
    let (kubeconfig, shown) = odd_kubeconfig("printed", &api_server(set));
    let nothing = Path::new("/dev/null");
    let way = ["--context", "here", "--kubeconfig", kubeconfig.to_str().unwrap()];
    let words = format!(" -n db --context here --kubeconfig {shown}");
    let ask = |asked: &[&str]| ask(nothing, &[asked, &way].concat());

    let told = ask(&["explain", "orders", "-o", "json"]).json();
    let ways = told["unblock"].as_array().unwrap().iter();
    let commands: Vec<&str> = ways.filter_map(|way| way["command"].as_str()).collect();
    for verb in ["annotate --overwrite rss", "scale rss", "patch rss", "edit rss", "rss approve", "rss seed"]
    {
        let begin = format!("kubectl {verb} orders");
        assert!(commands.iter().any(|command| command.starts_with(&begin)), "{begin}: {commands:?}");
    }
    assert!(commands.iter().all(|command| command.contains(&words)), "{commands:?}");

    for (asked, expected) in [
        (&["approve", "orders"][..], format!("kubectl rss approve orders{words} --plan 7f3a9c01d2e4")),
        (&["seed", "orders", "x-1"], format!("kubectl rss seed orders x-1{words} --facts 22bb22bb22bb")),
    ] {
        let told = ask(asked);
        assert!(told.out.contains(&expected), "{expected}: {}{}", told.out, told.err);
        let json = ask(&[asked, &["-o", "json"]].concat()).json();
        assert_eq!(json["offers"][0]["command"], json!(expected));
    }
    for (asked, expected) in [
        (&["explain", "other"][..], format!("`kubectl get rss -A --context here --kubeconfig {shown}`")),
        (&["seed", "orders", "x-7"], format!("`kubectl rss explain orders{words}`")),
        (
            &["seed", "orders", "x-1", "--facts", "000000000000"],
            format!("`kubectl rss seed orders x-1{words}`"),
        ),
    ] {
        let told = ask(asked);
        assert!(told.err.contains(&expected), "{expected}: {}", told.err);
    }
}

#[test]
fn a_key_from_the_status_is_one_word_to_a_shell_and_one_of_an_unknown_kind_is_none() {
    let key = "AcceptLoss/x-1/x';exit 7;'";
    let mut set = asking();
    set["status"]["holds"][1]["keys"] = json!(["Later/x-0/1", "AcceptSeed/x-1/$(exit 7)", key]);
    let kubeconfig = api_server(set);
    let told = ask(&kubeconfig, &["explain", "orders", "-o", "json"]).json();
    let ways = told["unblock"].as_array().unwrap();
    let commands: Vec<&str> = ways.iter().filter_map(|way| way["command"].as_str()).collect();
    let given = |command: &str| {
        let script =
            format!(r#"kubectl() {{ for word; do last=$word; done; printf %s "$last"; }}; {command}"#);
        let told = run(Command::new("sh").args(["-ec", &script]));
        assert_eq!(told.code, Some(0), "{command}");
        told.out
    };
    let given: Vec<String> = commands.iter().map(|command| given(command)).collect();
    for last in [format!("clusterlabs.org/allow={key}"), "$(exit 7)".to_owned()] {
        assert!(given.contains(&last), "{given:?}");
    }
    assert!(!given.iter().any(|given| given.contains("Later")), "{given:?}");
    let later =
        ways.iter().find(|way| way["means"].as_str().is_some_and(|means| means.contains("Later/x-0/1")));
    assert!(later.unwrap()["means"].as_str().unwrap().contains("use a newer one"), "{ways:?}");

    let seed = ask(&kubeconfig, &["seed", "orders", "x-1", "-o", "json"]).json();
    let command = seed["offers"][0]["command"].as_str().unwrap();
    assert!(command.ends_with("--facts '$(exit 7)'"), "{command}");
}

#[test]
fn what_is_not_offered_is_told_with_what_is() {
    let mut set = asking();
    set["status"]["replicaStates"] = json!([{"name": "x-0"}, {"name": "x-1"}, {"name": "x-2"}]);
    let kubeconfig = api_server(set.clone());
    for (replica, expected) in [
        ("x-2", "orders offers no AcceptSeed of x-2, only of x-0, x-1; `kubectl rss explain orders -n db`"),
        ("1", "no AcceptSeed of 1, which is none of its replicas (x-0, x-1, x-2), only of x-0, x-1;"),
    ] {
        let told = ask(&kubeconfig, &["seed", "orders", replica]);
        assert_eq!(told.code, Some(1));
        assert!(told.err.contains(expected), "{}", told.err);
    }
    set["status"]["holds"] = json!([]);
    let kubeconfig = api_server(set.clone());
    let told = ask(&kubeconfig, &["seed", "orders", "x-2"]);
    assert!(told.err.contains("no AcceptSeed of x-2, nor of any other;"), "{}", told.err);
    let told = ask(&kubeconfig, &["approve", "orders"]);
    assert!(
        told.err.contains("its recovery.mode is Auto, and a plan waits (AwaitsApproval) only"),
        "{}",
        told.err
    );
    set["spec"]["recovery"] = json!({"mode": "Ask"});
    let told = ask(&api_server(set), &["approve", "orders"]);
    assert!(
        told.err.contains("no plan waits (AwaitsApproval), though its recovery.mode is Ask"),
        "{}",
        told.err
    );
}
