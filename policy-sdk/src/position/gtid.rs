//! Positions with the name of a lineage or server in them.

use super::{History, Malformed, integer};
use crate::quoted;

/// MySQL numbers transactions from 1 to 2^63-1.
const MYSQL: std::ops::RangeInclusive<u64> = 1..=(1 << 63) - 1;

/// Reads `UUID:SEQNO`, as Galera prints a position: of that lineage everything from 0 to SEQNO.
///
/// The UUID of the source is in lower case, whatever was read.
///
/// # Errors
/// If it is anything else; so are the zero UUID and -1, with which Galera says that it knows no position.
pub fn uuid_seqno(text: &str) -> Result<History, Malformed> {
    let not = |what: &str| Malformed(format!("{what}: {}", quoted(text)));
    let (lineage, seqno) = text.split_once(':').ok_or_else(|| not("not UUID:SEQNO"))?;
    let lineage = uuid(lineage).ok_or_else(|| not("not UUID:SEQNO"))?;
    if lineage.bytes().all(|byte| matches!(byte, b'0' | b'-')) {
        return Err(not("the zero UUID names no history"));
    }
    if seqno == "-1" {
        return Err(not("-1 says that the position is not known"));
    }
    let seqno = integer(seqno).map_err(|_| not("not UUID:SEQNO"))?;
    Ok(History::up_to(&lineage, seqno))
}

/// Reads a GTID set as MySQL prints `gtid_executed`: `UUID:1-5:7,UUID:TAG:1-3`; the empty text is the empty set.
///
/// A source is a UUID in lower case, or `uuid:tag` with the tags of MySQL 8.3 and newer. Blanks, line ends and `\n` as
/// the client `mysql` prints a line end, may stand after commas.
/// The form is that of the
/// [reference manual](https://dev.mysql.com/doc/refman/8.4/en/replication-gtids-concepts.html#replication-gtids-concepts-gtid-sets).
///
/// # Errors
/// If it is anything else, such as a number outside of 1 to 2^63-1 or a reversed interval.
pub fn mysql(text: &str) -> Result<History, Malformed> {
    let mut history = History::new();
    let plain = text.replace("\\n", "\n");
    for set in plain.split(',').map(str::trim).filter(|_| !plain.trim().is_empty()) {
        uuid_set(set, &mut history).ok_or_else(|| Malformed(format!("not a GTID set: {}", quoted(set))))?;
    }
    Ok(history)
}

/// `UUID:[TAG:]INTERVAL[:[TAG:]INTERVAL]...`: a tag is that of all intervals up to the next tag.
fn uuid_set(set: &str, history: &mut History) -> Option<()> {
    let mut parts = set.split(':').map(str::trim);
    let server = uuid(parts.next()?)?;
    let mut source = server.clone();
    let mut needs_interval = true;
    for part in parts {
        if let Some((first, last)) = interval(part) {
            history.insert(&source, first, last);
            needs_interval = false;
        } else {
            source = format!("{server}:{}", tag(part)?);
            needs_interval = true;
        }
    }
    (!needs_interval).then_some(())
}

fn interval(text: &str) -> Option<(u64, u64)> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    let (first, last) = (integer(first).ok()?, integer(last).ok()?);
    (MYSQL.contains(&first) && MYSQL.contains(&last) && first <= last).then_some((first, last))
}

/// A letter or `_`, then up to 31 letters, digits or `_`; in lower case.
fn tag(text: &str) -> Option<String> {
    let is_word = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let begins = text.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
    (is_word && begins && text.len() <= 32).then(|| text.to_ascii_lowercase())
}

/// 8, 4, 4, 4 and 12 hexadecimal digits; in lower case.
fn uuid(text: &str) -> Option<String> {
    let is_hex = text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    (is_hex && text.split('-').map(str::len).eq([8, 4, 4, 4, 12])).then(|| text.to_ascii_lowercase())
}

/// Reads a list of MariaDB's GTIDs, `DOMAIN-SERVER-NUMBER,...`; the empty text is the empty list.
///
/// The source is `DOMAIN-SERVER`, and `0-1-100` is everything of it from 0 to 100. The servers of a domain share its
/// numbers, so not every number was used by this server; but each applies the transactions of another in their order,
/// so whoever has the hundredth of a server has all that this server did before. One history includes another exactly
/// if it has, of every domain and server, the last that the other has: that is inclusion of the transactions. A
/// transaction that a server made on its own (errant) is of a source that the others do not have, or beyond theirs.
///
/// This needs the last GTID of *every* server, which is what `gtid_binlog_state` lists. `gtid_binlog_pos`,
/// `gtid_slave_pos` and `gtid_current_pos` have one GTID for each domain, of whichever server came last, and read alone
/// they fail in two ways. After a change of primary a member that is merely behind (`0-1-100`) seems to have parted
/// from those that went on (`0-2-105`): the set waits for a person. And an errant transaction that was followed by one
/// of the primary is not seen at all.
///
/// # Errors
/// If it is anything else; domain and server are numbers up to 2^32-1.
pub fn mariadb(text: &str) -> Result<History, Malformed> {
    let mut history = History::new();
    for gtid in text.split(',').map(str::trim).filter(|_| !text.trim().is_empty()) {
        let (source, last) =
            triple(gtid).ok_or_else(|| Malformed(format!("not a GTID: {}", quoted(gtid))))?;
        history.insert(&source, 0, last);
    }
    Ok(history)
}

fn triple(gtid: &str) -> Option<(String, u64)> {
    let mut numbers = gtid.split('-').map(|number| integer(number).ok());
    let (domain, server, last) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let domain = u32::try_from(domain).ok()?;
    let server = u32::try_from(server).ok()?;
    numbers.next().is_none().then(|| (format!("{domain}-{server}"), last))
}

#[cfg(test)]
mod tests;
