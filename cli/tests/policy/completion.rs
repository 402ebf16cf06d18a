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
        (&["explain", "--ou"], &["--output"]),
    ] {
        let offered = offered(words);
        assert!(wanted.iter().all(|one| offered.iter().any(|had| had == one)), "{words:?}: {offered:?}");
    }
}
