//! Finds clashes: queries every pair of bodies that is near enough in a scene, and classifies each clash.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use bvtree::query::{Contact, DepthOptions, DistanceOptions, FacePair, intersection_curves};
use bvtree::scene::{Body, BodyRelation, Neighbors, Scene};
use bvtree::{BvTree, Pose, Query, SimdLevel};
use nalgebra::Point3;

use crate::commands::clash::assembly::Assembly;
use crate::commands::clash::rules::{Limits, Rules};
use crate::commands::clash::status::{Decision, Status};
use crate::error::CliError;

/// Two bodies that clash. Points are in world coordinates.
#[derive(Clone, Debug)]
pub struct Clash {
    /// The indices of the bodies, the smaller first.
    pub parts: [usize; 2],
    pub class: Class,
    /// The index of the rule that was broken, in [`Assembly::rules`].
    pub rule: Option<usize>,
    pub relation: BodyRelation,
    /// How many pairs of triangles intersect.
    pub pairs: u64,
    pub distance: f64,
    /// The upper bound of the overlap depth; `None` if a mesh is open, or nothing overlaps.
    pub depth: Option<f64>,
    /// The length of a move that separates the bodies, if requested.
    pub penetration: Option<f64>,
    /// The clash's position: the deepest point of contact, or the midpoint of the closest points.
    pub place: Point3<f64>,
    /// The closest points of both bodies.
    pub points: [Point3<f64>; 2],
    /// The triangles at `place`, if requested; `None` for duplicates.
    pub faces: Option<FacePair>,
    /// The curves along which the surfaces cross, if requested.
    pub curves: Vec<Vec<Point3<f64>>>,
    /// The decision of the team about the clash.
    pub decision: Option<Decision>,
}

impl Clash {
    pub fn is_ignored(&self) -> bool {
        self.decision.as_ref().is_some_and(|decision| decision.status == Status::Ignored)
    }

    /// The severity of the clash, for comparisons. Duplicates and enveloped bodies come first; then overlaps, those of
    /// unknown depth before the others by their depth; then contacts; then bodies apart, by their distance.
    pub fn severity(&self) -> (u8, f64) {
        match self.class {
            Class::Duplicate | Class::Enveloped => (4, 0.0),
            Class::Piercing | Class::Protruding => self.depth.or(self.penetration).map_or((3, 0.0), |depth| (2, depth)),
            Class::Touching => (1, 0.0),
            Class::TooNear | Class::Undefined => (0, -self.distance),
        }
    }
}

/// The kind of a clash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Both bodies are the same.
    Duplicate,
    /// One body is inside the other.
    Enveloped,
    /// Surfaces cross in two or more separate places, as a pipe through a wall does.
    Piercing,
    /// Surfaces cross in one place.
    Protruding,
    Touching,
    /// The bodies are apart by less than the clearance.
    TooNear,
    /// One body is within the bounds of a mesh that has holes.
    Undefined,
}

impl Class {
    pub const ALL: [Class; 7] = [
        Class::Duplicate,
        Class::Enveloped,
        Class::Piercing,
        Class::Protruding,
        Class::Touching,
        Class::TooNear,
        Class::Undefined,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Class::Duplicate => "duplicate",
            Class::Enveloped => "enveloped",
            Class::Piercing => "piercing",
            Class::Protruding => "protruding",
            Class::Touching => "touching",
            Class::TooNear => "too_near",
            Class::Undefined => "undefined",
        }
    }
}

/// Optional details to compute for each clash.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Whether to search for a move that separates bodies.
    pub penetration: bool,
    /// Whether to name the triangles that clash at the reported place.
    pub faces: bool,
    pub curves: bool,
}

/// The relative error of a mesh's vertices from rounding to f32.
const ROUNDING: f64 = 1e-6;

/// Curve ends closer than this fraction of a body's size count as one point.
const SAME_POINT: f64 = 1e-6;

