//! Finds clashes: queries each pair of bodies in a scene that are near enough to clash, and classifies the clashes.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use bvtree::query::{Contact, DepthOptions, DistanceOptions, intersection_curves};
use bvtree::scene::{Body, BodyId, BodyRelation, Neighbors, Scene};
use bvtree::{BvTree, Pose, Query, SimdLevel};
use nalgebra::Point3;

use crate::assembly::Assembly;
use crate::cells::{self, Cell};
use crate::clash::{Clash, Class};
use crate::error::ClashError;
use crate::moved::shift_between;
use crate::rules::{Limits, Rules};

/// Optional details to compute for each clash.
#[derive(Clone, Copy, Debug, Default)]
pub struct Details {
    /// Whether to compute the length of a move that separates the bodies.
    pub penetration: bool,
    /// Whether to report the triangles of the deepest contact.
    pub faces: bool,
    /// Whether to compute the curves along which surfaces cross.
    pub curves: bool,
}

/// The error of a mesh's vertices from rounding to f32, as a fraction of half the diagonal of its box.
const ROUNDING: f64 = 1e-6;

/// The number of pairs of parts of one GlobalId that are compared together.
const MAX_PAIRS: usize = 1 << 16;

/// Curve ends closer than this fraction of half the diagonal of the first body's box count as one point.
const SAME_POINT: f64 = 1e-6;

/// Calls `take` with each clash, in the order of the bodies' indices, until `take` breaks. Parts of one GlobalId in two
/// files are examined, and their clashes kept in memory, before the first call. Returns the number of pairs
/// that are not reported because it is undefined whether they clash.
///
/// # Errors
/// If a scene cannot hold a body, or cannot ignore a pair of bodies.
pub fn for_each_clash(
    rules: &Rules<'_>,
    details: Details,
    simd: SimdLevel,
    take: impl FnMut(Clash) -> ControlFlow<()>,
) -> Result<usize, ClashError> {
    let assembly = rules.assembly();
    let mut scene = Scene::with_simd(simd);
    scene.include_static_pairs(true);
    let mut ids = Vec::with_capacity(assembly.parts.len());
    for part in &assembly.parts {
        let id = scene.add(Body::fixed(part.tree.clone(), part.pose));
        ids.push(id.map_err(|error| ClashError::caused(&format!("body '{}'", part.name), &error))?);
    }
    for &[a, b] in &assembly.ignored {
        let ignored = scene.set_ignored(ids[a], ids[b], true);
        ignored.map_err(|error| ClashError::caused("ignored bodies", &error))?;
    }
    Ok(for_each_clash_in(&mut scene, |id| Some(id.index()), rules, details, take))
}

/// [`for_each_clash`] for the bodies of a scene, in the scene's order; `part_of` maps a body to its index in
/// [`Assembly::parts`](crate::Assembly::parts). Bodies without such an index, and bodies that are not trees, have no
/// clashes. Pairs that the scene does not compare have none either.
pub fn for_each_clash_in(
    scene: &mut Scene,
    part_of: impl Fn(BodyId) -> Option<usize> + Sync,
    rules: &Rules<'_>,
    details: Details,
    mut take: impl FnMut(Clash) -> ControlFlow<()>,
) -> usize {
    let moved = moved_parts(scene, &part_of, rules, details);
    let known: HashSet<[BodyId; 2]> = moved.iter().map(|(ids, _)| *ids).collect();
    let mut moved = moved.into_iter().peekable();
    let undefined = AtomicUsize::new(0);
    let mut flow = ControlFlow::Continue(());
    scene.for_each_neighbor_pair(
        rules.reach().max(max_rounding(rules.assembly())),
        |query, near| {
            if known.contains(&near.ids) {
                return None;
            }
            let (pair, limits) = Pair::compared(near, &part_of, rules)?;
            let clash = pair.examine(query, limits, details)?;
            let clash = pair.moved(query, rules.assembly(), limits, &clash).unwrap_or(clash);
            if clash.class == Class::Undefined && !limits.reports.has(Class::Undefined) {
                undefined.fetch_add(1, Ordering::Relaxed);
            }
            limits.reports.has(clash.class).then_some((near.ids, Clash { rule: limits.rule, ..clash }))
        },
        |(ids, clash)| {
            let earlier = std::iter::from_fn(|| moved.next_if(|(earlier, _)| *earlier < ids)).map(|(_, clash)| clash);
            flow = earlier.chain([clash]).try_for_each(&mut take);
            flow
        },
    );
    if flow.is_continue() {
        let _ = moved.map(|(_, clash)| clash).try_for_each(take);
    }
    undefined.into_inner()
}

