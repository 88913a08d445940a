//! An assembly: named bodies, each a posed tree with properties, and the rules by which they are compared.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use bvtree::shape::Aabb;
use bvtree::{BvTree, Pose};
use nalgebra::Point3;

use crate::error::ClashError;
use crate::grid::Grid;
use crate::rules::Rule;

/// A body of the assembly: a named, posed tree.
#[derive(Clone, Debug)]
pub struct Part {
    /// The name, which no other body of the assembly has.
    pub name: String,
    /// The mesh's tree.
    pub tree: Arc<BvTree>,
    /// Maps the mesh's coordinates to the world's.
    pub pose: Pose,
    /// Indices into [`Assembly::groups`].
    pub groups: Vec<usize>,
    /// The properties of the body.
    pub properties: Properties,
}

/// The properties of a body: `GlobalId`, `name`, `class`, `type`, `storey`, `file` and any others.
pub type Properties = BTreeMap<String, String>;

impl Part {
    /// The value of a property.
    pub fn property(&self, key: &str) -> Option<&str> {
        self.properties.get(key).map(String::as_str)
    }

    /// The IFC GlobalId: the property `GlobalId`, or else the last component of the body's name, without a number such
    /// as `#2` that a scene appends to repeated names. `None` if that does not have the form of a GlobalId.
    pub fn global_id(&self) -> Option<&str> {
        let last = self.name.rsplit('/').next().and_then(|last| last.split('#').next());
        self.property("GlobalId").or(last).filter(|id| is_global_id(id))
    }

    /// An axis-aligned box around the body, in the world.
    pub fn bounds(&self) -> Aabb {
        self.tree.bounds().transformed(self.pose.rotation(), self.pose.translation())
    }

    /// The name to display: the property `name`, or else the body's name.
    pub fn title(&self) -> &str {
        self.property("name").filter(|name| !name.is_empty()).unwrap_or(&self.name)
    }
}

fn is_global_id(text: &str) -> bool {
    text.len() == 22 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'$')
}

/// The bodies and rules of all manifests together.
#[derive(Debug, Default)]
pub struct Assembly {
    /// The bodies.
    pub parts: Vec<Part>,
    /// Names of groups, added by [`Assembly::group`].
    pub groups: Vec<String>,
    /// Pairs of body indices that are not compared, the smaller index first.
    pub ignored: Vec<[usize; 2]>,
    /// Rules. For two bodies, the first rule that applies to them is used.
    pub rules: Vec<Rule>,
    /// The default clearance: the largest that a manifest gives, unless a file of rules that is read later gives
    /// another.
    pub clearance: Option<f64>,
    /// The grid axes of the building, by which places in it are named.
    pub grid: Grid,
    places: HashMap<String, usize>,
    group_places: HashMap<String, usize>,
}

impl Assembly {
    /// Adds a body.
    ///
    /// # Errors
    /// If another body has this name; the assembly is then unchanged.
    pub fn add(&mut self, part: Part) -> Result<(), ClashError> {
        if self.has(&part.name) {
            return Err(ClashError::new(format!("two bodies have the name '{}'", part.name))
                .hint("reports identify bodies by name: names must be unique"));
        }
        self.places.insert(part.name.clone(), self.parts.len());
        self.parts.push(part);
        Ok(())
    }

