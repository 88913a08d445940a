//! A clash of two bodies, and its class.

use std::borrow::Borrow;
use std::cmp::Ordering;

use bvtree::query::FacePair;
use bvtree::scene::BodyRelation;
use nalgebra::Point3;

use crate::decision::{Change, Decision, Status};

/// Two bodies that clash. Points are in world coordinates.
#[derive(Clone, Debug)]
pub struct Clash {
    /// The indices of the bodies, the smaller first.
    pub parts: [usize; 2],
    /// The kind of the clash.
    pub class: Class,
    /// The index of the rule that was broken, in [`Assembly::rules`](crate::Assembly::rules).
    pub rule: Option<usize>,
    /// The relation of the second body to the first.
    pub relation: BodyRelation,
    /// How many pairs of triangles intersect.
    pub pairs: u64,
    /// The distance between the surfaces; 0 if they touch.
    pub distance: f64,
    /// The upper bound of the overlap depth; `None` if a mesh is open, or nothing overlaps.
    pub depth: Option<f64>,
    /// The length of a move that separates the bodies, if requested.
    pub penetration: Option<f64>,
    /// How far the second body is from where it would coincide with the first, if both are the same part.
    pub moved: Option<f64>,
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
    /// The change since an earlier report, if there is one.
    pub change: Option<Change>,
    /// The index of the clash's issue, in the order in which [`Issues`](crate::Issues) took them in.
    pub issue: usize,
}

impl Clash {
    /// A clash with a class and a place; the other fields have no value yet.
    pub fn at(parts: [usize; 2], class: Class, place: Point3<f64>) -> Self {
        Self {
            parts,
            class,
            rule: None,
            relation: BodyRelation::Undefined,
            pairs: 0,
            distance: 0.0,
            depth: None,
            penetration: None,
            moved: None,
            place,
            points: [place; 2],
            faces: None,
            curves: Vec::new(),
            decision: None,
            change: None,
            issue: 0,
        }
    }

    /// Whether the team has decided not to see the clash.
    pub fn is_ignored(&self) -> bool {
        self.decision.as_ref().is_some_and(|decision| decision.status == Status::Ignored)
    }

    /// The severity of the clash, for comparisons. Duplicates and enveloped bodies come first; then overlaps, those of
    /// unknown depth before the others by their depth; then contacts; then bodies apart, by their distance.
    fn severity(&self) -> (u8, f64) {
        match self.class {
            Class::Duplicate | Class::Moved | Class::Enveloped => (4, 0.0),
            Class::Piercing | Class::Protruding => self.depth.or(self.penetration).map_or((3, 0.0), |depth| (2, depth)),
            Class::Touching => (1, 0.0),
            Class::TooNear | Class::Undefined => (0, -self.distance),
        }
    }

    /// Sorts clashes, the worst first. Clashes that are equally bad keep their order.
    pub fn sort_worst_first<C: Borrow<Self>>(clashes: &mut [C]) {
        let severity = |clash: &C| clash.borrow().severity();
        clashes.sort_by(|a, b| severity(b).partial_cmp(&severity(a)).unwrap_or(Ordering::Equal));
    }
}

/// The kind of a clash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Both bodies are the same.
    Duplicate,
    /// Both bodies are the same part in two files, in different places.
    Moved,
    /// One body is inside the other.
    Enveloped,
    /// Surfaces cross in two or more separate places, as a pipe through a wall does.
    Piercing,
    /// Surfaces cross in one place.
    Protruding,
    /// Surfaces touch, or overlap by no more than the tolerance.
    Touching,
    /// The bodies are apart by less than the clearance.
    TooNear,
    /// One body is within the bounds of a mesh that has holes.
    Undefined,
}

impl Class {
    /// All classes.
    pub const ALL: [Class; 8] = [
        Class::Duplicate,
        Class::Moved,
        Class::Enveloped,
        Class::Piercing,
        Class::Protruding,
        Class::Touching,
        Class::TooNear,
        Class::Undefined,
    ];

    /// The class in lower case, with `_` between words.
    pub fn name(self) -> &'static str {
        match self {
            Class::Duplicate => "duplicate",
            Class::Moved => "moved",
            Class::Enveloped => "enveloped",
            Class::Piercing => "piercing",
            Class::Protruding => "protruding",
            Class::Touching => "touching",
            Class::TooNear => "too_near",
            Class::Undefined => "undefined",
        }
    }
}
