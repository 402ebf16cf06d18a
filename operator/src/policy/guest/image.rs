//! Answers as they lie in a guest's memory, by the canonical ABI.

use super::ANSWER;

/// Bytes from `ANSWER` on: the answer first, then what it points to.
#[derive(Clone)]
pub(crate) struct Image {
    bytes: Vec<u8>,
    /// Where the next thing goes that is pointed to.
    heap: Vec<u8>,
    size: usize,
}

impl Image {
    fn new(size: usize) -> Self {
        Self { bytes: vec![0; size], heap: Vec::new(), size }
    }

    /// A text alone, as pointer and length.
    pub(crate) fn of_text(text: &str) -> Self {
        let mut image = Self::new(8);
        image.text_at(0, text);
        image
    }

    /// The answer of `sequence`: no data.
    pub(crate) fn empty() -> Self {
        let mut image = Self::new(40);
        image.bytes[0] = 1;
        image.text_at(32, "nothing there");
        image
    }

    /// The answer of `sequence`: it cannot be told.
    pub(crate) fn unreadable() -> Self {
        let mut image = Self::empty();
        image.bytes[0] = 2;
        image
    }

    /// The answer of `sequence`: this number.
    pub(crate) fn ordinal(number: u64) -> Self {
        let mut image = Self::empty();
        image.bytes[0] = 0;
        image.bytes[8] = 1;
        image.bytes[16..24].copy_from_slice(&number.to_le_bytes());
        image
    }

    /// The answer of `sequence`: this history.
    pub(crate) fn history(sources: &[(&str, &[(u64, u64)])]) -> Self {
        let mut image = Self::empty();
        image.bytes[0] = 0;
        let mut list = Vec::new();
        for (name, intervals) in sources {
            let bytes: Vec<u8> =
                intervals.iter().flat_map(|(a, b)| [*a, *b]).flat_map(u64::to_le_bytes).collect();
            list.extend(image.put(name.as_bytes(), name.len()));
            list.extend(image.put(&bytes, intervals.len()));
        }
        let pair = image.put(&list, sources.len());
        image.bytes[16..24].copy_from_slice(&pair);
        image
    }

    /// The same with these facts.
    pub(crate) fn facts(mut self, facts: &[(&str, &str)]) -> Self {
        let mut list = Vec::new();
        for text in facts.iter().flat_map(|(name, value)| [name, value]) {
            list.extend(self.put(text.as_bytes(), text.len()));
        }
        let pair = self.put(&list, facts.len());
        self.bytes[24..32].copy_from_slice(&pair);
        self
    }

    /// The answers of `metadata`.
    pub(crate) fn metadata(texts: [&str; 4], problems: &[(&str, &str)]) -> Self {
        let mut image = Self::new(40);
        for (index, text) in texts.into_iter().enumerate() {
            image.text_at(index * 8, text);
        }
        let mut list = Vec::new();
        for text in problems.iter().flat_map(|(path, message)| [path, message]) {
            list.extend(image.put(text.as_bytes(), text.len()));
        }
        let pair = image.put(&list, problems.len());
        image.bytes[32..40].copy_from_slice(&pair);
        image
    }

    /// Puts bytes at a multiple of 8 and gives their address and `length`.
    fn put(&mut self, bytes: &[u8], length: usize) -> [u8; 8] {
        self.heap.resize(self.heap.len().next_multiple_of(8), 0);
        let address = ANSWER as usize + self.size.next_multiple_of(8) + self.heap.len();
        self.heap.extend_from_slice(bytes);
        let mut pair = [0; 8];
        pair[..4].copy_from_slice(&(address as u32).to_le_bytes());
        pair[4..].copy_from_slice(&(length as u32).to_le_bytes());
        pair
    }

    fn text_at(&mut self, offset: usize, text: &str) {
        let pair = self.put(text.as_bytes(), text.len());
        self.bytes[offset..offset + 8].copy_from_slice(&pair);
    }

    /// As a data segment.
    pub(super) fn text(&self) -> String {
        let mut all = self.bytes.clone();
        all.resize(self.size.next_multiple_of(8), 0);
        all.extend_from_slice(&self.heap);
        let escaped: String = all.iter().map(|byte| format!("\\{byte:02x}")).collect();
        format!("(data (i32.const {ANSWER}) \"{escaped}\")")
    }
}
