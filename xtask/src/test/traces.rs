//! Traces of one machine: a path in somebody's home, a mirror that others do not have.

use std::path::Path;

use super::tree::Tracked;

/// In two halves each, or this file would be the first finding.
const HOMES: [(&str, &str); 4] = [("/ho", "me/"), ("/ro", "ot/"), ("/Us", "ers/"), ("C:\\Us", "ers\\")];
/// A folder of a container, in the manifest of the StatefulCluster's ancestor, which is kept as it stands: no machine's.
const IN_A_CONTAINER: (&str, &str) = ("/ho", "me/coder/project");
/// Parts of names that no public host has, and settings that lead away from the public registries.
const MIRRORS: [(&str, &str); 7] = [
    (".inter", "nal/"),
    (".intra", "net"),
    (".co", "rp/"),
    (".la", "n/"),
    ("artifac", "tory"),
    ("goproxy=", "http"),
    ("index-", "url"),
];
/// Headings of cargo's settings that do the same.
const REPLACED: [&str; 2] = ["[source.", "[registries."];

/// Every trace, with its file and line.
pub(super) fn find(files: &[Tracked], clone: &Path) -> Vec<String> {
    let homes = HOMES.map(|(a, b)| format!("{a}{b}"));
    let in_a_container = format!("{}{}", IN_A_CONTAINER.0, IN_A_CONTAINER.1);
    let mirrors = MIRRORS.map(|(a, b)| format!("{a}{b}"));
    // A clone in a folder such as /src would be found in every other line.
    let clone = (clone.components().count() > 2).then(|| clone.display().to_string());
    let mut found = Vec::new();
    for file in files {
        for (number, line) in (1..).zip(file.text.lines()) {
            let lower = line.to_lowercase();
            let elsewhere = line.replace(&in_a_container, "");
            let at_home = homes.iter().chain(&clone).find(|path| begins_a_path(&elsewhere, path));
            let at_mirror = mirrors.iter().find(|mirror| lower.contains(*mirror));
            let replaced = REPLACED.iter().find(|heading| line.starts_with(*heading));
            let place = || format!("{}:{number}", file.path.display());
            found.extend(at_home.map(|path| format!("{}: names a path of one machine: {path}", place())));
            found.extend(at_mirror.map(|host| format!("{}: names a mirror: {host}", place())));
            found.extend(replaced.map(|heading| format!("{}: names a registry: {heading}", place())));
        }
    }
    found
}

/// Does a path begin so here? Within a longer path or an address the same letters are harmless.
fn begins_a_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "._-/*})".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_the_clone_and_a_mirror_are_found_and_look_alikes_are_not() {
        let [home, root] = [HOMES[0], HOMES[1]].map(|(a, b)| format!("{a}{b}"));
        let mirror = format!("https://proxy{}{}crates", MIRRORS[0].0, MIRRORS[0].1);
        let text = format!(
            "see {home}ann/x\nhttps://site.example{home}\n{mirror}\nroot:{}\n\"{root}.cache\"\nin /big/clone/x\n[source.other]\na[source.name]",
            "/root:/bin/sh"
        );
        let files = [Tracked { path: "notes.md".into(), text }];
        let found = find(&files, Path::new("/big/clone"));
        let example = format!("mountPath: {}{}", IN_A_CONTAINER.0, IN_A_CONTAINER.1);
        let other = format!("{home}coder/else");
        let files = [Tracked { path: "b.yaml".into(), text: format!("{example}\n{other}") }];
        assert_eq!(find(&files, Path::new("/big/clone")).len(), 1);
        let lines: Vec<_> = found.iter().filter_map(|f| f.split(':').nth(1)).collect();
        assert_eq!(lines, ["1", "3", "5", "6", "7"], "{found:?}");
    }
}
