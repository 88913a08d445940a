//! Ids of clashes, which are stable between runs.

use xxhash_rust::xxh3::Xxh3;

/// A UUID (version 8, RFC 9562) computed from the identities of two bodies and a purpose, which is empty for a clash
/// itself. Equal arguments give equal ids; the order of the two bodies does not matter.
pub fn clash_id(names: [&str; 2], purpose: &str) -> String {
    let [a, b] = if names[0] <= names[1] { names } else { [names[1], names[0]] };
    let mut hasher = Xxh3::new();
    for text in [a, b, purpose] {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    let bits = hasher.digest128();
    let bits = bits & !(0xf << 76) & !(0x3 << 62) | 0x8 << 76 | 0x2 << 62;
    let hex = format!("{bits:032x}");
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::clash_id;

    #[test]
    fn ids_depend_on_the_names_and_not_on_their_order() {
        assert_eq!(clash_id(["a", "b"], ""), clash_id(["b", "a"], ""));
        assert_ne!(clash_id(["a", "b"], ""), clash_id(["a", "b"], "viewpoint"));
        assert_ne!(clash_id(["ab", "c"], ""), clash_id(["a", "bc"], ""));
        let id = clash_id(["pump-1", "wall"], "");
        assert_eq!((id.len(), &id[14..15]), (36, "8"));
        assert!("89ab".contains(&id[19..20]));
    }
}
