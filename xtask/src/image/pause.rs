//! The image whose only process holds a pod's network open.

use anyhow::Result;

use super::{Config, Entry, Image, Layer, compile};
use crate::progress::Step;

/// The name under which container runtimes look for it.
pub(crate) const NAME: &str = "localhost/rss/pause:1";

const SOURCE: &str = include_str!("pause.c");

/// Compile it unless the cache has it.
pub(crate) fn build(step: &mut Step) -> Result<Image> {
    let program = compile::c_static(SOURCE, step)?;
    let layer = Layer::of(vec![Entry::copy("pause", &program)?])?;
    Image::of(NAME, &[layer], &Config { entrypoint: vec!["/pause".to_owned()], ..Config::default() })
}
