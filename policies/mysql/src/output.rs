//! What the clients of MySQL and MariaDB print.

use policy_sdk::position::{self, History};
use policy_sdk::sequence::{Answer, Output};
use policy_sdk::{Pairs, quoted};

/// `SHOW VARIABLES` cuts a value at this number of characters, and nothing in its output says so: MySQL since 5.7, and MariaDB.
/// See SHOW VARIABLES in the reference manual of MySQL 8.4.
const CUTS: [usize; 2] = [1024, 4096];

/// The answer, or why there is no position.
pub(crate) fn read(output: &Output) -> Result<Answer, String> {
    let text = output.text()?;
    if output.stdout.is_empty() {
        return Ok(Answer::empty());
    }
    let Some(variables) = variables(output.stdout.as_str()) else {
        return filled(if text.contains(':') { position::mysql(text)? } else { position::mariadb(text)? });
    };
    let value = |name: &str| uncut(&variables, name);
    if let Some(executed) = value("gtid_executed")? {
        return of_mysql(executed, value("gtid_mode")?);
    }
    let every_server = [value("gtid_binlog_state")?, value("gtid_slave_pos")?];
    if every_server.iter().any(Option::is_some) {
        return Ok(filled(listed(&every_server)?)?.because("gtid_binlog_state and gtid_slave_pos"));
    }
    let last_server = [value("gtid_current_pos")?, value("gtid_binlog_pos")?];
    if last_server.iter().any(Option::is_some) {
        return Ok(filled(listed(&last_server)?)?.because("the last server of each domain only"));
    }
    Err(format!("no gtid_executed and no gtid_binlog_state: {}", quoted(text)))
}

/// `NAME<TAB>VALUE` on each line; a line without a tab goes on with the value before it, as `--raw` prints sets.
fn variables(text: &str) -> Option<Pairs> {
    let mut variables = Pairs::new();
    let mut last = None;
    for line in text.lines() {
        match (line.split_once('\t'), last) {
            (Some((name, value)), _) => {
                last = Some(name);
                variables.insert(name.to_owned(), value.to_owned());
            }
            (None, Some(name)) => {
                let value = variables.of(name);
                value.push('\n');
                value.push_str(line);
            }
            (None, None) => return None,
        }
    }
    Some(variables)
}

/// The value of a variable, if the output has it. A value that may have been cut is refused: it can end in a smaller number.
fn uncut<'a>(variables: &'a Pairs, name: &str) -> Result<Option<&'a str>, String> {
    let Some(value) = variables.get(name) else { return Ok(None) };
    // Batch mode prints a line end as two characters.
    let length = value.replace("\\n", "\n").chars().count();
    if CUTS.contains(&length) {
        return Err(format!(
            "{name} has {length} characters, where SHOW VARIABLES cuts it: print SELECT '{name}', @@GLOBAL.{name}"
        ));
    }
    Ok(Some(value.trim()))
}

fn of_mysql(executed: &str, mode: Option<&str>) -> Result<Answer, String> {
    let history = position::mysql(executed)?;
    match mode {
        Some("ON" | "ON_PERMISSIVE") => Ok(Answer::at(history)),
        Some(mode) => {
            Err(format!("gtid_mode is {}: transactions without a GTID are in no set", quoted(mode)))
        }
        None => filled(history),
    }
    .map(|answer| answer.because("gtid_executed"))
}

/// The union of lists of GTIDs.
fn listed(lists: &[Option<&str>]) -> Result<History, String> {
    let filled: Vec<&str> = lists.iter().copied().flatten().filter(|list| !list.is_empty()).collect();
    Ok(position::mariadb(&filled.join(","))?)
}

/// A position, unless there is no transaction in it.
fn filled(history: History) -> Result<Answer, String> {
    if history.count() == 0 {
        return Err("no GTID at all: does the server write them (gtid_mode, log_bin)?".to_owned());
    }
    Ok(Answer::at(history))
}
