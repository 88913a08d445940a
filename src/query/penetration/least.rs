//! The penetration depth, bounded from above: the directional penetration depths along many directions, the best
//! refined.

use std::f64::consts::TAU;
use std::ops::ControlFlow;

use nalgebra::{Unit, UnitVector3, Vector3};

use crate::pose::Pose;
use crate::query::descent::DescentPolicy;
use crate::query::posed_trees::PosedTrees;
use crate::query::state::{Query, QueryStats};
use crate::tree::BvTree;

/// A translation that frees B of A.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Penetration {
    /// Its length, in A's units: an upper bound of the penetration depth, which is the least over all directions.
    pub upper_bound: f64,
    /// Its direction, in A's frame.
    pub direction: UnitVector3<f64>,
}

/// Pairs of touching triangles whose normals are tried.
const CONTACTS: usize = 32;
/// Directions all around that are tried.
const AROUND: usize = 24;
/// Normals followed from each direction, at most.
const FOLLOWED: usize = 4;
/// Angles of the refinement, in radians: the first one, and the one that ends it.
const ANGLES: [f64; 2] = [0.25, 1e-3];

impl Query {
    /// An upper bound of the penetration depth: the least of [`Query::penetration_along`] over directions that are
    /// tried and refined; `None` if the meshes don't touch.
    ///
    /// The depth is the length of the least translation that frees B (Dobkin, Hershberger, Kirkpatrick and Suri,
    /// "Computing the intersection-depth of polyhedra", 1993). Tried are about fifty directions: normals of touching
    /// triangles, the axes, the vector between the meshes' middles and directions all around. From each that is better
    /// than the best so far, the search goes on to the normal of the contact that was the last along it, a few times;
    /// then the best is varied by smaller and smaller angles. Moved by more than the bound, B is free; but a shorter
    /// translation may free it too, and for meshes that are not convex there is no limit on how much shorter.
    #[doc(alias = "penetration depth")]
    #[doc(alias = "minimum translation vector")]
    #[doc(alias = "MTV")]
    pub fn penetration(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Option<Penetration> {
        let trees = PosedTrees::new([a, b], b_to_a);
        let mut normals = Vec::with_capacity(2 * CONTACTS);
        let work = self.for_each_leaf_pair(&trees, DescentPolicy::FIRST, &mut |a, b| {
            let [triangle_a, triangle_b] = trees.pair(a, b);
            normals.extend([triangle_a.scaled_normal(), -triangle_b.scaled_normal()]);
            if normals.len() < 2 * CONTACTS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if normals.is_empty() {
            self.stats = work;
            return None;
        }
        let [middle_a, middle_b] = trees.frames.map(|frame| frame.origin.coords);
        let axes = (0..3).flat_map(|k| [Vector3::ith(k, 1.0), Vector3::ith(k, -1.0)]);
        let between = b_to_a.rotation() * middle_b + b_to_a.translation() - middle_a;
        let directions = axes.chain([between]).chain(normals).chain((0..AROUND).map(around));

        let mut search = Search { query: self, trees: &trees, best: None, work };
        for direction in directions.filter_map(|direction| Unit::try_new(direction, 0.0)) {
            search.follow(direction);
        }
        search.refine();
        let (best, work) = (search.best, search.work);
        self.stats = work;
        best
    }
}

/// Directions spread evenly: a spiral on the sphere by the golden ratio.
fn around(i: usize) -> Vector3<f64> {
    let height = 1.0 - (2.0 * i as f64 + 1.0) / AROUND as f64;
    let (sin, cos) = libm::sincos(i as f64 * TAU * 0.618_033_988_749_895);
    let radius = (1.0 - height * height).sqrt();
    Vector3::new(radius * cos, radius * sin, height)
}

struct Search<'a> {
    query: &'a mut Query,
    trees: &'a PosedTrees<'a>,
    best: Option<Penetration>,
    work: QueryStats,
}

impl Search<'_> {
    /// Takes the direction if it is better than the best; gives the normal to try next if so.
    fn offer(&mut self, direction: UnitVector3<f64>) -> Option<UnitVector3<f64>> {
        let enough = self.best.map_or(f64::INFINITY, |best| best.upper_bound);
        let exit = self.query.last_exit(self.trees, &direction, enough);
        self.work += self.query.stats;
        exit.filter(|exit| exit.depth < enough).map(|exit| {
            self.best = Some(Penetration { upper_bound: exit.depth, direction });
            Unit::new_unchecked(exit.normal)
        })
    }

    /// Along the normal the last contact is left sooner, if it stays the last.
    fn follow(&mut self, mut direction: UnitVector3<f64>) {
        for _ in 0..FOLLOWED {
            match self.offer(direction) {
                Some(normal) => direction = normal,
                None => break,
            }
        }
    }

    /// A pattern search around the best direction.
    fn refine(&mut self) {
        let [mut angle, least] = ANGLES;
        while angle > least {
            let Some(Penetration { direction, upper_bound }) = self.best else { return };
            let aside = direction.cross(&Vector3::ith(direction.iamin(), 1.0)).normalize();
            let beside = direction.cross(&aside);
            for side in [aside, -aside, beside, -beside] {
                self.follow(Unit::new_normalize(*direction + side * angle));
            }
            if self.best.is_none_or(|best| best.upper_bound >= upper_bound) {
                angle *= 0.5;
            }
        }
    }
}
