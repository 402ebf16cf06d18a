//! Source files that no `mod` names: they look alive, and nobody compiles them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::tree::Tracked;

/// Every orphan among the tracked files.
pub(super) fn find(files: &[Tracked]) -> Vec<String> {
    let packages: Vec<_> = files
        .iter()
        .filter(|file| file.path.ends_with("Cargo.toml"))
        .filter_map(|file| Some((file.path.parent()?, file.text.as_str())))
        .collect();
    let sources = || files.iter().filter(|file| file.path.extension().is_some_and(|e| e == "rs"));
    let is_root = |file: &&Tracked| is_root(&file.path, &packages);
    let mut named: BTreeSet<PathBuf> = sources().filter(is_root).map(|file| file.path.clone()).collect();
    let mut unread: Vec<PathBuf> = named.iter().cloned().collect();
    while let Some(path) = unread.pop() {
        let Some(file) = sources().find(|file| file.path == path) else { continue };
        let folder = folder_of_modules(&path, is_root(&file));
        for module in file.text.lines().filter_map(module) {
            for place in [folder.join(format!("{module}.rs")), folder.join(module).join("mod.rs")] {
                if named.insert(place.clone()) {
                    unread.push(place);
                }
            }
        }
    }
    let orphans = sources().filter(|file| !named.contains(&file.path));
    orphans.map(|file| format!("{} is named by no mod", file.path.display())).collect()
}

/// Is it where cargo looks by itself, or does its package's manifest name it?
fn is_root(path: &Path, packages: &[(&Path, &str)]) -> bool {
    let of = packages.iter().filter(|(folder, _)| path.starts_with(folder));
    let Some((folder, manifest)) = of.max_by_key(|(folder, _)| folder.components().count()) else {
        return false;
    };
    let Ok(inside) = path.strip_prefix(folder) else { return false };
    let parts: Vec<_> = inside.iter().map(|part| part.to_string_lossy()).collect();
    let parts: Vec<&str> = parts.iter().map(AsRef::as_ref).collect();
    match parts.as_slice() {
        ["build.rs"] | ["src", "lib.rs" | "main.rs"] | ["src", "bin", _] => true,
        ["src", "bin", _, "main.rs"] => true,
        ["tests" | "benches" | "examples", _] | ["tests" | "benches" | "examples", _, "main.rs"] => true,
        _ => manifest.contains(&format!("path = \"{}\"", inside.display())),
    }
}

fn folder_of_modules(path: &Path, is_root: bool) -> PathBuf {
    let beside = path.parent().map(Path::to_owned).unwrap_or_default();
    let stem = path.file_stem().unwrap_or_default();
    if is_root || stem == "mod" { beside } else { beside.join(stem) }
}

/// The module that a line declares in a file of its own.
fn module(line: &str) -> Option<&str> {
    let code = line.split("//").next().unwrap_or_default().trim();
    let (before, name) = code.strip_suffix(';')?.rsplit_once("mod ")?;
    let before = before.trim();
    (before.is_empty() || before.starts_with("pub") || before.starts_with('#')).then_some(name.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> Vec<Tracked> {
        let file = |(path, text): &(&str, &str)| Tracked { path: path.into(), text: (*text).to_owned() };
        files.iter().map(file).collect()
    }

    #[test]
    fn a_file_is_reached_through_roots_and_mods_or_is_an_orphan() {
        let files = tree(&[
            ("heart/Cargo.toml", "[[bin]]\npath = \"odd/place.rs\""),
            ("heart/odd/place.rs", "mod near;"),
            ("heart/odd/near.rs", ""),
            ("heart/src/lib.rs", "pub(crate) mod rules; // the list\n#[cfg(test)]\nmod tests;\n// mod dead;"),
            ("heart/src/rules.rs", "mod seed;"),
            ("heart/src/rules/seed.rs", ""),
            ("heart/src/tests/mod.rs", "mod deep;"),
            ("heart/src/tests/deep.rs", ""),
            ("heart/tests/worlds.rs", "mod world;"),
            ("heart/tests/world/mod.rs", ""),
            ("heart/src/dead.rs", ""),
            ("heart/src/seed.rs", ""),
        ]);
        assert_eq!(
            find(&files),
            ["heart/src/dead.rs is named by no mod", "heart/src/seed.rs is named by no mod"]
        );
    }
}
