use super::*;

/// What bash offers for the last of these words, by the script that `completion bash` prints.
fn offered(words: &[&str]) -> Vec<String> {
    let script =
        Command::new(env!("CARGO_BIN_EXE_kubectl-rss")).args(["completion", "bash"]).output().unwrap();
    let ask = "source <(printf %s \"$SCRIPT\")
        COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1))
        _kubectl__rss \"$1\" \"${!#}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"
        printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", ask, "bash", "kubectl-rss"]).args(words);
    let told = run(bash.env("SCRIPT", String::from_utf8(script.stdout).unwrap()));
    assert_eq!(told.err, "");
    told.out.lines().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_below_the_first_level_and_their_options() {
    for (words, wanted) in [
        (&["pol"][..], &["policy"][..]),
        (&["policy", "in"], &["inspect"]),
        (&["policy", ""], &["conform", "inspect", "pull"]),
        (&["policy", "inspect", "--cl"], &["--claims"]),
        (&["policy", "inspect", "-o", "j"], &["json"]),
        (&["status", "--ou"], &["--output"]),
        (&["explain", "--ou"], &["--output"]),
    ] {
        let offered = offered(words);
        assert!(wanted.iter().all(|one| offered.iter().any(|had| had == one)), "{words:?}: {offered:?}");
    }
}

#[test]
fn kubectl_is_given_a_program_that_completes_the_plugins_words() {
    let bin = Path::new(env!("CARGO_TARGET_TMPDIR")).join("completes");
    std::fs::create_dir_all(&bin).unwrap();
    let script = run(Command::new(env!("CARGO_BIN_EXE_kubectl-rss")).args(["completion", "kubectl"])).out;
    let program = file("completes/kubectl_complete-rss", script);
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let tool = Path::new(env!("CARGO_BIN_EXE_kubectl-rss")).parent().unwrap();
    let path = std::env::join_paths([tool, Path::new("/usr/bin"), Path::new("/bin")]).unwrap();
    // As kubectl calls it: with the words behind `kubectl rss`, the last of them unfinished.
    let asked = |words: &[&str]| run(Command::new(&program).args(words).env("PATH", &path));
    for (words, first, last) in [
        (&["expl"][..], "explain\tSay how a set is", ":4"),
        (&["policy", "inspect", "-o", "t"], "text\tFor people", ":4"),
        (&["policy", "inspect", "--pl"], "--plain-http\t", ":4"),
        (&["policy", "conform", ""], ":0", ":0"),
        (&["explain", ""], ":4", ":4"),
    ] {
        let told = asked(words);
        assert_eq!((told.code, told.err.as_str()), (Some(0), ""), "{words:?}");
        assert!(
            told.out.starts_with(first) && told.out.ends_with(&format!("{last}\n")),
            "{words:?}: {}",
            told.out
        );
    }
}
