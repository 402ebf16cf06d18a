//! A policy that was built once works as long as its interface is offered: components of each version are kept and asked.

use std::collections::BTreeSet;
use std::thread;

use operator::policy::record::{Record, replay};
use operator::policy::{Component, Host, Interface, limits};

use super::*;

/// Each version of the contract, with the components that are kept of it: none of this may go.
const KEPT: &[(&str, &[&str])] = &[("0.1.0", &["largest-integer", "policy-in-c"])];

/// The most bytes that one may have: they are in the repository for good.
const SIZE: usize = 150 << 10;

/// The names in a folder, without what follows their last dot.
fn names(folder: &str, extension: &str) -> BTreeSet<String> {
    let files = fs::read_dir(self::folder().join("frozen").join(folder)).unwrap();
    let paths = files.map(|entry| entry.unwrap().path());
    let named = paths.filter(|path| path.extension().is_some_and(|found| found == extension));
    named.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect()
}

fn read(version: &str, file: &str) -> Vec<u8> {
    let path = folder().join("frozen").join(version).join(file);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A kept component, with what it was asked and answered when it was new.
fn guest(host: &Host, version: &str, name: &str) -> (Component, Vec<Record>) {
    let bytes = read(version, &format!("{name}.wasm"));
    assert!(bytes.len() <= SIZE, "{version}/{name}.wasm has {} bytes", bytes.len());
    let component = Component::load(host, &bytes)
        .unwrap_or_else(|refusal| panic!("{version}/{name}.wasm is no policy any more: {refusal}"));
    (component, serde_json::from_slice(&read(version, &format!("{name}.json"))).unwrap())
}

#[test]
fn no_version_and_nothing_that_is_kept_of_one_is_missing_and_nothing_is_kept_unseen() {
    let versions: BTreeSet<String> = frozen().into_iter().map(|(version, _)| version).collect();
    let known: BTreeSet<String> = KEPT.iter().map(|(version, _)| (*version).to_owned()).collect();
    assert_eq!(versions, known, "the contracts of wit/frozen and this list");
    for (version, guests) in KEPT {
        let guests: BTreeSet<String> = guests.iter().map(|&name| name.to_owned()).collect();
        for extension in ["wasm", "json"] {
            assert_eq!(names(version, extension), guests, "*.{extension} of {version} and this list");
        }
    }
}

#[test]
fn each_kept_policy_is_taken_and_answers_as_it_did_when_it_was_new() {
    let all = || {
        let host = Host::new().unwrap();
        for (version, guests) in KEPT {
            let mut asked = BTreeSet::new();
            for name in *guests {
                let (component, records) = guest(&host, version, name);
                for record in &records {
                    let interface = record.question.interface();
                    let told = format!("{version}/{name}: {:?} of {}", record.name, interface.versioned());
                    assert!(component.exports().contains(&interface), "{told}: it is asked of another");
                    let again = replay(record, &component);
                    assert!(again.is_same_outcome, "{told}: {:?}, was {:?}", again.outcome, record.outcome);
                    asked.insert(interface);
                }
            }
            let every = Interface::ALL.into_iter().collect();
            assert_eq!(asked, every, "{version}: an interface that no kept policy is asked through");
        }
    };
    // Calls need more stack than the thread of a test has.
    thread::Builder::new().stack_size(4 * limits::THREAD_STACK).spawn(all).unwrap().join().unwrap();
}
