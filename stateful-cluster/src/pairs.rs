//! A map with keys that are no strings travels as a list of pairs.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;

pub(crate) fn serialize<K: Serialize, V: Serialize, S: Serializer>(
    map: &BTreeMap<K, V>,
    to: S,
) -> Result<S::Ok, S::Error> {
    to.collect_seq(map)
}

pub(crate) fn deserialize<'de, K, V, D>(from: D) -> Result<BTreeMap<K, V>, D::Error>
where
    K: Deserialize<'de> + Ord,
    V: Deserialize<'de>,
    D: Deserializer<'de>,
{
    Ok(Vec::<(K, V)>::deserialize(from)?.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use crate::fixture::{healthy, settled, uid};
    use crate::timer::Timer;
    use crate::{Memory, Observation, decide};

    #[test]
    fn a_look_is_read_back_whole_and_leads_to_the_same_plan() {
        let mut seen = healthy(3);
        seen.refuse(3);
        seen.gone(1);
        seen.ripen(Timer::Unhealthy(uid(0)));
        let text = serde_json::to_string(&(&seen, settled(3))).unwrap();
        let (again, memory): (Observation, Memory) = serde_json::from_str(&text).unwrap();
        assert_eq!(again, seen);
        assert_eq!(decide(&again, &memory), decide(&seen, &settled(3)));
    }
}
