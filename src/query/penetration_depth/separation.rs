//! Translations that separate the solids: an upper bound on the penetration depth.

use std::ops::ControlFlow;

use nalgebra::{Point3, Unit, Vector3, center};
use smallvec::SmallVec;

use super::super::{Query, QueryStats, Relation, TimeOfImpact};
use super::inner_point::Solids;
use crate::numeric::error_bounds::LENGTH_FACTOR;
use crate::pose::{Motion, Pose};
use crate::traversal::{PosedTrees, TraversalPolicy};
use crate::tree::BvTree;
use crate::triangle::Triangle;

/// The shortest translation so far that separates the solids.
pub(super) struct Separation<'a> {
    query: &'a mut Query,
    trees: [&'a BvTree; 2],
    pose: &'a Pose,
    pub(super) solids: Solids<'a>,
    pub(super) translation: Vector3<f64>,
    /// The translation's length, in A's unit; infinite before one is found.
    pub(super) length: f64,
    pub(super) work: QueryStats,
    /// The directions that `along` has tried.
    tried: Vec<Vector3<f64>>,
}

/// A half space of translations that the solids' contact allows: those whose dot product with the normal is at least
/// the offset.
#[derive(Clone, Copy)]
struct Constraint {
    normal: Vector3<f64>,
    offset: f64,
}

/// The number of contacts along which a translation slides while it is shortened, at most.
const MAX_SLIDES: usize = 8;

/// A common part of a face of A and a face of B.
struct CommonFace {
    /// A point of the part.
    middle: Point3<f64>,
    /// The normal of A's face, of length 1.
    normal: Vector3<f64>,
    /// Whether the normal of B's face has the same direction.
    is_alike: bool,
}

/// The number of contacts whose normals are tried, at most.
const MAX_NORMALS: usize = 16;

/// The number of contacts from which an inner point is sought, at most.
const MAX_POINTS: usize = 4;

/// The number of common faces beside which an overlap is sought, at most: of those whose normals are alike, and of the
/// others.
const MAX_FACES: usize = 16;