    /// Whether there is a body with this name.
    pub fn has(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    /// The index of the body with this name; `None` if there is none.
    pub fn place(&self, name: &str) -> Option<usize> {
        self.places.get(name).copied()
    }

    /// The index of the group with this name; a new group is added.
    pub fn group(&mut self, name: &str) -> usize {
        if let Some(&known) = self.group_places.get(name) {
            return known;
        }
        self.groups.push(name.to_owned());
        self.group_places.insert(name.to_owned(), self.groups.len() - 1);
        self.groups.len() - 1
    }

    /// Whether there is a group with this name.
    pub(crate) fn has_group(&self, name: &str) -> bool {
        self.group_places.contains_key(name)
    }

    /// The text that identifies each body from one run to the next: its GlobalId if no other body has it; the GlobalId
    /// and the file if no other body of that file has it; or else the name.
    pub fn identities(&self) -> Vec<String> {
        let in_file = |part: &Part| Some(format!("{} {}", part.global_id()?, part.property("file")?));
        let mut counts: HashMap<String, usize> = HashMap::new();
        let texts = |part: &Part| [part.global_id().map(str::to_owned), in_file(part)].into_iter().flatten();
        self.parts.iter().flat_map(texts).for_each(|text| *counts.entry(text).or_default() += 1);
        let unique = |part: &Part| texts(part).find(|text| counts.get(text) == Some(&1));
        self.parts.iter().map(|part| unique(part).unwrap_or_else(|| part.name.clone())).collect()
    }

    /// The pairs of bodies that two files have under one GlobalId, in the order of the indices. A GlobalId that several
    /// bodies of a file have identifies none of these.
    pub fn same_parts(&self) -> impl Iterator<Item = [usize; 2]> {
        let mut by_id: HashMap<&str, BTreeMap<Option<&str>, Option<usize>>> = HashMap::new();
        for (index, part) in self.parts.iter().enumerate() {
            let Some(id) = part.global_id() else { continue };
            let in_file = by_id.entry(id).or_default().entry(part.property("file"));
            in_file.and_modify(|known| *known = None).or_insert(Some(index));
        }
        let mut with_id: HashMap<&str, Vec<usize>> = HashMap::new();
        for (id, files) in by_id {
            let mut bodies: Vec<usize> = files.into_values().flatten().collect();
            bodies.sort_unstable();
            with_id.insert(id, bodies);
        }
        self.parts.iter().enumerate().flat_map(move |(a, part)| {
            let bodies = part.global_id().and_then(|id| with_id.get(id)).map_or(&[][..], Vec::as_slice);
            let later = bodies.binary_search(&a).map_or(&[][..], |at| &bodies[at + 1..]);
            later.iter().map(|&b| [a, b]).collect::<Vec<_>>()
        })
    }

    /// The name of a rule, or else its number, counted from 1; `None` without a rule.
    pub fn rule_name(&self, rule: Option<usize>) -> Option<String> {
        let index = rule?;
        let name = self.rules.get(index).and_then(|rule| rule.name.clone());
        name.or_else(|| Some((index + 1).to_string()))
    }

    /// Excludes two bodies from comparison with each other.
    pub fn ignore(&mut self, a: usize, b: usize) {
        self.ignored.push([a.min(b), a.max(b)]);
    }

    /// An axis-aligned box around all bodies, in the world.
    pub fn bounds(&self) -> Aabb {
        self.parts.iter().map(Part::bounds).fold(Aabb::empty(), |all, bounds| all.union(&bounds))
    }

    /// The default edge length of the cells in which clashes are counted: the largest power of ten that is at most a
    /// tenth of the longest side of the assembly's box, or 1 if that side is 0 or not finite.
    pub fn cell(&self) -> f64 {
        let bounds = self.bounds();
        let size = if bounds.is_empty() { 0.0 } else { bounds.size().max() };
        if size > 0.0 && size.is_finite() { 10_f64.powf((size / 10.0).log10().floor()) } else { 1.0 }
    }

    /// The storeys of two bodies, as far as they are known: `Level 1 / Level 2`.
    pub fn storeys(&self, parts: [usize; 2]) -> Option<String> {
        let mut names: Vec<&str> = parts.iter().filter_map(|&part| self.parts[part].property("storey")).collect();
        names.sort_unstable();
        names.dedup();
        (!names.is_empty()).then(|| names.join(" / "))
    }

    /// The storeys of two bodies and the axes nearest to a place, as far as they are known: `Level 2, B-4`.
    pub fn location(&self, parts: [usize; 2], place: &Point3<f64>) -> Option<String> {
        let known: Vec<String> = self.storeys(parts).into_iter().chain(self.grid.label(place)).collect();
        (!known.is_empty()).then(|| known.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use bvtree::{BuildOptions, Mesh};

    use super::*;

    #[test]
    fn bodies_are_identified_by_what_they_alone_have() {
        let mesh = Mesh::from_arrays(vec![Point3::origin(); 3], vec![[0, 1, 2]]).unwrap();
        let tree = Arc::new(BvTree::build(&mesh, &BuildOptions::default()).unwrap());
        let [one, two] = ["2O2Fr$t4X7Zf8NOew3FNtn", "1hOSvn6df7F8_7GcBWlRGQ"];
        let mut assembly = Assembly::default();
        for (name, id, file) in [("a", one, "x"), ("b", two, "x"), ("c", two, "y"), ("d", two, "z"), ("e", two, "z")] {
            let properties = [("GlobalId".into(), id.into()), ("file".into(), file.into())].into();
            let (name, pose) = (name.to_owned(), Pose::identity());
            assembly.add(Part { name, tree: tree.clone(), pose, groups: Vec::new(), properties }).unwrap();
        }
        let expected = [one, &format!("{two} x"), &format!("{two} y"), "d", "e"];
        assert_eq!(assembly.identities(), expected);
        // Neither `d` nor `e` is identified by its GlobalId.
        assert_eq!(assembly.same_parts().collect::<Vec<_>>(), [[1, 2]]);

        // A body that is refused does not take the place of the one that has its name.
        let refused = assembly.parts[0].clone();
        assert!(assembly.add(refused).is_err());
        assert_eq!((assembly.place("a"), assembly.parts.len()), (Some(0), 5));
    }
}
