//! One rule a file, its table of cases below it. A rule sees the look and adds to the draft.

pub(crate) mod bring_back;
pub(crate) mod claim;
pub(crate) mod find;
pub(crate) mod grow;
pub(crate) mod prove;
pub(crate) mod replace;
pub(crate) mod retire;
pub(crate) mod shrink;
pub(crate) mod update;
pub(crate) mod wait;