impl<'a> Separation<'a> {
    pub(super) fn new(query: &'a mut Query, trees: [&'a BvTree; 2], pose: &'a Pose) -> Self {
        Self {
            solids: Solids::new(trees, pose, query.traversal.level),
            query,
            trees,
            pose,
            translation: Vector3::zeros(),
            length: f64::INFINITY,
            work: QueryStats::default(),
            tried: Vec::new(),
        }
    }

    pub(super) fn is_interrupted(&mut self) -> bool {
        self.query.traversal.interrupt.step().is_break()
    }

    /// Tries translations along the directions that [`Query::penetration`] tries.
    pub(super) fn along_many_directions(&mut self) {
        let posed = PosedTrees::new(self.trees, self.pose);
        let mut normals = Vec::new();
        for [a, b] in self.contacts(&posed, MAX_NORMALS) {
            normals.extend([a.scaled_normal(), -b.scaled_normal()]);
        }
        let best = self.query.least_exit(&posed, normals);
        self.work += self.query.stats;
        if let Some(best) = best {
            self.beyond(&best.direction, best.upper_bound);
        }
    }

    /// Tries a translation along a direction, unless a direction at an angle of less than `angle` radians to this one
    /// has been tried.
    pub(super) fn along(&mut self, direction: Vector3<f64>, angle: f64) {
        let Some(direction) = Unit::try_new(direction, 0.0) else { return };
        if self.tried.iter().any(|tried| (tried - *direction).norm() < angle) {
            return;
        }
        self.tried.push(*direction);
        let posed = PosedTrees::new(self.trees, self.pose);
        let exit = self.query.last_exit(&posed, &direction, self.length);
        self.work += self.query.stats;
        if let Some(exit) = exit.filter(|exit| exit.depth < self.length) {
            self.beyond(&direction, exit.depth);
        }
    }

    /// Lengthens a translation along a direction in growing steps until it separates the solids, then shortens it.
    fn beyond(&mut self, direction: &Unit<Vector3<f64>>, length: f64) {
        let mut beyond = self.solids.rounding;
        while beyond < length.max(1e3 * self.solids.rounding) {
            let translation = direction.into_inner() * (length + beyond);
            if self.offer(translation) {
                return self.slide(translation);
            }
            beyond *= 4.0;
        }
    }

    /// Accepts a translation if it separates the solids and is shorter than the best; returns whether it separates the
    /// solids.
    fn offer(&mut self, translation: Vector3<f64>) -> bool {
        let is_free = self.is_free(&translation);
        if is_free {
            self.accept(translation);
        }
        is_free
    }

    /// Accepts a translation that separates the solids, if it is shorter than the best.
    fn accept(&mut self, translation: Vector3<f64>) {
        let length = translation.norm() * LENGTH_FACTOR;
        if length < self.length {
            (self.translation, self.length) = (translation, length);
        }
    }

    fn at(&self, translation: &Vector3<f64>) -> Pose {
        Pose::unchecked(*self.pose.rotation(), self.pose.translation() + translation)
    }

    /// Whether the interiors do not overlap after a translation.
    pub(super) fn is_free(&mut self, translation: &Vector3<f64>) -> bool {
        let relation = self.query.relation(self.trees[0], self.trees[1], &self.at(translation));
        self.work += self.query.stats;
        match relation {
            Relation::Separate => true,
            Relation::Touching => !self.coincide(translation),
            _ => false,
        }
    }

    /// Whether the interiors of solids that touch after a translation overlap nevertheless. As neither surface has a
    /// part inside the other solid, only common faces bound such an overlap, and both insides are on the same side of
    /// them.
    fn coincide(&mut self, translation: &Vector3<f64>) -> bool {
        let pose = self.at(translation);
        let posed = PosedTrees::new(self.trees, &pose);
        let mut faces = Vec::new();
        self.work += self.query.for_each_leaf_pair(&posed, TraversalPolicy::ALL, &mut |a, b| {
            faces.extend(CommonFace::of(&posed.pair(a, b)));
            ControlFlow::Continue(())
        });
        // Of common faces with opposite normals, the insides are on the same side only if a shell is inside out.
        let (alike, opposite): (Vec<_>, Vec<_>) = faces.into_iter().partition(|face| face.is_alike);
        let beside = 4.0 * self.solids.rounding;
        spread(&alike, MAX_FACES).chain(spread(&opposite, MAX_FACES)).any(|CommonFace { middle, normal, .. }| {
            let points = [beside, -beside].map(|height| middle + normal * height);
            points.iter().any(|point| self.solids.overlap_at(point, translation))
        })
    }

    /// Some points at which the surfaces meet after a translation, and points between them; a vertex of each mesh if
    /// the surfaces don't meet.
    pub(super) fn contact_points(&mut self, translation: &Vector3<f64>) -> Vec<Point3<f64>> {
        let pose = self.at(translation);
        let posed = PosedTrees::new(self.trees, &pose);
        let contacts = self.contacts(&posed, MAX_POINTS);
        let mut points: Vec<_> = contacts.iter().map(|[a, b]| a.closest_points(b).on_a).collect();
        let between: Vec<_> = points.windows(2).map(|two| center(&two[0], &two[1])).collect();
        points.extend(between);
        if points.is_empty() {
            points.extend([0, 1].map(|side| posed.triangle(side, 0).vertices[0]));
        }
        points
    }

    /// Up to `count` pairs of triangles that intersect, spread evenly over all such pairs.
    fn contacts(&mut self, posed: &PosedTrees<'_>, count: usize) -> Vec<[Triangle; 2]> {
        let mut pairs = Vec::new();
        self.work += self.query.for_each_leaf_pair(posed, TraversalPolicy::ALL, &mut |a, b| {
            pairs.push([a, b]);
            ControlFlow::Continue(())
        });
        spread(&pairs, count).map(|&[a, b]| posed.pair(a, b)).collect()
    }

    /// Accepts a translation that separates the solids, if it is shorter than the best, and shortens it further.
    pub(super) fn shorten(&mut self, translation: Vector3<f64>) {
        if translation.norm() < self.length {
            self.accept(translation);
            self.slide(translation);
        }
    }

    /// Shortens a translation that separates the solids until contacts stop it: each step goes straight toward the
    /// shortest translation that the contacts so far allow.
    fn slide(&mut self, mut translation: Vector3<f64>) {
        let mut constraints: SmallVec<[Constraint; MAX_SLIDES]> = SmallVec::new();
        let mut goal = Vector3::zeros();
        for _ in 0..MAX_SLIDES {
            let motion = Motion::new(self.at(&translation), self.at(&goal));
            let found = self.query.time_of_impact(self.trees[0], self.trees[1], &motion, self.solids.rounding);
            self.work += self.query.stats;
            let contact = match found {
                Ok(TimeOfImpact::Impact(contact) | TimeOfImpact::Touching(contact)) => contact,
                Ok(TimeOfImpact::NoImpact) => {
                    self.offer(goal);
                    return;
                }
                Err(_) => return,
            };
            // Keep a little off the contact, along which the next move slides.
            translation += (goal - translation) * contact.time + contact.normal * (4.0 * self.solids.rounding);
            self.offer(translation);
            if contact.normal == Vector3::zeros() {
                return;
            }
            constraints.push(Constraint { normal: contact.normal, offset: contact.normal.dot(&translation) });
            goal = shortest(&constraints);
            if goal.norm() >= translation.norm() * (1.0 - 1e-3) {
                return;
            }
        }
    }
}

