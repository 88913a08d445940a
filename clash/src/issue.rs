//! Issues: groups of clashes that one decision can settle.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use nalgebra::Point3;

use crate::assembly::{Assembly, Part};
use crate::cells::{self, Cell};
use crate::clash::{Clash, Class};

/// A group of clashes of one rule and one kind, between bodies of the same two types on the same storeys. Each clash is
/// near the first of the group, or repeats another of the group: the same two meshes meet in the same relative pose.
#[derive(Clone, Debug)]
pub struct Issue {
    /// A title that is unique among the issues, such as `hard clash: Duct 200 x Basic Wall, Level 2, B-4`.
    pub title: String,
    /// The indices of the first clash's two bodies. These bodies identify the issue from one run to the next.
    pub first: [usize; 2],
    /// The number of clashes.
    pub count: usize,
    /// The number of clashes of each class, in the order of [`Class::ALL`].
    pub by_class: [usize; Class::ALL.len()],
    /// The largest overlap depth of the issue's clashes; `None` if none is known.
    pub depth: Option<f64>,
    /// The indices of the bodies that clash.
    pub parts: HashSet<usize>,
}

/// Groups clashes into issues, one clash after the other.
#[derive(Debug)]
pub struct Issues {
    /// The largest distance, along each axis, between a clash and the first clash of its issue.
    reach: f64,
    issues: Vec<Issue>,
    /// The issues by kind and rule, and by the cell of edge length `reach` that holds their first clash.
    places: HashMap<String, Cells>,
    /// The issue of each kind, rule and relative pose of two meshes.
    repeated: HashMap<(String, Meeting), usize>,
    /// The titles of all issues, with the last number that made a title like it unique, or else 1.
    titles: HashMap<String, usize>,
}

/// For each cell, the issues whose first clash is in it, with the place of that clash.
type Cells = HashMap<Cell, Vec<(usize, Point3<f64>)>>;

/// Two trees, by address, and the pose of the second in the first's frame, rounded. Clashes with equal meetings repeat
/// one arrangement of two meshes. Of the two orders of the bodies, it is the one with the smaller numbers.
type Meeting = ([usize; 2], [i64; 12]);

impl Issues {
    /// The step to which relative poses are rounded before they are compared; translations are fractions of the bodies'
    /// size.
    const SAME_POSE: f64 = 1e-3;

    /// The default for `reach` in [`Issues::new`], in units of [`Assembly::cell`].
    pub const CELLS: f64 = 3.0;

    /// An empty set of issues, with the default `reach` for an assembly.
    pub fn of(assembly: &Assembly) -> Self {
        Self::new(Self::CELLS * assembly.cell())
    }

    /// An empty set of issues. The clashes of an issue are at most `reach` from its first clash along each axis, except
    /// those in which the same two meshes meet in the same relative pose as in another clash of the issue.
    pub fn new(reach: f64) -> Self {
        let (places, repeated, titles) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { reach, issues: Vec::new(), places, repeated, titles }
    }

    /// The issues, in the order of their first clashes.
    pub fn all(&self) -> &[Issue] {
        &self.issues
    }

    /// Adds a clash to the issue that it belongs to, or else to a new one, and sets [`Clash::issue`].
    pub fn add(&mut self, assembly: &Assembly, clash: &mut Clash) {
        let kind = kind_and_storey(assembly, clash);
        let key = format!("{kind}\n{}", clash.rule.map_or(String::new(), |rule| rule.to_string()));
        let meeting = (key.clone(), meeting(assembly, clash));
        let known = self.repeated.get(&meeting).copied().or_else(|| self.near(&key, &clash.place));
        let index = known.unwrap_or_else(|| self.found(kind, &key, assembly, clash));
        self.repeated.entry(meeting).or_insert(index);
        let issue = &mut self.issues[index];
        issue.count += 1;
        issue.by_class[clash.class as usize] += 1;
        issue.depth = [issue.depth, clash.depth].into_iter().flatten().reduce(f64::max);
        issue.parts.extend(clash.parts);
        clash.issue = index;
    }

