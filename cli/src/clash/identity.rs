//! Names for clashes that stay from one run to the next.

use xxhash_rust::xxh3::Xxh3;

/// A UUID (version 8, RFC 9562) made of two bodies' names, in whatever order, and of what it is for.
pub fn id(names: [&str; 2], purpose: &str) -> String {
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
    use super::id;

    #[test]
    fn ids_depend_on_the_names_and_not_on_their_order() {
        assert_eq!(id(["a", "b"], ""), id(["b", "a"], ""));
        assert_ne!(id(["a", "b"], ""), id(["a", "b"], "viewpoint"));
        assert_ne!(id(["ab", "c"], ""), id(["a", "bc"], ""));
        let id = id(["pump-1", "wall"], "");
        assert_eq!((id.len(), &id[14..15]), (36, "8"));
        assert!("89ab".contains(&id[19..20]));
    }
}
