//! Texts that others wrote, cut before they are kept or shown.

use super::limits;

/// The most of it that is kept, whole characters only.
pub(super) fn cut(text: &str) -> String {
    text[..text.floor_char_boundary(limits::WHY)].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(cut("short"), "short");
        assert_eq!(cut(&"é".repeat(600)).len(), 1024);
        assert_eq!(cut(&"€".repeat(600)).len(), 1023);
    }
}
