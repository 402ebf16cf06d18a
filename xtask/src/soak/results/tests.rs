use super::*;

/// A folder for one test, which removes itself.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("rss-soak-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("the folder for temporary files is writable");
        Self(folder)
    }

    fn open(&self, context: Option<&str>, delete: bool) -> Results {
        Results::open(&self.0, Part::Walk, context, delete).expect("the folder is readable")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

fn add(results: &mut Results, number: usize, passed: bool, states: u64) {
    let round = Round::first(Part::Walk, 10).nth(number).expect("there are ten rounds");
    let counts = Counts::from([("states explored".to_owned(), states)]);
    results.add(round, "abc1234", passed, counts).expect("the folder is writable");
}

#[test]
fn a_call_reads_the_results_of_the_call_before_it() {
    let folder = Folder::new("next-call");
    add(&mut folder.open(None, false), 0, true, 5);
    let mut second = folder.open(None, false);
    assert_eq!(second.passed(), BTreeSet::from(["0 to 499".to_owned()]));
    add(&mut second, 1, false, 5);
    let third = folder.open(None, false);
    assert_eq!(third.passed().len(), 1, "a failed round runs again");
    assert_eq!(third.entries, second.entries);
}

#[test]
fn again_deletes_the_results_of_earlier_calls() {
    let folder = Folder::new("again");
    add(&mut folder.open(None, false), 0, true, 5);
    assert!(folder.open(None, true).passed().is_empty());
    assert!(folder.open(None, false).passed().is_empty());
}

#[test]
fn a_round_in_another_cluster_is_another_round() {
    let folder = Folder::new("context");
    add(&mut folder.open(Some("mine"), false), 0, true, 5);
    assert!(folder.open(None, false).passed().is_empty());
    assert_eq!(folder.open(Some("mine"), false).passed().len(), 1);
}

#[test]
fn a_report_has_the_sums_of_the_rounds_that_passed() {
    let folder = Folder::new("sums");
    let mut results = folder.open(None, false);
    for number in 0..5 {
        add(&mut results, number, true, 10);
    }
    add(&mut results, 5, false, 1);
    let report = results.report();
    let lines: Vec<&str> = report.lines().map(str::trim).collect();
    assert_eq!(lines[0], "soak walk: 4 of the 4 rounds of a release passed, and 1 beyond them");
    assert!(lines[1].ends_with(" abc1234: 5"), "{report}");
    assert_eq!(lines[2], "50 states explored");
}

#[test]
fn a_report_names_each_failure_with_its_command() {
    let folder = Folder::new("failures");
    let mut results = folder.open(None, false);
    add(&mut results, 0, false, 1);
    add(&mut results, 0, true, 10);
    add(&mut results, 1, false, 1);
    let report = results.report();
    let failed: Vec<&str> = report.lines().filter(|line| line.contains("failed")).collect();
    assert!(
        failed[0].contains("0 to 499 failed on ") && failed[0].contains("passed in a later call"),
        "{report}"
    );
    assert!(failed[1].contains("500 to 999 failed on ") && !failed[1].contains("later"), "{report}");
    assert!(failed[1].ends_with("--bin exhaust -- --walk 500 --count 500"), "{report}");
}

#[test]
fn a_malformed_line_is_an_error_that_names_its_number() {
    let folder = Folder::new("malformed");
    add(&mut folder.open(None, false), 0, true, 5);
    let file = folder.0.join("walk.jsonl");
    let text = fs::read_to_string(&file).expect("the file was written above");
    fs::write(&file, format!("{text}{{}}\n")).expect("the folder is writable");
    let error = Results::open(&folder.0, Part::Walk, None, false).expect_err("the line has no fields");
    assert!(error.to_string().contains("walk.jsonl, line 2"), "{error:#}");
}
