//! The image whose only process holds a pod's network open.

use std::fs;
use std::process::Command;

use anyhow::Result;

use super::{Config, Entry, Image, Layer, digest};
use crate::cluster::layout;
use crate::progress::Step;
use crate::run;

/// The name under which container runtimes look for it.
pub(crate) const NAME: &str = "localhost/rss/pause:1";

const SOURCE: &str = include_str!("pause.c");

/// Compile it unless the cache has it.
pub(crate) fn build(step: &mut Step) -> Result<Image> {
    let folder = layout::cache()?.join("pause");
    let program = folder.join(&digest::of(SOURCE.as_bytes())[..16]);
    if !program.is_file() {
        step.note(|| "compiling the pause program".to_owned());
        fs::create_dir_all(&folder)?;
        let source = folder.join("pause.c");
        fs::write(&source, SOURCE)?;
        let unfinished = program.with_extension("new");
        run::output(Command::new("cc").args(["-Os", "-static", "-s", "-o"]).arg(&unfinished).arg(&source))?;
        fs::rename(unfinished, &program)?;
    }
    let layer = Layer::of(vec![Entry::copy("pause", &program)?])?;
    Image::of(NAME, &[layer], &Config { entrypoint: vec!["/pause".to_owned()], ..Config::default() })
}