    /// The index of the issue with this key whose first clash is nearest to a place; `None` if no first clash is within
    /// `reach`.
    fn near(&self, key: &str, place: &Point3<f64>) -> Option<usize> {
        let cells = self.places.get(key)?;
        let firsts = cells::around(cells::of(place, self.reach)).filter_map(|cell| cells.get(&cell)).flatten();
        let apart = firsts.map(|(index, first)| ((place - first).amax(), *index));
        apart.filter(|(apart, _)| *apart <= self.reach).min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, index)| index)
    }

    /// Adds an issue for a clash that fits no other, and returns its index.
    fn found(&mut self, kind: String, key: &str, assembly: &Assembly, clash: &Clash) -> usize {
        let axes = assembly.grid.label(&clash.place).map_or(String::new(), |axes| format!(", {axes}"));
        let title = self.unused(kind + &axes);
        let index = self.issues.len();
        let (by_class, parts) = ([0; Class::ALL.len()], HashSet::new());
        self.issues.push(Issue { title, first: clash.parts, count: 0, by_class, depth: None, parts });
        let cell = cells::of(&clash.place, self.reach);
        self.places.entry(key.to_owned()).or_default().entry(cell).or_default().push((index, clash.place));
        index
    }

    /// The title itself if no issue has it, or else with the first number that makes it unique.
    fn unused(&mut self, title: String) -> String {
        let mut number = self.titles.get(&title).copied().unwrap_or_default();
        let unique = loop {
            number += 1;
            let numbered = if number == 1 { title.clone() } else { format!("{title} ({number})") };
            // A title may itself end like a numbered one, after a type's name.
            if !self.titles.contains_key(&numbered) {
                break numbered;
            }
        };
        self.titles.insert(title, number);
        self.titles.entry(unique.clone()).or_insert(1);
        unique
    }
}

fn meeting(assembly: &Assembly, clash: &Clash) -> Meeting {
    let [a, b] = clash.parts.map(|part| &assembly.parts[part]);
    let size = a.tree.bounds().half_extents().norm() + b.tree.bounds().half_extents().norm();
    let seen_from = |a: &Part, b: &Part| {
        let pose = bvtree::Pose::relative(&a.pose, &b.pose);
        let numbers = pose.rotation().iter().copied().chain(pose.translation().iter().map(|x| x / size));
        let mut rounded = [0; 12];
        rounded.iter_mut().zip(numbers).for_each(|(to, x)| *to = (x / Issues::SAME_POSE).round() as i64);
        ([a, b].map(|part| Arc::as_ptr(&part.tree).addr()), rounded)
    };
    seen_from(a, b).min(seen_from(b, a))
}

/// What an issue's clashes have in common apart from their place, such as `hard clash: Duct 200 x Basic Wall, Level 2`.
fn kind_and_storey(assembly: &Assembly, clash: &Clash) -> String {
    let parts = clash.parts.map(|part| &assembly.parts[part]);
    let mut kinds = parts.map(|part| kind(assembly, part));
    kinds.sort_unstable();
    let place = assembly.storeys(clash.parts).map_or(String::new(), |storeys| format!(", {storeys}"));
    match clash.class {
        Class::Moved if kinds[0] == kinds[1] => format!("{}: {}{place}", family(clash.class), kinds[0]),
        class => format!("{}: {} x {}{place}", family(class), kinds[0], kinds[1]),
    }
}

fn family(class: Class) -> &'static str {
    match class {
        Class::Duplicate => "duplicate",
        Class::Moved => "same part, moved",
        Class::Enveloped | Class::Piercing | Class::Protruding => "hard clash",
        Class::Touching => "touching",
        Class::TooNear => "clearance",
        Class::Undefined => "undefined",
    }
}

