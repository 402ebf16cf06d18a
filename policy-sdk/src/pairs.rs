use std::collections::BTreeMap;

/// Names and values, such as facts: `safe_to_bootstrap` and `1`.
pub type Pairs = BTreeMap<String, String>;
