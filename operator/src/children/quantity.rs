//! Whether two quantities are the same: the API server writes "1024Mi" back as "1Gi".

/// Suffixes with the power of two or ten that they stand for; longer ones first.
const SUFFIXES: [(&str, f64); 16] = [
    ("Ki", 1024.0),
    ("Mi", 1_048_576.0),
    ("Gi", 1_073_741_824.0),
    ("Ti", 1_099_511_627_776.0),
    ("Pi", 1_125_899_906_842_624.0),
    ("Ei", 1_152_921_504_606_846_976.0),
    ("n", 1e-9),
    ("u", 1e-6),
    ("m", 1e-3),
    ("k", 1e3),
    ("M", 1e6),
    ("G", 1e9),
    ("T", 1e12),
    ("P", 1e15),
    ("E", 1e18),
    ("", 1.0),
];

/// Texts that are no quantities are the same only if they are equal.
pub(super) fn same(a: &str, b: &str) -> bool {
    match (amount(a), amount(b)) {
        // A difference this small is one of binary fractions: 100m is not exactly 0.1.
        (Some(a), Some(b)) => (a - b).abs() <= a.abs() * 1e-12,
        _ => a == b,
    }
}

fn amount(text: &str) -> Option<f64> {
    SUFFIXES
        .iter()
        .find_map(|(suffix, factor)| Some(text.strip_suffix(suffix)?.parse::<f64>().ok()? * factor))
}

#[cfg(test)]
mod tests {
    use super::same;

    #[test]
    fn one_amount_is_the_same_in_every_spelling() {
        for (a, b) in [("1024Mi", "1Gi"), ("0.5", "500m"), ("1000k", "1M"), ("1e3", "1k"), ("100m", "0.1")] {
            assert!(same(a, b), "{a} {b}");
        }
        for (a, b) in [("1Gi", "1G"), ("1", "2"), ("1Gi", "2Gi"), ("x", "y")] {
            assert!(!same(a, b), "{a} {b}");
        }
    }
}
