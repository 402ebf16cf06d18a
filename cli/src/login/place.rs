//! The files that may hold logins.

use std::env;
use std::path::PathBuf;

/// A file that may hold logins.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) file: PathBuf,
    /// A person named this very file: it has to be there.
    pub(super) is_demanded: bool,
}

/// The files in the order in which they count.
pub(super) fn all() -> Vec<Place> {
    of(|name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from), env::home_dir())
}

/// A variable that names a place excludes all others.
fn of(variable: impl Fn(&str) -> Option<PathBuf>, home: Option<PathBuf>) -> Vec<Place> {
    if let Some(file) = variable("REGISTRY_AUTH_FILE") {
        return vec![Place { file, is_demanded: true }];
    }
    let of_podman = |folder: PathBuf| folder.join("containers/auth.json");
    let files = match variable("DOCKER_CONFIG") {
        Some(folder) => vec![Some(folder.join("config.json"))],
        None => vec![
            home.as_ref().map(|home| home.join(".docker/config.json")),
            variable("XDG_RUNTIME_DIR").map(of_podman),
            variable("XDG_CONFIG_HOME").or_else(|| Some(home?.join(".config"))).map(of_podman),
        ],
    };
    files.into_iter().flatten().map(|file| Place { file, is_demanded: false }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_that_names_a_place_excludes_all_others() {
        let places = |set: &[(&str, &str)]| -> Vec<String> {
            let of_name =
                |name: &str| set.iter().find(|(one, _)| *one == name).map(|(_, to)| PathBuf::from(to));
            of(of_name, Some("/alice".into())).into_iter().map(|one| one.file.display().to_string()).collect()
        };
        let docker = "/alice/.docker/config.json";
        assert_eq!(places(&[]), [docker, "/alice/.config/containers/auth.json"]);
        let runtime = ("XDG_RUNTIME_DIR", "/run/user/1");
        let config = ("XDG_CONFIG_HOME", "/cfg");
        assert_eq!(
            places(&[runtime, config]),
            [docker, "/run/user/1/containers/auth.json", "/cfg/containers/auth.json"]
        );
        assert_eq!(places(&[runtime, ("DOCKER_CONFIG", "/d")]), ["/d/config.json"]);
        assert_eq!(places(&[("DOCKER_CONFIG", "/d"), ("REGISTRY_AUTH_FILE", "/auth.json")]), ["/auth.json"]);
    }
}
