//! The settings of a policy, a line each.

use serde_json::Value;

/// What is known of each setting; the schema itself is in the JSON.
pub(super) fn lines(schema: &Value) -> Vec<String> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return Vec::new() };
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|all| all.iter().any(|one| one == name));
    let line = |(name, of): (&String, &Value)| {
        let kind = of.get("type").map(words).unwrap_or_default();
        let mut told = vec![kind];
        told.extend(is_required(name).then(|| "required".to_owned()));
        told.extend(of.get("default").map(|default| format!("default {default}")));
        told.retain(|word| !word.is_empty());
        let about = of.get("description").and_then(Value::as_str).unwrap_or_default();
        let about = about.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = format!("{name} ({}) {about}", told.join(", "));
        line.replace(" () ", " ").trim_end().to_owned()
    };
    properties.iter().map(line).collect()
}

fn words(kind: &Value) -> String {
    match kind {
        Value::String(one) => one.clone(),
        Value::Array(several) => several.iter().map(words).collect::<Vec<_>>().join(" or "),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_setting_has_its_type_whether_it_is_needed_and_what_it_means() {
        let schema = json!({"type": "object", "required": ["b"], "properties": {
            "a": {"type": ["boolean", "null"], "default": false, "description": "Means\n  this."},
            "b": {"type": "string"},
            "c": {},
        }});
        assert_eq!(
            lines(&schema),
            ["a (boolean or null, default false) Means this.", "b (string, required)", "c"]
        );
        assert_eq!(lines(&json!({"type": "object"})), [""; 0]);
    }
}
