//! Planted bugs: each is caught by the audit alone, under the guarantee that it breaks.
