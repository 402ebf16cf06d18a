//! What is different between two values, line by line.

use serde_json::Value;

/// Lines of the one with `-`, of the other with `+`, of both with a blank.
pub(crate) fn lines(then: &Value, here: &Value) -> Vec<String> {
    let text = |value| serde_json::to_string_pretty(value).unwrap_or_default();
    let (then, here) = (text(then), text(here));
    let (then, here): (Vec<&str>, Vec<&str>) = (then.lines().collect(), here.lines().collect());
    let common = common(&then, &here);
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < then.len() || j < here.len() {
        if i < then.len() && j < here.len() && then[i] == here[j] {
            out.push(format!("  {}", then[i]));
            (i, j) = (i + 1, j + 1);
        } else if j == here.len() || (i < then.len() && common[i + 1][j] >= common[i][j + 1]) {
            out.push(format!("- {}", then[i]));
            i += 1;
        } else {
            out.push(format!("+ {}", here[j]));
            j += 1;
        }
    }
    out
}

/// How many lines the rest from `[i]` on and the rest from `[j]` on have in common, in their order.
fn common(then: &[&str], here: &[&str]) -> Vec<Vec<usize>> {
    let mut table = vec![vec![0; here.len() + 1]; then.len() + 1];
    for i in (0..then.len()).rev() {
        for j in (0..here.len()).rev() {
            table[i][j] = match then[i] == here[j] {
                true => table[i + 1][j + 1] + 1,
                false => table[i + 1][j].max(table[i][j + 1]),
            };
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lines_that_differ_are_shown_among_those_that_do_not() {
        let then = json!({"a": 1, "b": [1, 2], "d": 4});
        let here = json!({"a": 1, "b": [2], "c": 3, "d": 4});
        let expected = [
            "  {",
            "    \"a\": 1,",
            "    \"b\": [",
            "-     1,",
            "      2",
            "    ],",
            "+   \"c\": 3,",
            "    \"d\": 4",
            "  }",
        ];
        assert_eq!(lines(&then, &here), expected);
        assert!(lines(&then, &then).iter().all(|line| line.starts_with("  ")));
    }
}
