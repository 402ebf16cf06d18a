use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use operator::policy::fetch::{Access, Artifact, Credentials, Registries};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use serde_json::json;
use tokio_rustls::TlsAcceptor;

use super::registry::Registry;
use super::*;

/// `alice:secret`.
const BASIC: &str = "Basic YWxpY2U6c2VjcmV0";

/// Runs the tool with the logins of this folder; a folder without any is nobody's.
fn push(component: &Path, image: &str, words: &[&str], logins: &Path) -> Told {
    let mut command = tool(&["push"]);
    command.arg(component).arg(image).args(words).env("DOCKER_CONFIG", logins);
    let path = std::env::join_paths(
        [logins.to_owned()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    run(command.env("PATH", path.unwrap()))
}

/// Looks at an image with the logins of this folder.
fn inspect(image: &str, words: &[&str], logins: &Path) -> Told {
    run(tool(&["inspect", image]).args(words).env("DOCKER_CONFIG", logins))
}

/// A new folder, with this configuration if any.
fn logins(name: &str, config: Option<&Value>) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    if let Some(config) = config {
        std::fs::write(folder.join("config.json"), config.to_string()).unwrap();
    }
    folder
}

/// What the operator pulls.
fn pulled(registry: &Registry, image: &str) -> Artifact {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let host = || vec![registry.host.parse().unwrap()];
    let access = Access { allowed: vec![registry.host.parse().unwrap()], insecure: host() };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let (registries, image) = (Registries::new(access), image.parse().unwrap());
        let digest = registries.resolve(&image, &Credentials::default()).await.unwrap();
        registries.pull(&image, digest, &Credentials::default()).await.unwrap()
    })
}

#[test]
fn what_is_pushed_is_what_the_operator_pulls_and_its_digest_is_always_the_same() {
    let bytes = guest::answers(guest::UNREADABLE);
    let (component, registry) = (file("pushed.wasm", &bytes), Registry::up(None, None));
    let (tag, nobody) = (format!("{}/team/policy:1", registry.host), logins("nobody", None));
    let told = push(&component, &tag, &["--plain-http"], &nobody);
    assert_eq!(told.code, Some(0), "{}", told.err);
    let image = told.out.trim();
    for name in [&tag, image] {
        let artifact = pulled(&registry, name);
        assert_eq!(artifact.bytes.as_ref(), bytes);
        assert_eq!(artifact.media_type.as_str(), "application/wasm");
        assert_eq!(image, format!("{}/team/policy@{}", registry.host, artifact.image));
    }
    let shown = inspect(&tag, &["--plain-http", "-o", "json"], &nobody).json();
    assert_eq!((&shown["image"], &shown["size"]), (&json!(image), &json!(bytes.len())));
    let before = registry.seen().len();
    let again = push(&component, &tag, &["--plain-http", "-o", "json"], &nobody).json();
    assert_eq!(again["image"], image);
    let sent: Vec<_> =
        registry.seen().into_iter().skip(before).filter(|one| one.starts_with("PUT")).collect();
    assert_eq!(sent, ["PUT /v2/team/policy/manifests/1"], "what is there is not sent again");
}

#[test]
fn what_is_pushed_has_the_layout_that_others_read() {
    let component = file("layout.wasm", guest::answers(guest::UNREADABLE));
    let registry = Registry::up(None, None);
    push(&component, &format!("{}/team/policy:1", registry.host), &["--plain-http"], &logins("nobody", None));
    let manifest = registry.manifest("1");
    assert_eq!(manifest["config"]["mediaType"], "application/vnd.wasm.config.v0+json");
    let config: Value =
        serde_json::from_slice(&registry.blob(manifest["config"]["digest"].as_str().unwrap())).unwrap();
    assert_eq!((&config["architecture"], &config["os"]), (&json!("wasm"), &json!("wasip2")));
    assert_eq!(config["layerDigests"], json!([manifest["layers"][0]["digest"]]));
    assert_eq!(config["component"], json!({"exports": ["clusterlabs:policy/sequence@0.1.0"], "imports": []}));
}

#[test]
fn the_login_is_that_of_docker_or_of_its_helper() {
    let component = file("login.wasm", guest::answers(guest::UNREADABLE));
    let registry = Registry::up(Some(BASIC), None);
    let image = format!("{}/team/policy:1", registry.host);
    let told = |folder: &Path| push(&component, &image, &["--plain-http"], folder);
    let nobody = told(&logins("nobody", None));
    assert_eq!(nobody.code, Some(1));
    assert!(nobody.err.contains(&format!("(401); log in: docker login {}", registry.host)), "{}", nobody.err);
    let alice = logins("alice", Some(&json!({"auths": {&registry.host: {"auth": "YWxpY2U6c2VjcmV0"}}})));
    assert_eq!(told(&alice).code, Some(0));
    assert_eq!(inspect(&image, &["--plain-http"], &alice).code, Some(0));
    let asked = inspect(&image, &["--plain-http"], &logins("nobody", None));
    assert!(asked.err.contains(&format!("log in: docker login {}", registry.host)), "{}", asked.err);
    let bob = logins("bob", Some(&json!({"auths": {&registry.host: {"auth": "Ym9iOnNlY3JldA=="}}})));
    assert!(told(&bob).err.contains("does not take the login (401)"));
    let helped = logins("helped", Some(&json!({"credHelpers": {&registry.host: "of-a-test"}})));
    let script = format!(
        "#!/bin/sh\n[ \"$1 $(cat)\" = 'get {}' ] || exit 1\necho '{{\"Username\":\"alice\",\"Secret\":\"secret\"}}'\n",
        registry.host
    );
    let helper = helped.join("docker-credential-of-a-test");
    std::fs::write(&helper, script).unwrap();
    std::fs::set_permissions(&helper, std::fs::Permissions::from_mode(0o755)).unwrap();
    let by_helper = told(&helped);
    assert_eq!(by_helper.code, Some(0), "{}", by_helper.err);
}

