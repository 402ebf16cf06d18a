//! Lists the files of the SDK and the contract, which `policy new` writes into a new crate.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let cli = PathBuf::from(env::var("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let root = cli.parent().expect("the crate lies in the workspace");
    let mut files =
        vec![root.join("policy-sdk/Cargo.toml"), root.join("wit/policy.wit"), root.join("LICENSE")];
    collect(&root.join("policy-sdk/src"), &mut files);
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.strip_prefix(root).expect("it was found there").display();
        writeln!(list, "    ({:?}, include_str!({file:?})),", name.to_string()).expect("memory takes it");
    }
    list.push_str("]\n");
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it")).join("vendor.rs");
    fs::write(out, list).expect("the folder for output can be written to");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    // A new file changes its folder.
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
