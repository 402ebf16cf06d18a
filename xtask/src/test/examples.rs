//! Scripts that a shell can read, and images that can be made.

use std::path::Path;
use std::process::Command;

use super::tree::Tracked;
use crate::image::Recipe;
use crate::{run, workspace};

/// What is wrong with scripts and with the examples' images.
pub(super) fn find(files: &[Tracked]) -> Vec<String> {
    let named = |ending: &'static str| {
        files
            .iter()
            .map(|file| file.path.as_path())
            .filter(move |path| path.to_string_lossy().ends_with(ending))
    };
    let scripts = named(".sh").filter_map(unreadable);
    let images = named("/image.json").filter(|path| path.starts_with("examples")).filter_map(unmakable);
    scripts.chain(images).collect()
}

fn unreadable(script: &Path) -> Option<String> {
    let mut shell = Command::new("sh");
    shell.arg("-n").arg(script).current_dir(workspace::root());
    run::output(&mut shell).err().map(|error| format!("{error:#}"))
}

fn unmakable(file: &Path) -> Option<String> {
    let name = file.parent()?.file_name()?.to_str()?;
    name.parse::<Recipe>().err()
}
