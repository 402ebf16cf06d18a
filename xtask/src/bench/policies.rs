//! What the policies of this repository take: measured by the author's own tool, which runs them as the operator does.

mod in_use;

use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::phases::{merge, rounded, target};
use crate::binary::{self, Profile};
use crate::progress::Step;
use crate::{policies, run};
pub(super) use in_use::memory;

/// The policy that is part of the operator too.
const BOTH: &str = "largest-integer";

/// The smallest. How many times as long another takes to compile is about the same on every machine.
const SMALLEST: &str = "policy-in-c";

/// What each figure shall stay under: the size and what is resident in bytes, for each further policy.
const MOST_MILLISECONDS: f64 = 60.0;
const MOST_MICROSECONDS: f64 = 50.0;
const MOST_RESIDENT: f64 = 2e6;

/// The lines about all of them.
///
/// # Errors
/// If one cannot be built or measured.
pub(super) fn lines(profile: Profile, step: &mut Step) -> Result<Vec<Value>> {
    let built = policies::write_silently(step)?;
    let tool = binary::TOOL.build(profile, step)?;
    let mut lines = Vec::new();
    for policies::Built { name, fixtures } in built {
        // One process for each: what one leaves behind is not the next one's.
        let mut tool = Command::new(&tool);
        tool.args(["policy", "bench", "-o", "json", "--fixtures"]).arg(fixtures);
        tool.arg(policies::component(&name));
        let told: Value = serde_json::from_str(&run::output(&mut tool)?)?;
        lines.extend(of(&name, &told).with_context(|| format!("not told of {name}: {told}"))?);
    }
    beside_smallest(&mut lines);
    Ok(lines)
}

/// Adds to what each takes to compile how many times that of the smallest it is.
fn beside_smallest(lines: &mut [Value]) {
    let is_compile = |line: &Value| line["what"] == "compile";
    let smallest = lines.iter().find(|line| is_compile(line) && line["policy"] == SMALLEST);
    let Some(smallest) = smallest.and_then(|line| line["milliseconds"].as_f64()) else { return };
    for line in lines.iter_mut().filter(|line| is_compile(line)) {
        line["timesSmallest"] = line["milliseconds"].as_f64().map(|took| rounded(took / smallest)).into();
    }
}

/// The lines about one. None: the tool does not tell all of it.
fn of(name: &str, told: &Value) -> Option<Vec<Value>> {
    let policy = told["policies"].get(0)?;
    let figure = |what: &str, unit: &str, value: f64, under: f64| {
        let mut line = json!({"bench": "policy", "policy": name, "what": what, unit: rounded(value)});
        merge(&mut line, Some(target(value, under)));
        line
    };
    let most_bytes = f64::from(policies::SIZE);
    let mut lines = vec![
        figure("size", "bytes", policy["size"].as_f64()?, most_bytes),
        figure("compile", "milliseconds", policy["compileMilliseconds"].as_f64()?, MOST_MILLISECONDS),
        figure("memory", "bytes", policy["resident"].as_f64()?, MOST_RESIDENT),
    ];
    for call in policy["calls"].as_array()? {
        let interface = call["interface"].as_str()?;
        let mut line = figure("call", "microseconds", call["microseconds"].as_f64()?, MOST_MICROSECONDS);
        line["interface"] = interface.into();
        if let Some(native) = told["native"][interface].as_f64().filter(|_| name == BOTH) {
            line["native"] = rounded(native).into();
        }
        lines.push(line);
    }
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_figure_has_a_line_with_what_it_shall_stay_under_and_native_stands_beside_wasm() {
        let call = json!({"interface": "seed", "microseconds": 50.1, "fuel": 9});
        let told = json!({
            "policies": [{"size": 150 << 10, "compileMilliseconds": 59.9, "resident": 600_000, "calls": [call]}],
            "native": {"seed": 1.25},
        });
        let lines = of(BOTH, &told).unwrap_or_default();
        let met: Vec<_> = lines.iter().map(|line| (line["what"].clone(), line["met"].clone())).collect();
        let expected = [("size", false), ("compile", true), ("memory", true), ("call", false)];
        assert_eq!(met, expected.map(|(what, met)| (json!(what), json!(met))));
        assert_eq!((&lines[3]["native"], &lines[3]["under"]), (&json!(1.25), &json!(50.0)));
        let other = of("galera", &told).unwrap_or_default();
        assert!(other.len() == 4 && other[3].get("native").is_none(), "{other:?}");
        assert_eq!(of(BOTH, &json!({"policies": []})), None);
    }
    #[test]
    fn what_each_takes_to_compile_stands_beside_the_smallest() {
        let line =
            |policy: &str, took: f64| json!({"what": "compile", "policy": policy, "milliseconds": took});
        let mut lines =
            [line("galera", 40.0), json!({"what": "size", "policy": SMALLEST}), line(SMALLEST, 8.0)];
        beside_smallest(&mut lines);
        assert_eq!(lines.each_ref().map(|line| line["timesSmallest"].as_f64()), [Some(5.0), None, Some(1.0)]);
        let mut alone = [line("galera", 40.0)];
        beside_smallest(&mut alone);
        assert_eq!(alone, [line("galera", 40.0)]);
    }
}