#[test]
fn the_login_is_that_of_the_file_that_podmans_variable_names() {
    let component = file("podman.wasm", guest::answers(guest::UNREADABLE));
    let registry = Registry::up(Some(BASIC), None);
    let image = format!("{}/team/policy:1", registry.host);
    let key = format!("{}/team", registry.host);
    let config = json!({"auths": {key: {"auth": "YWxpY2U6c2VjcmV0"}, "other.example": 5}});
    let auth = logins("podman", Some(&config)).join("config.json");
    let by = |file: &Path| {
        let mut command = tool(&["push"]);
        command.arg(&component).args([&image, "--plain-http"]);
        run(command.env("DOCKER_CONFIG", logins("nobody", None)).env("REGISTRY_AUTH_FILE", file))
    };
    let told = by(&auth);
    assert_eq!(told.code, Some(0), "{}", told.err);
    let missing = by(&auth.with_file_name("missing.json"));
    assert!(
        missing.err.contains("failed to read the logins in") && missing.code == Some(1),
        "{}",
        missing.err
    );
}

/// What speaks TLS as 127.0.0.1, and the certificate of its authority.
fn tls() -> (TlsAcceptor, String) {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = params.self_signed(&key).unwrap().pem();
    let issuer = Issuer::new(params, key);
    let key = KeyPair::generate().unwrap();
    let names = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    let certificate = names.signed_by(&key, &issuer).unwrap();
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let config = ServerConfig::builder().with_no_client_auth();
    let config = config.with_single_cert(vec![certificate.der().clone()], key).unwrap();
    (TlsAcceptor::from(Arc::new(config)), authority)
}

#[test]
fn a_registry_is_trusted_by_the_authority_that_is_named() {
    let component = file("tls.wasm", guest::answers(guest::UNREADABLE));
    let (acceptor, authority) = tls();
    let registry = Registry::up(None, Some(acceptor));
    let (image, nobody) = (format!("{}/team/policy:1", registry.host), logins("nobody", None));
    let distrusted = push(&component, &image, &[], &nobody);
    assert_eq!(distrusted.code, Some(1));
    assert!(distrusted.err.contains("--ca"), "{}", distrusted.err);
    let ca = file("ca.pem", authority);
    let told = push(&component, &image, &["--ca", ca.to_str().unwrap()], &nobody);
    assert_eq!(told.code, Some(0), "{}", told.err);
    assert_eq!(inspect(&image, &["--ca", ca.to_str().unwrap()], &nobody).code, Some(0));
    let distrusted = inspect(&image, &[], &nobody);
    assert!(distrusted.err.contains("--ca"), "{}", distrusted.err);
    let (_, other) = tls();
    let other = file("other-ca.pem", other);
    for words in [&["--ca", other.to_str().unwrap()][..], &["--plain-http"]] {
        for told in [push(&component, &image, words, &nobody), inspect(&image, words, &nobody)] {
            assert_eq!(told.code, Some(1), "{words:?}");
            assert!(!told.err.contains("give its authority by --ca"), "it was given: {}", told.err);
            let does_so = told.err.contains("if it does not speak TLS: --plain-http")
                || told.err.contains("if it has none: --plain-http");
            assert!(!(words.len() == 1 && does_so), "so it was spoken to: {}", told.err);
        }
    }
    let none = push(&component, &image, &["--ca", component.to_str().unwrap()], &nobody);
    assert!(none.err.contains("no certificate in PEM (--ca)"), "{}", none.err);
}

#[test]
fn what_is_no_policy_is_not_pushed_and_a_registry_that_is_not_there_is_named() {
    let registry = Registry::up(None, None);
    let image = format!("{}/team/policy:1", registry.host);
    let importing = file("pushed-importing.wasm", guest::importing());
    let told = push(&importing, &image, &["--plain-http"], &logins("nobody", None));
    assert!(told.code == Some(1) && told.err.contains("is no policy: it imports clock"), "{}", told.err);
    assert!(registry.seen().is_empty());
    let component = file("unreachable.wasm", guest::answers(guest::UNREADABLE));
    let told = push(&component, "127.0.0.1:1/team/policy:1", &["--plain-http"], &logins("nobody", None));
    assert!(told.code == Some(1) && told.err.contains("127.0.0.1:1/team/policy:1"), "{}", told.err);
    assert!(told.err.contains("see that the registry is up"), "{}", told.err);
}
