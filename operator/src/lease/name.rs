//! Which lease is whose: operators for different namespaces do not compete.

use std::fmt;

/// The longest name of an object.
const LONGEST: usize = 253;

const BASE: &str = "rss-operator";

/// A lease by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeaseRef {
    /// The operator's own namespace.
    pub namespace: String,
    /// Its name there.
    pub name: String,
}

impl LeaseRef {
    /// The lease of the operators that look after these namespaces; none = all. A dot is in no
    /// namespace's name, so no two lists have the same lease.
    #[must_use]
    pub fn of(own: &str, namespaces: &[String], chosen: Option<&str>) -> Self {
        let name = chosen.map_or_else(|| fitting(namespaces), str::to_owned);
        Self { namespace: own.to_owned(), name }
    }
}

fn fitting(namespaces: &[String]) -> String {
    let mut names: Vec<&str> = namespaces.iter().map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    let parts: Vec<&str> = std::iter::once(BASE).chain(names).collect();
    let name = parts.join(".");
    if name.len() > LONGEST { format!("{BASE}.{:016x}", fnv1a(&name)) } else { name }
}

/// The same in every version of the operator: an old and a new one must find the same lease.
fn fnv1a(text: &str) -> u64 {
    text.bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

impl fmt::Display for LeaseRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.namespace, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(namespaces: &[&str]) -> String {
        let namespaces: Vec<String> = namespaces.iter().map(|&name| name.to_owned()).collect();
        LeaseRef::of("ops", &namespaces, None).name
    }

    #[test]
    fn one_lease_for_all_namespaces_and_one_for_each_choice_of_them() {
        assert_eq!(LeaseRef::of("ops", &[], None).to_string(), "ops/rss-operator");
        assert_eq!(name(&["b", "a", "b"]), "rss-operator.a.b");
        assert_ne!(name(&["a-b", "c"]), name(&["a", "b-c"]));
    }

    #[test]
    fn a_name_that_was_chosen_is_taken() {
        assert_eq!(LeaseRef::of("ops", &["a".to_owned()], Some("mine")).name, "mine");
    }

    #[test]
    fn a_long_choice_keeps_to_the_length_of_a_name_and_to_itself() {
        let many: Vec<String> = (0..60).map(|number| format!("namespace-{number}")).collect();
        let lease = LeaseRef::of("ops", &many, None);
        assert!(lease.name.len() <= LONGEST);
        assert_ne!(lease, LeaseRef::of("ops", &many[1..], None));
        assert_eq!(fnv1a("a"), 0xaf63_dc4c_8601_ec8c, "as published");
    }
}
