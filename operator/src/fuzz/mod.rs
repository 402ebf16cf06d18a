//! Fuzz tests of input from outside the operator: kept inputs, and random changes of them. The test of each target checks
//! what must be true for every input.
//!
//! Each check can fail: a second test gives it a faulty function, and the check finds the fault with the same inputs.
//!
//! `operator/fuzz/TARGET` has the kept inputs, and a file name gives the reason for its input. A target adds real inputs of
//! other tests. `cargo xtask test` runs these inputs and 60 random ones. `cargo xtask soak --part fuzz` runs new ones.

mod counted;
mod made;
mod tree;

use std::panic::{RefUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::{fs, process};

use made::Maker;

/// The default number of the first random input, and how many of them run.
const FEW: (u64, u64) = (1, 60);

/// The most memory in bytes that the test process may use. More memory means that an input caused it.
const MEMORY: u64 = 2 << 30;

/// A kind of input.
pub(crate) struct Target<'a> {
    /// The name of the folder of its kept inputs.
    pub(crate) name: &'a str,
    /// Inputs that are valid, or invalid in an interesting way.
    pub(crate) seeds: Vec<Vec<u8>>,
    /// Words with a meaning in the input.
    pub(crate) tokens: &'a [&'a str],
    /// The most bytes of an input.
    pub(crate) most: usize,
}

impl Target<'_> {
    /// Checks every input. A failure prints the file with the input, and the variables that create it again.
    pub(crate) fn hold(&self, check: impl Fn(&[u8]) + RefUnwindSafe) {
        let known = self.known();
        known.iter().for_each(|(what, bytes)| self.one(what, bytes, &check));
        let asked = asked();
        let (from, count) = asked.unwrap_or(FEW);
        self.made(&known, (from, count), |number, bytes| {
            self.one(&format!("RSS_FUZZ_FROM={number} RSS_FUZZ_COUNT=1"), bytes, &check);
            true
        });
        // Only the soak counts inputs: each of its rounds has other ones.
        if let Some((_, count)) = asked {
            simulator::count("inputs", count);
        }
    }

    /// Whether the check of a faulty function fails for at least one of the default inputs.
    pub(crate) fn finds(&self, check: impl Fn(&[u8]) + RefUnwindSafe) -> bool {
        let holds = |bytes: &[u8]| catch_unwind(|| check(bytes)).is_ok();
        let known = self.known();
        !(known.iter().all(|(_, bytes)| holds(bytes)) && self.made(&known, FEW, |_, bytes| holds(bytes)))
    }

    /// The kept inputs and the seeds of the test, each with a description.
    fn known(&self) -> Vec<(String, Vec<u8>)> {
        let seeds = self.seeds.iter().map(|seed| ("a seed of the test".to_owned(), seed.clone()));
        kept(self.name).into_iter().chain(seeds).collect()
    }

    /// Makes random inputs until `goes_on` returns false. Returns whether it never did.
    fn made(
        &self,
        known: &[(String, Vec<u8>)],
        (from, count): (u64, u64),
        mut goes_on: impl FnMut(u64, &[u8]) -> bool,
    ) -> bool {
        // The order of the seeds decides which input belongs to a number.
        let (kept, seeds) = known.split_at(known.len() - self.seeds.len());
        let seeds: Vec<Vec<u8>> = seeds.iter().chain(kept).map(|(_, bytes)| bytes.clone()).collect();
        let maker = Maker { seeds: &seeds, tokens: self.tokens, most: self.most };
        (from..from + count).all(|number| goes_on(number, &maker.make(number)))
    }

    fn one(&self, what: &str, bytes: &[u8], check: &(impl Fn(&[u8]) + RefUnwindSafe)) {
        // The file is there even if no panic follows, after a stack overflow or an endless loop.
        let file = tried().join(format!("{}-{}", self.name, process::id()));
        fs::write(&file, bytes).expect("a folder for what is built");
        if let Err(panic) = catch_unwind(|| check(bytes)) {
            panic_with(&format!("{}: {what} fails; it is in {}", self.name, file.display()), panic);
        }
        let memory = peak();
        assert!(
            memory < MEMORY,
            "{}: {what} took memory up to {memory} bytes: {}",
            self.name,
            file.display()
        );
        fs::remove_file(&file).expect("it was written here");
    }
}

#[expect(clippy::print_stderr, reason = "the panic that follows does not name the input")]
fn panic_with(what: &str, panic: Box<dyn std::any::Any + Send>) -> ! {
    eprintln!("{what}; copy it to operator/fuzz under a name that gives the reason");
    resume_unwind(panic)
}

/// The kept inputs with their file names, always in the same order.
fn kept(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(target);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    files.into_iter().map(|file| (file.display().to_string(), fs::read(&file).expect("a file"))).collect()
}

/// The first number and the number of inputs, if the variables for them are set.
fn asked() -> Option<(u64, u64)> {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().expect("a number"));
    Some((number("RSS_FUZZ_FROM")?, number("RSS_FUZZ_COUNT")?))
}

fn tried() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/fuzz");
    fs::create_dir_all(&folder).expect("a folder for what is built");
    folder
}

/// The peak memory of this process in bytes, or 0 on a system without this value.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}