/// Calls `take` with each clash, in the order of the bodies' indices, until it breaks. Returns the number of pairs that
/// are left out because it is undefined whether they clash.
pub fn for_each_clash(
    assembly: &Assembly,
    rules: &Rules<'_>,
    wanted: Wanted,
    simd: SimdLevel,
    mut take: impl FnMut(Clash) -> ControlFlow<()>,
) -> Result<usize, CliError> {
    let undefined = AtomicUsize::new(0);
    let mut scene = Scene::with_simd(simd);
    scene.include_static_pairs(true);
    let mut ids = Vec::with_capacity(assembly.parts.len());
    for part in &assembly.parts {
        let id = scene.add(Body::fixed(part.tree.clone(), part.pose));
        ids.push(id.map_err(|error| CliError::caused(format!("body '{}'", part.name), &error))?);
    }
    for &[a, b] in &assembly.ignored {
        scene.set_ignored(ids[a], ids[b], true).map_err(|error| CliError::caused("ignored bodies", &error))?;
    }
    scene.for_each_neighbor_pair(
        rules.reach(),
        |query, near| {
            let limits = rules.limits(near.ids[0].index(), near.ids[1].index())?;
            let clash = examine(query, near, limits, wanted)?;
            if clash.class == Class::Undefined && !limits.reports.has(Class::Undefined) {
                undefined.fetch_add(1, Ordering::Relaxed);
            }
            limits.reports.has(clash.class).then_some(Clash { rule: limits.rule, ..clash })
        },
        &mut take,
    );
    Ok(undefined.into_inner())
}

/// The clash of two bodies; `None` if they do not clash.
fn examine(query: &mut Query, near: &Neighbors<'_>, limits: Limits, wanted: Wanted) -> Option<Clash> {
    let [Some(tree_a), Some(tree_b)] = near.bodies.map(|body| body.geometry.tree()) else { return None };
    let rounding = ROUNDING * tree_a.bounds().half_extents().norm();
    let same_within = limits.tolerance.max(rounding);
    let relation = near.relation(query, same_within);
    let pair = Pair { near, trees: [tree_a, tree_b], pose: near.b_to_a() };
    match relation {
        BodyRelation::Separate => pair.apart(query, limits.clearance, relation, Class::TooNear),
        BodyRelation::Undefined => {
            let clash = pair.apart(query, f64::INFINITY, relation, Class::Undefined)?;
            let is_near = !limits.reports.has(Class::Undefined) && clash.distance <= limits.clearance;
            Some(Clash { class: if is_near { Class::TooNear } else { Class::Undefined }, ..clash })
        }
        BodyRelation::Coincident => Some(pair.coincident(query)),
        BodyRelation::Touching if limits.may_touch => None,
        BodyRelation::Touching => Some(pair.in_contact(query, relation, wanted)),
        BodyRelation::AInB | BodyRelation::BInA | BodyRelation::Crossing => {
            // An overlap by rounding errors is not worth the search for one percent of it.
            let absolute_tolerance = rounding.max(0.01 * limits.tolerance);
            let options = DepthOptions { absolute_tolerance, ..DepthOptions::default() };
            let overlap = query.overlap_depth(tree_a, tree_b, &pair.pose, &options).ok();
            // An open mesh has no inside; the length of a move that separates the bodies replaces the depth.
            let searches = wanted.penetration || overlap.is_none() && limits.tolerance > 0.0;
            let penetration = if searches { pair.penetration(query) } else { None };
            let depth = overlap.map(|overlap| overlap.upper);
            let is_touching = depth.or(penetration).is_some_and(|depth| depth <= limits.tolerance);
            if is_touching && limits.may_touch {
                return None;
            }
            let mut clash = match (is_touching, relation) {
                (true, _) => pair.in_contact(query, BodyRelation::Touching, wanted),
                (false, BodyRelation::Crossing) => pair.in_contact(query, relation, wanted),
                (false, _) => pair.enveloped(query, relation),
            };
            let deepest = overlap.and_then(|overlap| overlap.deepest);
            if let Some(deepest) = deepest.filter(|_| clash.class != Class::Enveloped) {
                clash.place = pair.world(&deepest.point);
                clash.points = [clash.place; 2];
            }
            Some(Clash { depth, penetration: penetration.filter(|_| wanted.penetration), ..clash })
        }
    }
}

