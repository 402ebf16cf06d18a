//! The SubjectPublicKeyInfo of RFC 5280, 4.1.2.7: an algorithm and a key, in DER; of RSA also what RFC 8017, A.1.1, has
//! within it.

/// What the algorithm's name and parameters are in DER, tag and length included.
const P256: &[u8] = &[
    0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce,
    0x3d, 0x03, 0x01, 0x07,
];
const RSA: &[u8] =
    &[0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];

const INTEGER: u8 = 0x02;
const BIT_STRING: u8 = 0x03;
const SEQUENCE: u8 = 0x30;

/// An algorithm that signatures may be made with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    P256,
    Rsa,
}

/// The two numbers of a key of RSA, without zeros before them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rsa<'a> {
    pub(super) modulus: &'a [u8],
    pub(super) exponent: &'a [u8],
}

/// The algorithm and the key's own bytes. None: it is another algorithm, or malformed.
pub(super) fn parse(der: &[u8]) -> Option<(Algorithm, &[u8])> {
    let (body, rest) = element(der, SEQUENCE)?;
    let known = [(P256, Algorithm::P256), (RSA, Algorithm::Rsa)];
    let (bits, algorithm) =
        known.into_iter().find_map(|(name, known)| Some((body.strip_prefix(name)?, known)))?;
    let (bits, after) = element(bits, BIT_STRING)?;
    // The first byte counts the bits of the last one that do not belong to it.
    let key = bits.strip_prefix(&[0])?;
    (rest.is_empty() && after.is_empty()).then_some((algorithm, key))
}

/// What a key of RSA is made of. None: it is malformed.
pub(super) fn rsa(key: &[u8]) -> Option<Rsa<'_>> {
    let (body, rest) = element(key, SEQUENCE)?;
    let (modulus, after) = element(body, INTEGER)?;
    let (exponent, end) = element(after, INTEGER)?;
    let (modulus, exponent) = (positive(modulus)?, positive(exponent)?);
    (rest.is_empty() && end.is_empty()).then_some(Rsa { modulus, exponent })
}

/// The digits of a number above zero: DER writes it with one zero before it where its first bit would be a sign, and with
/// none elsewhere (X.690, 8.3.2).
fn positive(integer: &[u8]) -> Option<&[u8]> {
    match integer {
        [0, digits @ ..] => digits.first().is_some_and(|first| *first >= 0x80).then_some(digits),
        [1..=0x7f, ..] => Some(integer),
        _ => None,
    }
}

impl Rsa<'_> {
    /// Of the modulus.
    pub(super) fn bits(self) -> usize {
        self.modulus.len() * 8 - self.modulus.first().map_or(0, |first| first.leading_zeros() as usize)
    }
}

/// The content of the element that begins here, and what follows it.
fn element(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let rest = der.strip_prefix(&[tag])?;
    let (&first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(first), rest),
        // The length is in so many bytes, and in no more than it needs (X.690, 10.1). A key has two at most.
        0x81 | 0x82 => {
            let (length, rest) = rest.split_at_checked(usize::from(first & 0x7f))?;
            let length = length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
            let least = if first == 0x81 { 0x80 } else { 0x100 };
            (Some(length).filter(|length| *length >= least)?, rest)
        }
        _ => return None,
    };
    rest.split_at_checked(length)
}