/// The clashes of bodies that are the same part in two files by their GlobalId, however far apart, in the order of
/// their ids.
fn moved_parts(
    scene: &mut Scene,
    part_of: &(impl Fn(BodyId) -> Option<usize> + Sync),
    rules: &Rules<'_>,
    details: Details,
) -> Vec<([BodyId; 2], Clash)> {
    let assembly = rules.assembly();
    let bodies: HashMap<usize, BodyId> = scene.bodies().filter_map(|(id, _)| Some((part_of(id)?, id))).collect();
    let mut same = assembly.same_parts().filter_map(|[a, b]| Some([*bodies.get(&a)?, *bodies.get(&b)?]));
    let mut moved = Vec::new();
    loop {
        let pairs: Vec<[BodyId; 2]> = same.by_ref().take(MAX_PAIRS).collect();
        if pairs.is_empty() {
            break;
        }
        scene.for_each_given_pair(
            &pairs,
            |query, near| {
                let (pair, limits) = Pair::compared(near, part_of, rules)?;
                if ![Class::Moved, Class::Duplicate].into_iter().any(|class| limits.reports.has(class)) {
                    return None;
                }
                let shift = pair.shift(query, assembly, limits, false)?;
                let anywhere = Limits { clearance: f64::INFINITY, may_touch: false, ..limits };
                let clash = of_same_part(pair.examine(query, anywhere, details)?, shift);
                limits.reports.has(clash.class).then_some((near.ids, Clash { rule: limits.rule, ..clash }))
            },
            |found| {
                moved.push(found);
                ControlFlow::Continue(())
            },
        );
    }
    moved.sort_by_key(|(ids, _)| *ids);
    moved
}

/// A clash of bodies that are the same part in two files, a translation of this length apart: a duplicate or a moved
/// part.
fn of_same_part(clash: Clash, shift: f64) -> Clash {
    match clash.class {
        Class::Duplicate => clash,
        _ if shift > 0.0 => Clash { class: Class::Moved, moved: Some(shift), ..clash },
        _ => Clash { class: Class::Duplicate, ..clash },
    }
}

fn rounding(tree: &BvTree) -> f64 {
    ROUNDING * tree.bounds().half_extents().norm()
}

fn max_rounding(assembly: &Assembly) -> f64 {
    let trees = assembly.parts.iter().map(|part| &part.tree).filter(|tree| tree.triangle_count() > 0);
    trees.map(|tree| rounding(tree)).fold(0.0, f64::max)
}

/// The two bodies being examined.
struct Pair<'a> {
    near: &'a Neighbors<'a>,
    parts: [usize; 2],
    trees: [&'a BvTree; 2],
    /// B's pose in A's frame.
    pose: Pose,
    /// The error of A's vertices from rounding to f32.
    rounding: f64,
}

impl<'a> Pair<'a> {
    /// The pair and its limits; `None` if a body is not a part or not a tree, or the rules do not compare them.
    fn compared(
        near: &'a Neighbors<'a>,
        part_of: impl Fn(BodyId) -> Option<usize>,
        rules: &Rules<'_>,
    ) -> Option<(Self, Limits)> {
        let [a, b] = near.ids.map(part_of);
        let parts = [a?, b?];
        let limits = rules.limits(parts[0], parts[1])?;
        let [a, b] = near.bodies.map(|body| body.geometry.tree());
        let trees = [&**a?, &**b?];
        let rounding = rounding(trees[0]);
        Some((Self { near, parts, trees, pose: near.b_to_a(), rounding }, limits))
    }

