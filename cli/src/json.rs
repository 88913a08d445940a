//! JSON objects of given members.

use serde_json::{Map, Value};

/// An object; of members of one name the last counts. (`collect` sorts them first, with code of its own for each
/// iterator.)
pub fn object<K: Into<String>>(members: impl IntoIterator<Item = (K, Value)>) -> Map<String, Value> {
    let mut object = Map::new();
    members.into_iter().for_each(|(name, value)| {
        object.insert(name.into(), value);
    });
    object
}