/// The kind of a body: the first that is known of its type, its class and its first group; or else its title without a
/// number at the end.
fn kind<'a>(assembly: &'a Assembly, part: &'a Part) -> &'a str {
    let group = part.groups.first().and_then(|&group| assembly.groups.get(group)).map(String::as_str);
    let known = part.property("type").or_else(|| part.property("class")).or(group);
    known.unwrap_or_else(|| {
        let title = part.title();
        let short = title.trim_end_matches(|c: char| c.is_ascii_digit() || "-_#.: ".contains(c));
        if short.is_empty() { title } else { short }
    })
}

#[cfg(test)]
mod tests {
    use bvtree::{BuildOptions, BvTree, Mesh};
    use nalgebra::Isometry3;

    use super::*;
    use crate::assembly::Properties;

    fn tree(size: f32) -> Arc<BvTree> {
        let corners = [[0.0, 0.0, 0.0], [size, 0.0, 0.0], [0.0, size, 0.0]].map(Point3::from);
        let mesh = Mesh::from_arrays(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
        Arc::new(BvTree::build(&mesh, &BuildOptions::default()).unwrap())
    }

    /// The number of issues of two clashes, of the bodies 0 and 1 and of the bodies 2 and 3, which are far apart.
    fn issues(bodies: [(&str, &Arc<BvTree>, f64); 4]) -> usize {
        let mut assembly = Assembly::default();
        for (name, tree, x) in bodies {
            let pose = Isometry3::translation(x, 0.0, 0.0).into();
            let (name, tree) = (name.to_owned(), tree.clone());
            assembly.add(Part { name, tree, pose, groups: Vec::new(), properties: Properties::new() }).unwrap();
        }
        let mut issues = Issues::new(1.0);
        for (parts, x) in [([0, 1], 0.0), ([2, 3], 1000.0)] {
            issues.add(&assembly, &mut Clash::at(parts, Class::Protruding, Point3::new(x, 0.0, 0.0)));
        }
        issues.all().len()
    }

    #[test]
    fn titles_are_unique_where_types_end_in_numbers() {
        let mut assembly = Assembly::default();
        for (name, kind) in [("pipe", "Pipe"), ("wall", "Wall"), ("other", "Wall (2)")] {
            let (properties, tree) = ([("type".into(), kind.into())].into(), tree(1.0));
            let (name, pose) = (name.to_owned(), bvtree::Pose::identity());
            assembly.add(Part { name, tree, pose, groups: Vec::new(), properties }).unwrap();
        }
        for order in [[1, 1, 2, 2], [2, 1, 1, 2], [2, 2, 1, 1]] {
            let mut issues = Issues::new(1.0);
            for (round, other) in order.into_iter().enumerate() {
                // Each clash of its rule, and so an issue of its own.
                let place = Point3::new(10.0 * round as f64, 0.0, 0.0);
                let clash = Clash::at([0, other], Class::Protruding, place);
                issues.add(&assembly, &mut Clash { rule: Some(round), ..clash });
            }
            let titles: HashSet<&str> = issues.all().iter().map(|issue| issue.title.as_str()).collect();
            assert_eq!((issues.all().len(), titles.len()), (4, 4), "{titles:?}");
        }
    }

    #[test]
    fn repeated_clashes_are_one_issue_in_any_order_of_the_bodies() {
        let (beam, bolt) = (tree(1.0), tree(0.25));
        let [one, other] = [("beam-0", &beam, 0.0), ("bolt-0", &bolt, 0.1)];
        let [far, far_other] = [("beam-1", &beam, 1000.0), ("bolt-1", &bolt, 1000.1)];
        assert_eq!(issues([one, other, far, far_other]), 1);
        assert_eq!(issues([one, other, far_other, far]), 1);
        // Two beams, whose kinds and trees are the same.
        let [other, far_other] = [("beam-2", &beam, 0.1), ("beam-3", &beam, 1000.1)];
        assert_eq!(issues([one, other, far_other, far]), 1);
        let nearer = ("beam-3", &beam, 1000.05);
        assert_eq!(issues([one, other, far, nearer]), 2);
    }
}
