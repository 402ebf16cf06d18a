use std::fs::File;
use std::process::Stdio;

use super::*;

#[test]
fn the_exit_code_is_the_documented_one_where_nobody_can_be_told() {
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let silent = tool(&["inspect", "no/such.wasm"]).stderr(full()).status().unwrap();
    assert_eq!(silent.code(), Some(1));
    let file = file("unheard.wasm", guest::answers(guest::UNREADABLE));
    let told = run(tool(&["inspect"]).arg(&file).stdout(full()));
    assert_eq!(told.code, Some(1), "an answer that was not written is a failure");
    assert!(told.err.contains("failed to answer on standard output"), "{}", told.err);
}

#[test]
fn a_reader_that_has_gone_changes_nothing_of_what_was_found() {
    let good = file("left.wasm", guest::answers(guest::UNREADABLE));
    let bad = file("left-broken.wasm", guest::answers(guest::ORDINAL_42));
    for (file, code) in [(good, 0), (bad, 1)] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = tool(&["conform"]);
        let left = command.arg(&file).stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
        let ended = left.wait_with_output().unwrap();
        let said = String::from_utf8(ended.stderr).unwrap();
        assert_eq!(ended.status.code(), Some(code), "{said}");
        assert!(!said.contains("error"), "{said}");
    }
}

#[test]
fn a_file_that_does_not_end_is_not_read_to_its_end() {
    let settled = Path::new(env!("CARGO_TARGET_TMPDIR")).join("endless.wasm");
    for words in [
        &["inspect", "/dev/zero"][..],
        &["conform", "/dev/zero"],
        &["bench", "/dev/zero"],
        &["replay", "/dev/zero"],
        &["component", "/dev/zero", settled.to_str().unwrap()],
        &["inspect", "localhost:1/p:1", "--ca", "/dev/zero"],
        &["verify", "localhost:1/p:1", "--key", "/dev/zero"],
    ] {
        let told = told(words);
        assert_eq!(told.code, Some(1), "{words:?}");
        assert!(told.err.contains("/dev/zero") && told.err.contains("it has more than"), "{}", told.err);
    }
}

#[test]
fn a_file_is_not_looked_for_in_a_registry() {
    let there = file("there.wasm", guest::answers(guest::UNREADABLE));
    let there = there.to_str().unwrap();
    for words in [
        &["inspect", there, "--claims"][..],
        &["pull", there],
        &["push", there, there],
        &["verify", there, "--key", "any.pub"],
    ] {
        let told = told(words);
        assert!(told.code == Some(1) && told.err.contains("is a file"), "{words:?}: {}", told.err);
    }
    let told = told(&["pull", "team/policy:1"]);
    assert!(told.code == Some(1) && told.err.contains("names no host"), "{}", told.err);
}

#[test]
fn what_takes_a_file_says_of_an_image_how_it_becomes_one() {
    let records = file(
        "of-an-image.json",
        r#"{"interface": "sequence@0.1.0", "input": {"output": {}}, "failure": "?"}"#,
    );
    let image = "registry.example.com/team/policy:1";
    for words in [
        &["replay", records.to_str().unwrap(), "--with", image][..],
        &["conform", image],
        &["bench", image],
        &["push", image, image],
    ] {
        let told = told(words);
        assert_eq!(told.code, Some(1), "{words:?}");
        assert!(told.err.contains(&format!("`kubectl rss policy pull {image} FILE`")), "{}", told.err);
    }
}

#[test]
fn a_name_that_is_neither_a_files_nor_an_images_is_told_as_neither() {
    for (name, why) in [
        ("registry.example.com/Team/policy:1", "names no image"),
        ("registry.example.com/policy@sha256:12", "names no image"),
        ("team/policy:1", "names no host"),
        ("", "names no image"),
    ] {
        let told = told(&["inspect", name]);
        assert_eq!(told.code, Some(1));
        for part in [&format!("there is no file {name:?}"), "policy build", "as an image: ", why] {
            assert!(told.err.contains(part), "{part}: {}", told.err);
        }
    }
}

#[test]
fn a_named_pipe_is_told_and_not_waited_for() {
    let pipe = Path::new(env!("CARGO_TARGET_TMPDIR")).join("named-pipe.wasm");
    let _ = std::fs::remove_file(&pipe);
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for words in [["inspect"], ["conform"], ["replay"]] {
        // What waits for a writer gets one, and then another answer.
        let writes = pipe.clone();
        std::thread::spawn(move || drop(File::options().write(true).open(writes)));
        let told = run(tool(&words).arg(&pipe));
        assert!(told.code == Some(1) && told.err.contains("it is a named pipe"), "{words:?}: {}", told.err);
    }
}

/// What each command that asks a registry for this image says.
fn said_by_each(image: &str, words: &[&str]) -> Vec<Told> {
    // Each registry, and so each test, has a port of its own.
    let port = image.split([':', '/']).nth(1).unwrap();
    let component = file(&format!("asked-of-{port}.wasm"), guest::answers(guest::UNREADABLE));
    let key =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../operator/src/policy/fetch/tests/signed/ecdsa.pub");
    let (component, key) = (component.to_str().unwrap(), key.to_str().unwrap());
    let commands = [
        &["inspect", image][..],
        &["inspect", "--claims", image],
        &["pull", image, "nowhere.wasm"],
        &["verify", image, "--key", key],
        &["push", component, image],
    ];
    // Most of each is a wait between tries.
    std::thread::scope(|scope| {
        let asked = commands.map(|command| scope.spawn(move || told(&[command, words].concat())));
        asked.map(|asked| asked.join().unwrap()).into()
    })
}

#[test]
fn a_registry_that_hangs_up_is_told_by_every_command_with_the_flag_for_it_and_nothing_is_promised_for_later()
{
    let listener = std::net::TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).unwrap();
    let image = format!("{}/team/policy:1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            // What is closed with nothing unread ends, and is not reset.
            let _ = std::io::Read::read(&mut stream.unwrap(), &mut [0; 16 << 10]);
        }
    });
    for (words, cure) in [
        (&[][..], "the registry is well; if it does not speak TLS: --plain-http"),
        (&["--plain-http"], "the registry is well; if it speaks TLS: leave --plain-http away"),
    ] {
        for told in said_by_each(&image, words) {
            assert_eq!(told.code, Some(1));
            assert!(told.err.contains(cure) && !told.err.contains("again later"), "{}", told.err);
        }
    }
}

#[test]
fn of_a_registry_that_is_not_there_nothing_is_said_about_tls() {
    let listener = std::net::TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0)).unwrap();
    let image = format!("{}/team/policy:1", listener.local_addr().unwrap());
    drop(listener);
    for words in [&[][..], &["--plain-http"]] {
        for told in said_by_each(&image, words) {
            assert_eq!(told.code, Some(1));
            assert!(told.err.contains("cannot be reached: Connection refused"), "{}", told.err);
            assert!(told.err.contains("see that the registry is up and its name is right"), "{}", told.err);
            assert!(!told.err.contains("--plain-http"), "{}", told.err);
        }
    }
}
