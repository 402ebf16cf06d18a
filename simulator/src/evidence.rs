//! What `cargo xtask` is told of: how much was tried.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;

/// Names the file to which a line is added for each figure; where it is not set, nobody wants to know.
const VARIABLE: &str = "RSS_EVIDENCE";

/// Says that so many more were counted, under a name that `cargo xtask evidence` knows.
///
/// # Panics
/// If somebody wants to know and cannot be told: what is missing would look like something that was never tried.
pub fn count(figure: &str, number: u64) {
    let Some(file) = std::env::var_os(VARIABLE) else { return };
    let told = add(Path::new(&file), &format!("{figure} {number}\n"));
    told.unwrap_or_else(|error| panic!("failed to write {}: {error}", file.display()));
}

/// In one write: other tests tell at the same time. In a new clone nobody has made the folder yet.
fn add(file: &Path, line: &str) -> std::io::Result<()> {
    file.parent().map_or(Ok(()), fs::create_dir_all)?;
    OpenOptions::new().create(true).append(true).open(file)?.write_all(line.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::add;

    #[test]
    fn what_is_told_first_makes_the_folder_of_its_file() {
        let folder = std::env::temp_dir().join(format!("rss-told-{}", std::process::id()));
        let file = folder.join("target/evidence/told");
        for line in ["seeds 1\n", "states 2\n"] {
            add(&file, line).expect("a folder for temporary files");
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "seeds 1\nstates 2\n");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
