//! Finds clashes: queries each pair of bodies in a scene that are near enough to clash, and classifies the clashes.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use bvtree::query::{Contact, DepthOptions, DistanceOptions, intersection_curves};
use bvtree::scene::{Body, BodyId, BodyRelation, Neighbors, Scene};
use bvtree::{BvTree, Pose, Query, SimdLevel};
use nalgebra::Point3;

use crate::assembly::Assembly;
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

/// Curve ends closer than this fraction of half the diagonal of the first body's box count as one point.
const SAME_POINT: f64 = 1e-6;

/// Calls `take` with each clash, in the order of the bodies' indices, until `take` breaks. Returns the number of pairs
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
/// clashes.
pub fn for_each_clash_in(
    scene: &mut Scene,
    part_of: impl Fn(BodyId) -> Option<usize> + Sync,
    rules: &Rules<'_>,
    details: Details,
    mut take: impl FnMut(Clash) -> ControlFlow<()>,
) -> usize {
    let undefined = AtomicUsize::new(0);
    scene.for_each_neighbor_pair(
        rules.reach(),
        |query, near| {
            let [a, b] = near.ids.map(&part_of);
            let parts = [a?, b?];
            let limits = rules.limits(parts[0], parts[1])?;
            let pair = Pair::new(near, parts)?;
            let clash = pair.examine(query, limits, details)?;
            let clash = pair.moved(query, rules.assembly(), limits, &clash).unwrap_or(clash);
            if clash.class == Class::Undefined && !limits.reports.has(Class::Undefined) {
                undefined.fetch_add(1, Ordering::Relaxed);
            }
            limits.reports.has(clash.class).then_some(Clash { rule: limits.rule, ..clash })
        },
        &mut take,
    );
    undefined.into_inner()
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
    /// The pair, or `None` if a body is not a tree.
    fn new(near: &'a Neighbors<'a>, parts: [usize; 2]) -> Option<Self> {
        let [a, b] = near.bodies.map(|body| body.geometry.tree());
        let trees = [&**a?, &**b?];
        let rounding = ROUNDING * trees[0].bounds().half_extents().norm();
        Some(Self { near, parts, trees, pose: near.b_to_a(), rounding })
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
        let parts = self.parts.map(|part| &assembly.parts[part]);
        let is_hard = matches!(clash.class, Class::Enveloped | Class::Piercing | Class::Protruding);
        let within = limits.tolerance.max(self.rounding);
        let shift = shift_between(query, self.near, parts, is_hard, within)?;
        let (class, moved) = if shift > 0.0 { (Class::Moved, Some(shift)) } else { (Class::Duplicate, None) };
        Some(Clash { class, moved, ..clash.clone() })
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
    let mut groups: Vec<Vec<Point3<f64>>> = Vec::new();
    for curve in curves {
        let mut ends: Vec<Point3<f64>> = curve.first().into_iter().chain(curve.last()).copied().collect();
        let is_near =
            |group: &Vec<Point3<f64>>| group.iter().any(|p| ends.iter().any(|q| (p - q).norm() <= same_point));
        let (joined, others): (Vec<_>, Vec<_>) = groups.into_iter().partition(is_near);
        ends.extend(joined.into_iter().flatten());
        groups = others;
        groups.push(ends);
    }
    groups.len()
}
