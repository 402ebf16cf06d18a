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
    use crate::Observation;
    use crate::fixture::{name, stopped_set};
    use crate::timer::{Age, Timer};

    #[test]
    fn a_look_is_read_back_with_how_long_things_have_been_so() {
        let mut seen = stopped_set(1);
        seen.ages.insert(Timer::Leaving(name(0)), Age::Ripe);
        let text = serde_json::to_string(&seen).unwrap();
        assert_eq!(serde_json::from_str::<Observation>(&text).unwrap(), seen);
    }
}
