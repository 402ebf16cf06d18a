//! What is wrong with a field of a kubeconfig, by its name there.

use std::io;
use std::path::Path;

use kube::Config;
use kube::config::{KubeconfigError, LoadDataError};

use super::kubeconfig::first_line;

/// Why a kubeconfig tells no way to a cluster.
pub(super) fn why(error: &KubeconfigError) -> String {
    match error {
        KubeconfigError::LoadCertificateAuthority(error) => of_data("certificate-authority", error),
        KubeconfigError::LoadClientCertificate(error) => of_data("client-certificate", error),
        KubeconfigError::LoadClientKey(error) => of_data("client-key", error),
        KubeconfigError::ParseClusterUrl(error) => no_address(&error.to_string()),
        KubeconfigError::MissingClusterUrl => no_address("it is missing"),
        KubeconfigError::ParseProxyUrl(error) => {
            format!("proxy-url of its cluster, or HTTPS_PROXY, is no address: {error}")
        }
        // These errors have the words of their causes in their own.
        other => first_line(other),
    }
}

/// A file that a field names and that cannot be read.
pub(super) fn unread(field: &str, path: &Path, error: &io::Error) -> String {
    format!("failed to read {} ({field} in the kubeconfig): {error}", path.display())
}

fn of_data(field: &str, error: &LoadDataError) -> String {
    match error {
        LoadDataError::ReadFile(error, path) => unread(field, path, error),
        LoadDataError::DecodeBase64(error) => format!("{field}-data in the kubeconfig is no base64: {error}"),
        LoadDataError::NoBase64DataOrFile => {
            format!(
                "the kubeconfig has neither {field} nor {field}-data, and needs one beside the other half"
            )
        }
    }
}

fn no_address(why: &str) -> String {
    format!("`server` of its cluster is no address of an API server ({why}): write https://HOST:PORT")
}

/// Gives the address of a server the scheme that kubectl takes where there is none: that of TLS if anything is said of it.
///
/// # Errors
/// If it is no address of a server.
pub(super) fn complete(config: &mut Config) -> Result<(), String> {
    let server = &config.cluster_url;
    let host = server.host().unwrap_or_default();
    match (server.scheme_str(), server.authority()) {
        _ if host.is_empty() => Err(no_address("it has no host")),
        (Some("http" | "https"), _) => Ok(()),
        (None, Some(authority)) => {
            let scheme = if is_of_tls(config) { "https" } else { "http" };
            let whole = format!("{scheme}://{authority}").parse();
            config.cluster_url = whole.map_err(|_| no_address("it cannot be read"))?;
            Ok(())
        }
        _ => Err(no_address("it is not of HTTP or HTTPS")),
    }
}

fn is_of_tls(config: &Config) -> bool {
    let of = &config.auth_info;
    let has_certificate = of.client_certificate.is_some() || of.client_certificate_data.is_some();
    config.root_cert.is_some() || config.accept_invalid_certs || has_certificate
}

#[cfg(test)]
mod tests {
    use super::*;

    fn completed(server: &str, is_of_tls: bool) -> Result<String, String> {
        let mut config = Config::new(server.parse().unwrap());
        config.accept_invalid_certs = is_of_tls;
        complete(&mut config).map(|()| config.cluster_url.to_string())
    }

    #[test]
    fn a_server_without_a_scheme_is_asked_as_kubectl_asks_it() {
        for (server, is_of_tls, expected) in [
            ("127.0.0.1:18310", false, "http://127.0.0.1:18310/"),
            ("127.0.0.1:18310", true, "https://127.0.0.1:18310/"),
            ("localhost", false, "http://localhost/"),
            ("[::1]:6443", true, "https://[::1]:6443/"),
            ("http://127.0.0.1:1", true, "http://127.0.0.1:1/"),
            ("https://example.com/k8s", false, "https://example.com/k8s"),
        ] {
            assert_eq!(completed(server, is_of_tls).unwrap(), expected);
        }
    }

    #[test]
    fn what_is_no_address_of_a_server_is_refused_by_the_name_of_its_field() {
        for server in ["/var/run/x", "ftp://example.com", ":18310"] {
            let refused = completed(server, false).unwrap_err();
            assert!(refused.contains("`server` of its cluster") && refused.contains("https://HOST:PORT"));
        }
    }
}