    /// The clash of the bodies; `None` if they do not clash.
    fn examine(&self, query: &mut Query, limits: Limits, details: Details) -> Option<Clash> {
        let [tree_a, tree_b] = self.trees;
        let relation = self.near.relation(query, limits.tolerance.max(self.rounding));
        match relation {
            BodyRelation::Separate => self.apart(query, limits.clearance, relation, Class::TooNear),
            BodyRelation::Undefined => {
                let clash = self.apart(query, f64::INFINITY, relation, Class::Undefined)?;
                let is_near = !limits.reports.has(Class::Undefined) && clash.distance <= limits.clearance;
                Some(Clash { class: if is_near { Class::TooNear } else { Class::Undefined }, ..clash })
            }
            BodyRelation::Coincident => Some(self.coincident(query)),
            BodyRelation::Touching if limits.may_touch => None,
            BodyRelation::Touching => Some(self.in_contact(query, relation, details)),
            BodyRelation::AInB | BodyRelation::BInA | BodyRelation::Crossing => {
                // An overlap within rounding errors is not worth computing to one percent.
                let absolute_tolerance = self.rounding.max(0.01 * limits.tolerance);
                let options = DepthOptions { absolute_tolerance, ..DepthOptions::default() };
                let overlap = query.overlap_depth(tree_a, tree_b, &self.pose, &options).ok();
                // An open mesh has no inside; the length of a move that separates the bodies replaces the depth.
                let searches = details.penetration || overlap.is_none() && limits.tolerance > 0.0;
                let penetration = if searches { self.penetration(query) } else { None };
                let depth = overlap.map(|overlap| overlap.upper);
                let is_touching = depth.or(penetration).is_some_and(|depth| depth <= limits.tolerance);
                if is_touching && limits.may_touch {
                    return None;
                }
                let mut clash = match (is_touching, relation) {
                    (true, _) => self.in_contact(query, BodyRelation::Touching, details),
                    (false, BodyRelation::Crossing) => self.in_contact(query, relation, details),
                    (false, _) => self.enveloped(query, relation),
                };
                let deepest = overlap.and_then(|overlap| overlap.deepest);
                if let Some(deepest) = deepest.filter(|_| clash.class != Class::Enveloped) {
                    clash.place = self.world(&deepest.point);
                    clash.points = [clash.place; 2];
                }
                Some(Clash { depth, penetration: penetration.filter(|_| details.penetration), ..clash })
            }
        }
    }

    /// The clash of bodies that are the same part in two files, as a duplicate or a moved part; `None` for other
    /// bodies, and for a clash that already is a duplicate.
    fn moved(&self, query: &mut Query, assembly: &Assembly, limits: Limits, clash: &Clash) -> Option<Clash> {
        if clash.class == Class::Duplicate {
            return None;
        }
        let is_hard = matches!(clash.class, Class::Enveloped | Class::Piercing | Class::Protruding);
        let shift = self.shift(query, assembly, limits, is_hard)?;
        Some(of_same_part(clash.clone(), shift))
    }

    /// See [`shift_between`].
    fn shift(&self, query: &mut Query, assembly: &Assembly, limits: Limits, overlap: bool) -> Option<f64> {
        let parts = self.parts.map(|part| &assembly.parts[part]);
        shift_between(query, self.near, parts, overlap, limits.tolerance.max(self.rounding))
    }

    fn world(&self, point: &Point3<f64>) -> Point3<f64> {
        let pose = &self.near.bodies[0].pose;
        Point3::from(pose.rotation() * point.coords + pose.translation())
    }

    /// A clash located between the closest points, if they are no farther apart than the clearance.
    fn apart(&self, query: &mut Query, clearance: f64, relation: BodyRelation, class: Class) -> Option<Clash> {
        let [a, b] = self.trees;
        let options = DistanceOptions { upper_bound: clearance, ..DistanceOptions::default() };
        let found = query.distance_with(a, b, &self.pose, &options)?;
        let points = [found.on_a, found.on_b].map(|point| self.world(&point));
        let place = nalgebra::center(&points[0], &points[1]);
        let (distance, faces) = (found.distance, Some(found.faces));
        Some(Clash { relation, distance, points, faces, ..Clash::at(self.parts, class, place) })
    }

    fn enveloped(&self, query: &mut Query, relation: BodyRelation) -> Clash {
        let [a, b] = self.trees;
        let pairs = query.count_pairs(a, b, &self.pose);
        let clash = self.apart(query, f64::INFINITY, relation, Class::Enveloped);
        Clash { pairs, ..clash.unwrap_or_else(|| self.at_middle(relation, Class::Enveloped)) }
    }

    fn coincident(&self, query: &mut Query) -> Clash {
        let [a, b] = self.trees;
        let pairs = query.count_pairs(a, b, &self.pose);
        Clash { pairs, ..self.at_middle(BodyRelation::Coincident, Class::Duplicate) }
    }

    /// A clash located at the center of the first body's box.
    fn at_middle(&self, relation: BodyRelation, class: Class) -> Clash {
        Clash { relation, ..Clash::at(self.parts, class, self.world(&self.trees[0].bounds().center())) }
    }