impl CommonFace {
    /// The common part of two triangles; `None` if it has no area.
    fn of([a, b]: &[Triangle; 2]) -> Option<Self> {
        let common = a.intersection(b);
        if common.len() < 3 {
            return None;
        }
        let normal = a.scaled_normal().try_normalize(0.0)?;
        let sum: Vector3<f64> = common.iter().map(|point| point.coords).sum();
        let middle = Point3::from(sum / common.len() as f64);
        Some(Self { middle, normal, is_alike: normal.dot(&b.scaled_normal()) > 0.0 })
    }
}

/// Up to `count` of the items, spread evenly over all.
fn spread<T>(items: &[T], count: usize) -> impl Iterator<Item = &T> {
    items.iter().step_by(items.len().div_ceil(count).max(1))
}

/// The shortest vector that all constraints allow, among those that one, two or three of them determine; zero if there
/// is none.
fn shortest(constraints: &[Constraint]) -> Vector3<f64> {
    let mut best = None;
    let mut offer = |vector: Vector3<f64>| {
        let allowed = |c: &Constraint| c.normal.dot(&vector) >= c.offset - 1e-9 * c.offset.abs();
        if best.is_none_or(|best: Vector3<f64>| vector.norm() < best.norm()) && constraints.iter().all(allowed) {
            best = Some(vector);
        }
    };
    for (i, p) in constraints.iter().enumerate() {
        offer(p.normal * p.offset);
        for (j, q) in constraints[..i].iter().enumerate() {
            let along = p.normal.cross(&q.normal);
            if along.norm_squared() < 1e-12 {
                continue;
            }
            let on_line =
                (q.normal.cross(&along) * p.offset + along.cross(&p.normal) * q.offset) / along.norm_squared();
            offer(on_line);
            for r in &constraints[..j] {
                let slope = along.dot(&r.normal);
                if slope.abs() > 1e-6 {
                    offer(on_line + along * ((r.offset - on_line.dot(&r.normal)) / slope));
                }
            }
        }
    }
    best.unwrap_or_default()
}
