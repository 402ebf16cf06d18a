//! An object as it is kept: by everybody who was told of it, too.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde_json::Value;

/// One state of an object, which does not change any more.
#[derive(Clone, Debug)]
pub struct Kept(Arc<State>);

#[derive(Debug)]
struct State {
    object: Value,
    /// As text, once somebody was told of it.
    text: OnceLock<String>,
}

// === impl Kept ===

impl Kept {
    /// As it is told: the same for all, so it is made once.
    #[must_use]
    pub fn text(&self) -> &str {
        self.0.text.get_or_init(|| self.0.object.to_string())
    }
}

impl From<Value> for Kept {
    fn from(object: Value) -> Self {
        Self(Arc::new(State { object, text: OnceLock::new() }))
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        self.0.object == other.0.object
    }
}

impl Deref for Kept {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.0.object
    }
}
