//! How a person is logged in, and what is wrong with a kubeconfig, by the names of its fields.

use std::process::Stdio;

use super::*;

/// The kubeconfig with these words in the place of others, as one of this name.
pub(super) fn changed(kubeconfig: &Path, name: &str, changes: &[(&str, String)]) -> PathBuf {
    let mut text = std::fs::read_to_string(kubeconfig).unwrap();
    for (old, new) in changes {
        assert!(text.contains(old), "{old}: {text}");
        text = text.replace(old, new);
    }
    file(name, text)
}

fn with_user(name: &str, user: &Value) -> PathBuf {
    changed(&api_server(set()), name, &[("\"user\":{}", format!("\"user\":{user}"))])
}

fn plugin(command: &str, words: &[&str]) -> Value {
    json!({"exec": {"apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never", "command": command,
        "args": words, "installHint": "brew install it"}})
}

fn failed(kubeconfig: &Path, parts: &[&str]) {
    let told = ask(kubeconfig, &["explain", "orders"]);
    for part in parts {
        assert!(told.err.contains(part), "{part}: {}", told.err);
    }
    assert!(told.code == Some(1) && told.err.lines().count() == 1, "{}", told.err);
}

/// A pipe of this name, which who reads it waits for.
fn pipe(name: &str) -> PathBuf {
    let pipe = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    pipe
}

#[test]
fn a_login_plugin_that_hangs_is_waited_for_aloud_and_given_up_in_the_time_of_a_request() {
    let pipe = pipe("plugin");
    let hangs = with_user("kubeconfig-hangs", &plugin("cat", &[pipe.to_str().unwrap()]));
    let explain = |time| {
        let mut command = asking_of(&hangs);
        command.args(["explain", "orders", "--request-timeout", time]).stderr(Stdio::piped());
        command.spawn().unwrap()
    };
    let mut waits = explain("0");
    let mut lines = BufReader::new(waits.stderr.take().unwrap()).lines().map_while(Result::ok);
    let first = lines.next().unwrap();
    assert!(first.starts_with("waiting for the login plugin cat of the user u ("), "{first}");
    std::fs::write(&pipe, "").unwrap();
    assert_eq!(waits.wait().unwrap().code(), Some(1), "it gave no credentials");

    let gone = explain("100ms").wait_with_output().unwrap();
    let told = String::from_utf8(gone.stderr).unwrap();
    assert_eq!(gone.status.code(), Some(1), "{told}");
    for part in
        ["the login plugin cat of the user u has not given", "100ms (--request-timeout)", "context here"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
    // Who still waits there ends as well: by a writer that comes and goes.
    std::fs::File::options().read(true).write(true).open(&pipe).unwrap();
    std::fs::remove_file(&pipe).unwrap();
}

#[test]
fn a_login_plugin_that_gives_a_token_is_used() {
    let answer = json!({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "x"}});
    let gives = with_user("kubeconfig-gives", &plugin("echo", &[&answer.to_string()]));
    assert_eq!(ask(&gives, &["explain", "orders"]).code, Some(4));
}

#[test]
fn a_login_plugin_that_hangs_where_it_is_asked_again_is_not_waited_for_to_its_end() {
    let pipe = pipe("again");
    let runs = Path::new(env!("CARGO_TARGET_TMPDIR")).join("plugin-runs");
    let (counted, piped) = (runs.display(), pipe.display());
    // Hangs once it has run so often; its token is for now alone, or for long.
    let run_until = |most: usize, until: &str, time: &str| {
        std::fs::write(&runs, "").unwrap();
        let answer = json!({"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
            "status": {"token": "x", "expirationTimestamp": until}});
        let script =
            format!("[ $(wc -l < {counted}) -lt {most} ] || cat {piped}; echo >> {counted}; echo '{answer}'");
        let kubeconfig = with_user("kubeconfig-again", &plugin("sh", &["-c", &script]));
        ask(&kubeconfig, &["explain", "orders", "--request-timeout", time])
    };
    assert_eq!(run_until(99, "2999-01-01T00:00:00Z", "0").code, Some(4));
    let built = std::fs::read_to_string(&runs).unwrap().lines().count();
    let why = "(--request-timeout), or the login plugin sh of the user u hangs;";
    // On a busy machine even what comes before the request may take longer than the first of these.
    let mut told = ["1s", "5s", "25s"].into_iter().map(|time| run_until(built, "2001-01-01T00:00:00Z", time));
    assert!(told.any(|told| told.code == Some(1) && told.err.contains(why)));
    std::fs::File::options().read(true).write(true).open(&pipe).unwrap();
    std::fs::remove_file(&pipe).unwrap();
}

#[test]
fn a_login_plugin_that_cannot_be_run_or_fails_is_named_with_its_user_and_not_what_it_answered() {
    let missing = with_user("kubeconfig-no-plugin", &plugin("no-such-plugin", &[]));
    failed(
        &missing,
        &["the login plugin no-such-plugin of the user u cannot be run", "PATH: brew install it"],
    );
    let fails =
        with_user("kubeconfig-plugin-fails", &plugin("sh", &["-c", "echo secret; echo expired >&2; exit 3"]));
    failed(&fails, &["the login plugin sh of the user u failed (exit status: 3): expired"]);
    assert!(!ask(&fails, &["explain", "orders"]).err.contains("secret"));
}

#[test]
fn a_file_that_a_field_names_and_that_is_not_there_is_told_by_both() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("nowhere/file");
    let path = path.to_str().unwrap();
    let token = with_user("kubeconfig-no-token", &json!({"tokenFile": path}));
    failed(&token, &[&format!("failed to read {path} (tokenFile in the kubeconfig): No such file")]);
    let user = json!({"client-certificate": path, "client-key": path});
    let certificate = with_user("kubeconfig-no-certificate", &user);
    failed(&certificate, &[&format!("failed to read {path} (client-certificate in the kubeconfig)")]);
    let authority = format!("\"certificate-authority\":\"{path}\",\"server\"");
    let authority = changed(&api_server(set()), "kubeconfig-no-authority", &[("\"server\"", authority)]);
    failed(&authority, &[&format!("failed to read {path} (certificate-authority in the kubeconfig)")]);
}

#[test]
fn a_server_without_a_scheme_is_asked_as_kubectl_asks_it_and_none_at_all_is_refused() {
    let kubeconfig = api_server(set());
    let bare = changed(&kubeconfig, "kubeconfig-bare", &[("http://127", "127".to_owned())]);
    assert_eq!(ask(&bare, &["explain", "orders"]).code, Some(4));
    let path = changed(&kubeconfig, "kubeconfig-path", &[("http://127.0.0.1:", "/run/".to_owned())]);
    failed(&path, &["`server` of its cluster is no address of an API server", "https://HOST:PORT"]);
}