/// The two bodies being examined.
struct Pair<'a> {
    near: &'a Neighbors<'a>,
    trees: [&'a BvTree; 2],
    pose: Pose,
}

impl Pair<'_> {
    fn parts(&self) -> [usize; 2] {
        self.near.ids.map(|id| id.index())
    }

    fn world(&self, point: &Point3<f64>) -> Point3<f64> {
        let pose = &self.near.bodies[0].pose;
        Point3::from(pose.rotation() * point.coords + pose.translation())
    }

    /// A clash at the closest points, if they are no farther apart than the clearance.
    fn apart(&self, query: &mut Query, clearance: f64, relation: BodyRelation, class: Class) -> Option<Clash> {
        let [a, b] = self.trees;
        let options = DistanceOptions { upper_bound: clearance, ..DistanceOptions::default() };
        let found = query.distance_with(a, b, &self.pose, &options)?;
        let points = [found.on_a, found.on_b].map(|point| self.world(&point));
        let place = nalgebra::center(&points[0], &points[1]);
        let (distance, faces) = (found.distance, Some(found.faces));
        let clash = Clash { class, relation, distance, points, faces, ..self.at(place) };
        Some(clash)
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

    /// A clash at the center of the first body's box.
    fn at_middle(&self, relation: BodyRelation, class: Class) -> Clash {
        Clash { relation, class, ..self.at(self.world(&self.trees[0].bounds().center())) }
    }

    /// A clash of which only the place is known.
    fn at(&self, place: Point3<f64>) -> Clash {
        Clash {
            parts: self.parts(),
            class: Class::Undefined,
            rule: None,
            relation: BodyRelation::Undefined,
            pairs: 0,
            distance: 0.0,
            depth: None,
            penetration: None,
            place,
            points: [place; 2],
            faces: None,
            curves: Vec::new(),
            decision: None,
        }
    }

    /// A clash at the deepest of the places where surfaces touch or cross.
    fn in_contact(&self, query: &mut Query, relation: BodyRelation, wanted: Wanted) -> Clash {
        let [a, b] = self.trees;
        let (contacts, patches) = query.contacts_with_patches(a, b, &self.pose);
        let is_touching = relation == BodyRelation::Touching;
        let curves = if wanted.curves || !is_touching { self.curves(&contacts) } else { Vec::new() };
        let class = match separate_curves(&curves, SAME_POINT * a.bounds().half_extents().norm()) {
            _ if is_touching => Class::Touching,
            0 | 1 => Class::Protruding,
            _ => Class::Piercing,
        };
        let deepest = patches.iter().max_by(|p, q| p.depth.total_cmp(&q.depth));
        let place = deepest.map_or_else(|| self.at_middle(relation, class).place, |patch| self.world(&patch.point));
        let curves = if wanted.curves { curves } else { Vec::new() };
        let first = deepest.and_then(|patch| patch.contacts.first()).filter(|_| wanted.faces);
        let faces = first.and_then(|&first| Some(contacts.get(first)?.faces));
        Clash { class, relation, pairs: contacts.len() as u64, faces, curves, ..self.at(place) }
    }

    /// The contacts' intersection curves, in the world; a closed one ends where it begins.
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

    /// The length of a move found to separate the bodies.
    fn penetration(&self, query: &mut Query) -> Option<f64> {
        let [a, b] = self.trees;
        query.penetration(a, b, &self.pose).map(|found| found.upper_bound)
    }
}

/// The number of groups of curves that share no end with each other.
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
