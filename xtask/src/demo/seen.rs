//! What is read out of the objects of the cluster.

use serde_json::Value;

/// Stands behind the position of data on which something was started since.
pub(crate) const BEFORE_START: &str = " before its last start";

/// A member as the operator's status tells of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Member {
    /// Primary, Secondary, Stopped, Failed, Down or Unknown; empty if there is no pod.
    pub(crate) state: String,
    /// The position of its data, or a bound of it.
    pub(crate) reading: String,
    /// What it waits for.
    pub(crate) waits: String,
}

// === impl Member ===

impl Member {
    /// The position, if it was read while nothing ran on the data.
    pub(crate) fn standing(&self) -> Option<&str> {
        let bound = self.reading.starts_with("at least ") || self.reading.ends_with(BEFORE_START);
        (!bound && !self.reading.is_empty()).then_some(&self.reading)
    }

    pub(crate) fn serves(&self) -> bool {
        matches!(self.state.as_str(), "Primary" | "Secondary")
    }
}

/// A position for people: of its histories the first characters do to tell them apart.
pub(crate) fn short(position: &str) -> String {
    let one = |part: &str| match part.split_once(':') {
        Some((history, numbers)) => format!("{}:{numbers}", history.chars().take(8).collect::<String>()),
        None => part.to_owned(),
    };
    position.split(',').map(one).collect::<Vec<_>>().join(",")
}

/// A member by its name.
pub(crate) fn member(set: &Value, name: &str) -> Member {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = |list: &str| set["status"][list].as_array().cloned().unwrap_or_default();
    let state = all("replicaStates").into_iter().find(|state| state["name"] == name).unwrap_or_default();
    // What is being done says more than what is in its way; of that, the first. Its name stands before it already.
    let holds: Vec<_> = all("holds").into_iter().filter(|hold| hold["scope"] == name).collect();
    let under_way = holds.iter().find(|hold| hold["reason"] == "UnderWay");
    let hold = under_way.or(holds.first()).cloned().unwrap_or_default();
    let waits = text(&hold["message"]);
    let waits = waits.strip_prefix(&format!("{name} ")).unwrap_or(&waits).to_owned();
    Member { state: text(&state["appState"]), reading: text(&state["reading"]), waits }
}

/// Whether every member that is wanted serves, by the newest generation.
pub(crate) fn is_ready(set: &Value) -> bool {
    let is_newest = set["status"]["observedGeneration"] == set["metadata"]["generation"];
    is_newest && condition(set, "Ready").is_some_and(|ready| ready["status"] == "True")
}

/// What the operator does or waits for, in its own words.
pub(crate) fn operator(set: &Value) -> String {
    let at_work = ["Stalled", "Reconciling"].into_iter().filter_map(|kind| condition(set, kind));
    let said: Vec<_> = at_work
        .filter(|condition| condition["status"] == "True")
        .filter_map(|condition| condition["message"].as_str().filter(|message| !message.is_empty()))
        .collect();
    if said.is_empty() { "nothing is left to do".to_owned() } else { said.join("; ") }
}

/// A condition by its type.
pub(crate) fn condition<'a>(set: &'a Value, kind: &str) -> Option<&'a Value> {
    set["status"]["conditions"].as_array()?.iter().find(|condition| condition["type"] == kind)
}

/// Whether the first container of a pod runs.
pub(crate) fn runs(pod: &Value) -> bool {
    pod["status"]["containerStatuses"][0]["state"]["running"].is_object()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_a_reading_of_data_at_rest_is_a_position() {
        let standing = |reading: &str| {
            Member { reading: reading.to_owned(), ..Member::default() }.standing().map(str::to_owned)
        };
        assert_eq!(standing("4711").as_deref(), Some("4711"));
        for bound in ["at least 4711", "4711 before its last start", ""] {
            assert_eq!(standing(bound), None);
        }
    }

    #[test]
    fn a_history_is_told_by_its_first_characters() {
        let whole = "6f9ad2e0-c5f1-11f0-8d4a-0a1b2c3d4e5f:0-4711";
        assert_eq!((short(whole).as_str(), short("4711").as_str()), ("6f9ad2e0:0-4711", "4711"));
    }

    #[test]
    fn a_member_is_told_with_what_it_waits_for() {
        let set = json!({"status": {
            "replicaStates": [{"name": "rss-x-0", "appState": "Stopped", "reading": "7"}],
            "holds": [
                {"scope": "set", "message": "a"},
                {"scope": "rss-x-0", "message": "rss-x-0 has no pod"},
                {"scope": "rss-x-0", "message": "c"},
            ],
        }});
        let member = member(&set, "rss-x-0");
        assert_eq!((member.state.as_str(), member.waits.as_str()), ("Stopped", "has no pod"));
        assert_eq!(super::member(&set, "rss-x-1"), Member::default());
    }

    #[test]
    fn what_is_under_way_says_more_than_an_answer_that_it_failed() {
        let set = json!({"status": {"holds": [
            {"scope": "rss-x-0", "reason": "NotWell", "message": "rss-x-0 says that it failed"},
            {"scope": "rss-x-0", "reason": "UnderWay", "message": "Seed of rss-x-0 is under way"},
        ]}});
        assert_eq!(member(&set, "rss-x-0").waits, "Seed of rss-x-0 is under way");
    }

    #[test]
    fn ready_counts_for_the_newest_generation_only() {
        let set = |observed: i64| {
            json!({
                "metadata": {"generation": 2},
                "status": {"observedGeneration": observed, "conditions": [{"type": "Ready", "status": "True"}]},
            })
        };
        assert!(is_ready(&set(2)) && !is_ready(&set(1)));
    }
}
