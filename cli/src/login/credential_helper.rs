//! Credential helpers: programs of the user's own that know the logins.
//!
//! The operator runs none, because there a tenant would name the program; here it is the one who pushes.

use std::io::Write;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use super::Login;

/// What a helper says where it has no login: by its protocol, on standard output.
const NONE: &str = "credentials not found in native keychain";

/// The name under which a helper gives a token that is exchanged for another.
const TOKEN: &str = "<token>";

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    username: String,
    secret: String,
}

/// Asks `docker-credential-NAME` for the login of a server.
///
/// # Errors
/// If it does not run, or fails, or what it gives is of no use.
pub(super) fn ask(name: &str, server: &str) -> Result<Option<Login>> {
    let program = format!("docker-credential-{name}");
    if name.contains(std::path::is_separator) {
        bail!("{program} is no name of a credential helper");
    }
    let mut command = Command::new(&program);
    command.arg("get").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let told = || format!("failed to run the credential helper {program}: is it installed?");
    let mut child = command.spawn().with_context(told)?;
    // One that does not read has its answer ready.
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(server.as_bytes()));
    let done = child.wait_with_output().with_context(told)?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stdout);
        if said.trim() == NONE {
            return Ok(None);
        }
        bail!("{program} get: {}: {}", done.status, said.trim());
    }
    // The parser's own message would quote what is secret.
    let answer: Option<Answer> = serde_json::from_slice(&done.stdout).ok();
    let Answer { username: user, secret: password } =
        answer.with_context(|| format!("{program} get answered what is no login"))?;
    if user == TOKEN {
        return Ok(Some(Login::Identity(password)));
    }
    Ok(Some(Login::Password { user, password }))
}
