//! Small programs in C that an image carries, each compiled once.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use super::digest;
use crate::cluster::layout;
use crate::progress::Step;
use crate::run;

/// Compile a program that needs no library where it runs, unless the cache has it.
pub(super) fn c_static(source: &str, step: &mut Step) -> Result<PathBuf> {
    let folder = layout::cache()?.join("programs");
    let program = folder.join(&digest::of(source.as_bytes())[..16]);
    if program.is_file() {
        return Ok(program);
    }
    step.note(|| "compiling a small program".to_owned());
    fs::create_dir_all(&folder)?;
    // Two runs at once must not write one file.
    let unfinished = folder.join(format!("new-{}", std::process::id()));
    let file = unfinished.with_extension("c");
    fs::write(&file, source)?;
    run::output(Command::new("cc").args(["-static", "-Os", "-s", "-o"]).arg(&unfinished).arg(&file))?;
    fs::remove_file(&file)?;
    fs::rename(&unfinished, &program)?;
    Ok(program)
}