    /// A clash located at the deepest of the places where surfaces touch or cross; at the center of the first body's
    /// box if there is none.
    fn in_contact(&self, query: &mut Query, relation: BodyRelation, details: Details) -> Clash {
        let [a, b] = self.trees;
        let (contacts, patches) = query.contacts_with_patches(a, b, &self.pose);
        let is_touching = relation == BodyRelation::Touching;
        let curves = if details.curves || !is_touching { self.curves(&contacts) } else { Vec::new() };
        let class = match separate_curves(&curves, SAME_POINT * a.bounds().half_extents().norm()) {
            _ if is_touching => Class::Touching,
            0 | 1 => Class::Protruding,
            _ => Class::Piercing,
        };
        let deepest = patches.iter().max_by(|p, q| p.depth.total_cmp(&q.depth));
        let place = deepest.map_or_else(|| self.at_middle(relation, class).place, |patch| self.world(&patch.point));
        let curves = if details.curves { curves } else { Vec::new() };
        let first = deepest.and_then(|patch| patch.contacts.first()).filter(|_| details.faces);
        let faces = first.and_then(|&first| Some(contacts.get(first)?.faces));
        Clash { relation, pairs: contacts.len() as u64, faces, curves, ..Clash::at(self.parts, class, place) }
    }

    /// The contacts' intersection curves, in the world; a closed curve ends at its first point.
    fn curves(&self, contacts: &[Contact]) -> Vec<Vec<Point3<f64>>> {
        let lines = intersection_curves(contacts).into_iter();
        lines
            .map(|line| {
                let mut points: Vec<_> = line.points.iter().map(|point| self.world(point)).collect();
                if line.is_closed {
                    points.extend(points.first().copied());
                }
                points
            })
            .collect()
    }

    /// The length of a move that separates the bodies; `None` if none was found.
    fn penetration(&self, query: &mut Query) -> Option<f64> {
        let [a, b] = self.trees;
        query.penetration(a, b, &self.pose).map(|found| found.upper_bound)
    }
}

/// The number of connected groups of curves, where curves with a common end are connected.
fn separate_curves(curves: &[Vec<Point3<f64>>], same_point: f64) -> usize {
    // Near ends are in one cell or in neighbouring ones, in spite of rounding.
    let edge = 2.0 * same_point;
    let mut cells: HashMap<Cell, Vec<(Point3<f64>, usize)>> = HashMap::new();
    // Links each curve to another of its group; a root links to itself.
    let mut links: Vec<usize> = (0..curves.len()).collect();
    let mut count = curves.len();
    for (curve, points) in curves.iter().enumerate() {
        for end in points.first().into_iter().chain(points.last()) {
            let mut is_new = true;
            let cell = cells::of(end, edge);
            for &(point, other) in cells::around(cell).filter_map(|cell| cells.get(&cell)).flatten() {
                if (point - end).norm() <= same_point {
                    is_new &= point != *end;
                    let [a, b] = [curve, other].map(|curve| root(&mut links, curve));
                    count -= usize::from(a != b);
                    links[a.max(b)] = a.min(b);
                }
            }
            if is_new {
                cells.entry(cell).or_default().push((*end, curve));
            }
        }
    }
    count
}

