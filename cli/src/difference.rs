//! What is different between two values, line by line.

use serde_json::Value;

/// Lines that are compared with each other, one side's times the other's, without those that both begin and end with:
/// 8 MiB of memory.
const MOST: usize = 1 << 20;

/// Lines of the one with `-`, of the other with `+`, of both with a blank. Where too much differs, how many lines it is.
pub(crate) fn lines(then: &Value, here: &Value) -> Vec<String> {
    let text = |value| serde_json::to_string_pretty(value).unwrap_or_default();
    let (then, here) = (text(then), text(here));
    let (then, here): (Vec<&str>, Vec<&str>) = (then.lines().collect(), here.lines().collect());
    let begin = then.iter().zip(&here).take_while(|(then, here)| then == here).count();
    let rest = then[begin..].iter().rev().zip(here[begin..].iter().rev());
    let end = rest.take_while(|(then, here)| then == here).count();
    let both = |lines: &[&str]| lines.iter().map(|line| format!("  {line}")).collect::<Vec<_>>();
    let mut out = both(&then[..begin]);
    out.extend(between(&then[begin..then.len() - end], &here[begin..here.len() - end]));
    out.extend(both(&then[then.len() - end..]));
    out
}

fn between(then: &[&str], here: &[&str]) -> Vec<String> {
    if then.len().saturating_mul(here.len()) > MOST {
        return vec![format!("- {} lines", then.len()), format!("+ {} lines", here.len())];
    }
    let common = common(then, here);
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

    #[test]
    fn what_both_begin_and_end_with_takes_no_table_and_what_differs_too_much_is_counted() {
        let list = |from: usize, to: usize| json!((from..to).collect::<Vec<_>>());
        let mut other = list(0, 100_000);
        other[50_000] = json!("x");
        let told = lines(&list(0, 100_000), &other);
        let changed: Vec<&String> = told.iter().filter(|line| !line.starts_with("  ")).collect();
        assert_eq!(changed, ["-   50000,", "+   \"x\","]);
        let told = lines(&list(0, 100_000), &list(100_000, 200_000));
        assert_eq!(told, ["  [", "- 100000 lines", "+ 100000 lines", "  ]"]);
    }
}
