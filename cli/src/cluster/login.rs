//! Who asks: a client with the credentials of a user, which a program may have to give.

use std::fmt::{self, Display, Formatter};
use std::process::Output;
use std::thread;

use anyhow::{Context, Result, anyhow, bail};
use kube::client::AuthError;
use kube::config::AuthInfo;
use kube::{Client, Config, Error};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::failure::quoted;
use super::field;
use super::kubeconfig::{Found, first_line};
use super::place::Place;
use super::timeout::Timeout;
use crate::progress;
use crate::terminal::in_line;

/// The user of a kubeconfig, and the program that logs in for it.
#[derive(Clone, Debug)]
struct Login {
    user: String,
    plugin: Option<String>,
    hint: Option<String>,
}

/// Whether anything tells a server who asks. To act as another takes credentials, too.
pub(super) fn is_known(info: &AuthInfo) -> bool {
    let has_certificate = info.client_certificate.is_some() || info.client_certificate_data.is_some();
    let has_token = info.token.is_some() || info.token_file.is_some();
    has_certificate
        || has_token
        || info.username.is_some()
        || info.exec.is_some()
        || info.auth_provider.is_some()
}

/// A client for what was found, in the time that a request may take: a login plugin runs meanwhile.
///
/// # Errors
/// If there are no credentials, or not in time.
pub(super) async fn client(found: Found, timeout: Timeout) -> Result<(Client, Place)> {
    let Found { config, place, user, proxy } = found;
    let login = Login::of(&config.auth_info, user);
    let waiting = format!("waiting for {}", in_line(&login.to_string()));
    let built = started(config).context("failed to start a thread")?;
    let built = async {
        // Without a plugin it is work of this machine alone, which may be slow.
        if login.plugin.is_some() { timeout.bound(built).await } else { Ok(built.await) }
    };
    match progress::awaited(&waiting, built).await {
        Ok(Ok(Ok(client))) => {
            let plugin = login.plugin.is_some().then(|| login.to_string());
            Ok((client, place.with_plugin(plugin)))
        }
        Ok(Ok(Err(error))) => Err(of(&place, &login, proxy, &error)),
        Ok(Err(_)) => bail!("failed to use the credentials for {place}: {login} cannot be used"),
        Err(timeout) => bail!(
            "{} has not given credentials for {place} within {timeout} (--request-timeout): run it by hand to see what it \
             waits for, or give it longer; 0 waits without end",
            in_line(&login.to_string())
        ),
    }
}

/// Has it built on a thread of its own, as nothing can wake one that waits for a program: it ends with this process.
fn started(config: Config) -> std::io::Result<oneshot::Receiver<kube::Result<Client>>> {
    let (send, built) = oneshot::channel();
    let runtime = Handle::current();
    thread::Builder::new().spawn(move || {
        let _within = runtime.enter();
        // Who has given up does not want it any more.
        let _ = send.send(Client::try_from(config));
    })?;
    Ok(built)
}

/// Why a client is not to be had, without what a proxy's address or a program's output has of secrets.
fn of(place: &Place, login: &Login, proxy: Option<&str>, error: &Error) -> anyhow::Error {
    let why = match error {
        Error::ProxyProtocolDisabled { .. } | Error::ProxyProtocolUnsupported { .. } => {
            return match proxy {
                Some(variable) => anyhow!(
                    "{place} is not asked: this tool speaks to no proxy, and {variable} of the environment names one; unset \
                     {variable}, name the server in NO_PROXY, or ask by `kubectl proxy`"
                ),
                None => anyhow!(
                    "{place} is not asked: this tool speaks to no proxy, and proxy-url of the cluster in the kubeconfig \
                     names one; ask by `kubectl proxy`"
                ),
            };
        }
        Error::Auth(AuthError::AuthExecStart(error)) => {
            let hint = login.hint.as_ref().map(|hint| format!(": {}", quoted(hint))).unwrap_or_default();
            format!("{login} cannot be run: {error}; see that it is installed and in the PATH{hint}")
        }
        Error::Auth(AuthError::AuthExecRun { out, .. }) => format!("{login} failed{}", how(out)),
        Error::Auth(AuthError::ReadTokenFile(error, path)) => field::unread("tokenFile", path, error),
        Error::InferKubeconfig(error) => field::why(error),
        // These errors have the words of their causes in their own.
        error => format!("{login}: {}", quoted(&first_line(error))),
    };
    anyhow!("failed to use the credentials for {place}: {why}")
}

/// How a program ended, and its complaint, but not its answer.
fn how(Output { status, stderr, .. }: &Output) -> String {
    let said = quoted(&String::from_utf8_lossy(stderr));
    if said.is_empty() { format!(" ({status})") } else { format!(" ({status}): {said}") }
}

// === impl Login ===

impl Login {
    fn of(info: &AuthInfo, user: Option<String>) -> Self {
        let of_provider = info.auth_provider.as_ref().and_then(|provider| provider.config.get("cmd-path"));
        let exec = info.exec.as_ref();
        Self {
            user: user.map_or_else(|| "no user".to_owned(), |user| format!("the user {user}")),
            plugin: exec.and_then(|exec| exec.command.clone()).or_else(|| of_provider.cloned()),
            hint: exec.and_then(|exec| exec.install_hint.clone()),
        }
    }
}

impl Display for Login {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.plugin {
            Some(plugin) => write!(f, "the login plugin {plugin} of {}", self.user),
            None => write!(f, "the credentials of {}", self.user),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn who_asks_is_known_by_credentials_of_any_kind_and_not_by_whom_is_acted_for() {
        for (user, expected) in [
            (json!({}), false),
            (json!({"as": "alice"}), false),
            (json!({"token": "t"}), true),
            (json!({"tokenFile": "/t"}), true),
            (json!({"username": "u", "password": "p"}), true),
            (json!({"client-certificate": "/c", "client-key": "/k"}), true),
            (json!({"client-certificate-data": "Yw==", "client-key-data": "aw=="}), true),
            (json!({"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": "x"}}), true),
            (json!({"auth-provider": {"name": "gcp", "config": {}}}), true),
        ] {
            let info: AuthInfo = serde_json::from_value(user.clone()).unwrap();
            assert_eq!(is_known(&info), expected, "{user}");
        }
    }
}