/// The root of a curve's group. Halves the path to it.
fn root(links: &mut [usize], mut curve: usize) -> usize {
    while links[curve] != curve {
        links[curve] = links[links[curve]];
        curve = links[curve];
    }
    curve
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bvtree::{BuildOptions, Mesh};
    use nalgebra::Vector3;

    use super::*;
    use crate::assembly::Part;
    use crate::rules::add_json;

    const PIPE: &str = "2O2Fr$t4X7Zf8NOew3FNtn";
    const DUCT: &str = "1hOSvn6df7F8_7GcBWlRGQ";

    fn tree(corners: &[Point3<f64>], faces: &[[u32; 3]]) -> Arc<BvTree> {
        let corners = corners.iter().map(|corner| corner.cast()).collect();
        let mesh = Mesh::from_arrays(corners, faces.to_vec()).unwrap();
        Arc::new(BvTree::build(&mesh, &BuildOptions::default()).unwrap())
    }

    /// A closed prism of height 1 over a right triangle, turned by an angle about z.
    fn prism(angle: f64) -> Arc<BvTree> {
        let turn = nalgebra::Rotation3::from_axis_angle(&Vector3::z_axis(), angle);
        let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
        let corners: Vec<_> =
            (0..6).map(|i| turn * Point3::from([corners[i % 3][0], corners[i % 3][1], (i / 3) as f64])).collect();
        let faces = [[0, 2, 1], [3, 4, 5], [0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4], [2, 0, 3], [2, 3, 5]];
        tree(&corners, &faces)
    }

    /// A closed cube with its least corner at the origin.
    fn cube(size: f64) -> Arc<BvTree> {
        let corners: Vec<_> =
            (0..8).map(|i| Point3::from([i & 1, i >> 1 & 1, i >> 2].map(|k| size * f64::from(k)))).collect();
        let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let faces: Vec<_> = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        tree(&corners, &faces)
    }

    fn at(x: f64) -> Pose {
        Pose::from_translation(Vector3::new(x, 0.0, 0.0)).unwrap()
    }

    /// Bodies with a tree, a pose, a file and a GlobalId, which is also the class.
    fn assembly(bodies: &[(&Arc<BvTree>, Pose, &str, &str)]) -> Assembly {
        let mut assembly = Assembly::default();
        for (index, &(tree, pose, file, id)) in bodies.iter().enumerate() {
            let properties = [("GlobalId", id), ("file", file), ("class", id)];
            let properties = properties.map(|(key, value)| (key.to_owned(), value.to_owned())).into();
            let (name, tree) = (index.to_string(), tree.clone());
            assembly.add(Part { name, tree, pose, groups: Vec::new(), properties }).unwrap();
        }
        assembly
    }

    fn clashes(assembly: &Assembly, limits: Limits) -> Vec<Clash> {
        let mut found = Vec::new();
        let rules = Rules::new(assembly, limits);
        for_each_clash(&rules, Details::default(), SimdLevel::detect(), |clash| {
            found.push(clash);
            ControlFlow::Continue(())
        })
        .unwrap();
        found
    }

    fn classes(clashes: &[Clash]) -> Vec<([usize; 2], Class)> {
        clashes.iter().map(|clash| (clash.parts, clash.class)).collect()
    }

    #[test]
    fn a_part_of_one_id_has_moved_however_far() {
        let pipe = cube(0.1);
        let mut moved = assembly(&[(&pipe, at(0.0), "a", PIPE), (&pipe, at(0.17), "b", PIPE)]);
        let found = clashes(&moved, Limits::default());
        assert_eq!(classes(&found), [([0, 1], Class::Moved)]);
        assert!((found[0].moved.unwrap() - 0.17).abs() < 1e-6 && (found[0].distance - 0.07).abs() < 1e-6, "{found:?}");
        assert!(found[0].relation == BodyRelation::Separate && found[0].faces.is_some());

        // Rules and ignored pairs apply.
        let rule = |rule: &str| format!(r#"{{"rules": [{{"between": ["*", "*"], {rule}}}]}}"#);
        for (text, count) in [("\"report\": \"touching\"", 0), ("\"ignore\": true", 0), ("\"report\": \"moved\"", 1)] {
            moved.rules.clear();
            add_json(&rule(text), "rules", &mut moved).unwrap();
            let found = clashes(&moved, Limits::default());
            assert_eq!(found.len(), count, "{text}");
            assert!(found.iter().all(|clash| clash.rule == Some(0)));
        }
        moved.ignore(0, 1);
        assert!(clashes(&moved, Limits::default()).is_empty());

        // One file; another shape; a GlobalId that identifies no body of its file.
        let larger = cube(0.11);
        for others in [
            &[(&pipe, at(0.17), "a", PIPE)][..],
            &[(&larger, at(0.17), "b", PIPE)],
            &[(&pipe, at(0.17), "b", DUCT)],
            &[(&pipe, at(0.17), "b", PIPE), (&pipe, at(0.37), "b", PIPE)],
        ] {
            let bodies = [&[(&pipe, at(0.0), "a", PIPE)], others].concat();
            assert_eq!(classes(&clashes(&assembly(&bodies), Limits::default())), [], "{others:?}");
        }

        // A part that touches its former place, where bodies may touch.
        let touching = assembly(&[(&pipe, at(0.0), "a", PIPE), (&pipe, at(0.1), "b", PIPE)]);
        let found = clashes(&touching, Limits { may_touch: true, ..Limits::default() });
        assert_eq!(classes(&found), [([0, 1], Class::Moved)]);
    }

    #[test]
    fn moved_parts_come_in_the_order_of_the_bodies() {
        let cube = cube(1.0);
        let bodies = [
            (&cube, at(0.0), "a", PIPE),
            (&cube, at(0.5), "a", "one"),
            (&cube, at(20.0), "a", DUCT),
            (&cube, at(5.0), "b", PIPE),
            (&cube, at(5.25), "b", "other"),
            (&cube, at(30.0), "b", DUCT),
            (&cube, at(0.0), "b", "last"),
        ];
        let found = clashes(&assembly(&bodies), Limits::default());
        let parts: Vec<_> = found.iter().map(|clash| clash.parts).collect();
        assert_eq!(parts, [[0, 1], [0, 3], [0, 6], [1, 6], [2, 5], [3, 4]]);
        assert_eq!(found.iter().filter(|clash| clash.class == Class::Moved).count(), 2);
        let mut first = Vec::new();
        let (assembly, limits) = (assembly(&bodies), Limits::default());
        for_each_clash(&Rules::new(&assembly, limits), Details::default(), SimdLevel::detect(), |clash| {
            first.push(clash.parts);
            if first.len() == 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
        assert_eq!(first, parts[..2]);
    }

    #[test]
    fn flat_duplicates_within_the_tolerance_are_found_in_any_direction() {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from);
        let square = tree(&corners, &[[0, 1, 2], [0, 2, 3]]);
        for angle in [0.0, 0.25, 0.5] {
            let turned = |z: f64| {
                let turn =
                    Pose::from_axis_angle(&Vector3::x(), angle * std::f64::consts::PI, Vector3::zeros()).unwrap();
                Pose::new(*turn.rotation(), turn.rotation() * Vector3::new(0.0, 0.0, z)).unwrap()
            };
            let both = assembly(&[(&square, turned(0.0), "a", "one"), (&square, turned(0.0005), "a", "two")]);
            let limits = Limits { tolerance: 0.002, ..Limits::default() };
            assert_eq!(classes(&clashes(&both, limits)), [([0, 1], Class::Duplicate)], "{angle}");
            assert_eq!(classes(&clashes(&both, Limits::default())), [], "{angle}");
        }
    }

    #[test]
    fn a_part_that_was_exported_in_another_frame_has_moved() {
        let angle = std::f64::consts::FRAC_PI_4;
        let shift = Vector3::new(0.1, 0.0, 0.0);
        let pose = Pose::from_axis_angle(&Vector3::z(), angle, shift).unwrap();
        let (here, there) = (prism(0.0), prism(-angle));
        let both = assembly(&[(&here, Pose::identity(), "a", "wall"), (&there, pose, "b", "wall")]);
        let found = clashes(&both, Limits::default());
        assert_eq!(classes(&found), [([0, 1], Class::Moved)]);
        assert!((found[0].moved.unwrap() - 0.1).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn curves_with_a_common_end_are_one() {
        // Every choice of two ends among few points, some of which are a little apart.
        let point = |k: usize| Point3::new((k / 2) as f64 + 0.001 * (k % 2) as f64, 0.0, -5.0);
        for seed in 0..500_usize {
            let random = |i: usize| (seed * 7919 + i * 104_729) % 9973 % 16;
            let count = seed % 9;
            let curves: Vec<_> = (0..count).map(|i| vec![point(random(2 * i)), point(random(2 * i + 1))]).collect();
            // The least number of a curve that each is connected to.
            let mut groups: Vec<usize> = (0..count).collect();
            for _ in 0..count {
                for (i, j) in (0..count).flat_map(|i| (0..count).map(move |j| (i, j))) {
                    let are_near = |p: &Point3<f64>| curves[j].iter().any(|q| (p - q).norm() <= 0.0015);
                    if curves[i].iter().any(are_near) {
                        groups[i] = groups[i].min(groups[j]);
                    }
                }
            }
            let expected = (0..count).filter(|&i| groups[i] == i).count();
            assert_eq!(separate_curves(&curves, 0.0015), expected, "{curves:?}");
        }
        // A plate pierced by many pins, whose curves lie in one plane.
        let pin = |i: i32| vec![Point3::new(f64::from(i % 300), f64::from(i / 300), 0.0); 2];
        let mut pins: Vec<_> = (0..90_000).map(pin).collect();
        assert_eq!(separate_curves(&pins, 1e-6), 90_000);
        pins.push([0, 1].map(|i| pin(i)[0]).to_vec());
        assert_eq!(separate_curves(&pins, 1e-6), 89_999);
        assert_eq!(separate_curves(&pins[..3], 0.0), 3);
    }
}
