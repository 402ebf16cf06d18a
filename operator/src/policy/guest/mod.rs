//! Policies for tests: core modules from text, lowered by hand, made components as every author's are.

use super::interface::Interface;

mod image;

pub(super) use image::Image;

/// The contract.
const WIT: &str = include_str!("../../../../wit/policy.wit");

/// Where the answer of a guest lies; see `guests/`.
pub(super) const ANSWER: u32 = 1024;

/// A guest, with the places where a test makes it worse.
#[derive(Clone)]
pub(super) struct Guest {
    world: &'static str,
    /// The contract, or another one.
    wit: String,
    imports: String,
    functions: String,
    data: String,
    pages: String,
    realloc: String,
    body: String,
    check: String,
    more: String,
}

impl Guest {
    fn new(world: &'static str, functions: &str, image: Image) -> Self {
        Self {
            world,
            wit: format!("{WIT}\nworld described {{ export sequence; export metadata; }}"),
            imports: String::new(),
            functions: functions.to_owned(),
            data: image.text(),
            pages: "1".to_owned(),
            realloc: String::new(),
            body: String::new(),
            check: String::new(),
            more: String::new(),
        }
    }

    /// Answers this, whatever it is asked; see `Image`.
    pub(super) fn sequence(image: Image) -> Self {
        Self::new("sequence-policy", include_str!("../guests/sequence.wat"), image)
    }

    /// Proposes the lowest ordinal.
    pub(super) fn seed() -> Self {
        Self::new("seed-policy", include_str!("../guests/seed.wat"), Image::of_text("the lowest ordinal"))
    }

    /// Orders by ordinal.
    pub(super) fn primaries() -> Self {
        Self::new("primaries-policy", include_str!("../guests/primaries.wat"), Image::of_text("by ordinal"))
    }

    /// Lets all follow the first primary.
    pub(super) fn replicas() -> Self {
        Self::new("replicas-policy", include_str!("../guests/replicas.wat"), Image::of_text("the first"))
    }

    /// `sequence` and `metadata` in one.
    pub(super) fn described(image: Image) -> Self {
        let functions =
            [include_str!("../guests/unreadable.wat"), include_str!("../guests/metadata.wat")].concat();
        Self::new("described", &functions, image)
    }

    /// One for another contract: `world other` of what is given, in a package of the same name.
    pub(super) fn other(wit: &str, functions: &str) -> Self {
        let wit = format!("package clusterlabs:policy@0.1.0; {wit}");
        Self { wit, ..Self::new("other", functions, Image::of_text("")) }
    }

    /// What it does before it answers, as text with its parameters in scope.
    pub(super) fn body(mut self, text: &str) -> Self {
        self.body = text.to_owned();
        self
    }

    /// What `check` does before it answers.
    pub(super) fn check(mut self, text: &str) -> Self {
        self.check = text.to_owned();
        self
    }

    /// What it does whenever the host wants memory from it.
    pub(super) fn realloc(mut self, text: &str) -> Self {
        self.realloc = text.to_owned();
        self
    }

    /// Pages of memory that it begins with.
    pub(super) fn pages(mut self, pages: u32) -> Self {
        self.pages = pages.to_string();
        self
    }

    /// Further parts of the module.
    pub(super) fn more(mut self, text: &str) -> Self {
        self.more = text.to_owned();
        self
    }

    /// The same for a world of these exports with an import, which no policy may have: `$next` gives another number each
    /// time.
    pub(super) fn counting(mut self, exports: &str) -> Self {
        let counter = "import counter: interface { next: func() -> u64; }";
        self.world = "counting";
        self.wit = format!("{WIT}\nworld counting {{ {counter} {exports} }}");
        self.imports = "(import \"counter\" \"next\" (func $next (result i64)))".to_owned();
        self
    }

    /// The same with further functions, for a world of these exports.
    pub(super) fn with(mut self, exports: &str, functions: &str) -> Self {
        self.world = "wider";
        self.wit = format!("{WIT}\nworld wider {{ {exports} }}");
        self.functions.push_str(functions);
        self
    }

    /// The core module.
    pub(super) fn module(&self) -> Vec<u8> {
        let functions = self.functions.replace("{body}", &self.body).replace("{check}", &self.check);
        let text = include_str!("../guests/frame.wat")
            .replace("{imports}", &self.imports)
            .replace("{functions}", &functions)
            .replace("{data}", &self.data)
            .replace("{pages}", &self.pages)
            .replace("{realloc}", &self.realloc)
            .replace("{more}", &self.more);
        wat::parse_str(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
    }

    /// The component, as `wit-component` makes it for every author.
    pub(super) fn component(&self) -> Vec<u8> {
        self.encoded(wit_component::StringEncoding::UTF8)
    }

    /// The same with its strings in another encoding.
    pub(super) fn encoded(&self, strings: wit_component::StringEncoding) -> Vec<u8> {
        let mut resolve = wit_parser::Resolve::default();
        let package = resolve.push_str("policy.wit", &self.wit).expect("valid WIT");
        let world = resolve.select_world(&[package], Some(self.world)).expect("a world of it");
        let mut module = self.module();
        wit_component::embed_component_metadata(&mut module, &resolve, world, strings)
            .expect("a core module");
        let encoder =
            wit_component::ComponentEncoder::default().validate(true).module(&module).expect("a core module");
        { encoder }.encode().expect("a component")
    }
}

/// Bytes in which the name of an export is another of the same length.
pub(super) fn renamed(component: &[u8], interface: Interface, name: &str) -> Vec<u8> {
    let from = interface.export();
    assert_eq!(from.len(), name.len());
    let mut out = component.to_vec();
    let mut at = 0;
    while let Some(found) = out[at..].windows(from.len()).position(|window| window == from.as_bytes()) {
        at += found;
        out[at..at + from.len()].copy_from_slice(name.as_bytes());
    }
    out
}
