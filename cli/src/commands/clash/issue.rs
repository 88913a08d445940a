//! Issues: clashes of one kind between bodies of the same two types on the same storey, which one decision settles.

use crate::commands::clash::assembly::{Assembly, Part};
use crate::commands::clash::find::{Clash, Class};

/// The title of a clash's issue, such as `hard clash: Duct 200 x Basic Wall, Level 2`.
pub fn title(assembly: &Assembly, clash: &Clash) -> String {
    let parts = clash.parts.map(|part| &assembly.parts[part]);
    let mut kinds = parts.map(|part| kind(assembly, part));
    kinds.sort_unstable();
    let mut storeys: Vec<&str> = parts.iter().filter_map(|part| part.property("storey")).collect();
    storeys.sort_unstable();
    storeys.dedup();
    let place = if storeys.is_empty() { String::new() } else { format!(", {}", storeys.join(" / ")) };
    format!("{}: {} x {}{place}", family(clash.class), kinds[0], kinds[1])
}

fn family(class: Class) -> &'static str {
    match class {
        Class::Duplicate => "duplicate",
        Class::Enveloped | Class::Piercing | Class::Protruding => "hard clash",
        Class::Touching => "touching",
        Class::TooNear => "clearance",
        Class::Undefined => "undefined",
    }
}

/// The kind of a body: its type, its class, its first group, or its name without a number at the end.
fn kind<'a>(assembly: &'a Assembly, part: &'a Part) -> &'a str {
    let group = part.groups.first().and_then(|&group| assembly.groups.get(group)).map(String::as_str);
    let known = part.property("type").or_else(|| part.property("class")).or(group);
    known.unwrap_or_else(|| {
        let title = part.title();
        let short = title.trim_end_matches(|c: char| c.is_ascii_digit() || "-_#.: ".contains(c));
        if short.is_empty() { title } else { short }
    })
}
