//! What comes from outside, made wrong: kept inputs, and more that are made of them by chance. A test of each target says
//! what must be so whatever comes.
//!
//! Each of those checks is one that can fail: it is told of what does wrong on purpose, and finds it among the same inputs.
//!
//! Kept inputs are in `operator/fuzz/TARGET`, each in a file whose name says why it is there; real ones that other tests
//! have are given by the target. `cargo xtask test` runs them and some more; `cargo xtask soak --part fuzz` ever new ones.

mod counted;
mod made;
mod tree;

use std::panic::{RefUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::{fs, process};

use made::Maker;

/// Made inputs of each target where nothing else is asked for, and the first one's number.
const FEW: (u64, u64) = (1, 60);

/// A process that has had more memory than this was made to take it.
const MEMORY: u64 = 2 << 30;

/// What is asked of one kind of input.
pub(crate) struct Target<'a> {
    /// The folder of its kept inputs.
    pub(crate) name: &'a str,
    /// Inputs that are right, or wrong in an interesting way.
    pub(crate) seeds: Vec<Vec<u8>>,
    /// Words that mean something in it.
    pub(crate) tokens: &'a [&'a str],
    /// No input is longer.
    pub(crate) most: usize,
}

impl Target<'_> {
    /// Checks every input. One that fails is written down, with how to have it again.
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

    /// Whether the check of something that does wrong on purpose fails, for one of the few inputs of each run.
    pub(crate) fn finds(&self, check: impl Fn(&[u8]) + RefUnwindSafe) -> bool {
        let holds = |bytes: &[u8]| catch_unwind(|| check(bytes)).is_ok();
        let known = self.known();
        !(known.iter().all(|(_, bytes)| holds(bytes)) && self.made(&known, FEW, |_, bytes| holds(bytes)))
    }

    /// The inputs that are kept, and the seeds of the test.
    fn known(&self) -> Vec<(String, Vec<u8>)> {
        let seeds = self.seeds.iter().map(|seed| ("a seed of the test".to_owned(), seed.clone()));
        kept(self.name).into_iter().chain(seeds).collect()
    }

    /// Makes so many more of them, until one is enough.
    fn made(
        &self,
        known: &[(String, Vec<u8>)],
        (from, count): (u64, u64),
        mut goes_on: impl FnMut(u64, &[u8]) -> bool,
    ) -> bool {
        // The order decides which input a number makes.
        let (kept, seeds) = known.split_at(known.len() - self.seeds.len());
        let seeds: Vec<Vec<u8>> = seeds.iter().chain(kept).map(|(_, bytes)| bytes.clone()).collect();
        let maker = Maker { seeds: &seeds, tokens: self.tokens, most: self.most };
        (from..from + count).all(|number| goes_on(number, &maker.make(number)))
    }

    fn one(&self, what: &str, bytes: &[u8], check: &(impl Fn(&[u8]) + RefUnwindSafe)) {
        // It is there too after what no panic tells of: a stack that is full, or no end.
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

#[expect(clippy::print_stderr, reason = "which input it is belongs to the panic that follows")]
fn panic_with(what: &str, panic: Box<dyn std::any::Any + Send>) -> ! {
    eprintln!("{what}; keep it in operator/fuzz under a name that says why");
    resume_unwind(panic)
}

/// Kept inputs by their names, always in the same order.
fn kept(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(target);
    let files = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    assert!(!files.is_empty(), "{} is empty", folder.display());
    files.into_iter().map(|file| (file.display().to_string(), fs::read(&file).expect("a file"))).collect()
}

/// From which number on, and how many, if somebody says.
fn asked() -> Option<(u64, u64)> {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().expect("a number"));
    Some((number("RSS_FUZZ_FROM")?, number("RSS_FUZZ_COUNT")?))
}

fn tried() -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/fuzz");
    fs::create_dir_all(&folder).expect("a folder for what is built");
    folder
}

/// The most memory that this process had so far; 0 where the system does not tell.
fn peak() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}
