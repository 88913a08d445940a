//! A clash of two bodies, and its class.

use std::borrow::Borrow;

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
    /// The index of the rule that set the limits, in [`Assembly::rules`](crate::Assembly::rules).
    pub rule: Option<usize>,
    /// The relation of the two bodies: A is the first, B the second.
    pub relation: BodyRelation,
    /// The number of pairs of triangles that intersect.
    pub pairs: u64,
    /// The distance between the surfaces; 0 if they touch, cross or coincide.
    pub distance: f64,
    /// An upper bound on the overlap depth; `None` if a mesh is open, nothing overlaps, or the bodies coincide.
    pub depth: Option<f64>,
    /// The length of a move that separates the bodies, if requested; `None` unless the bodies overlap and their
    /// surfaces meet.
    pub penetration: Option<f64>,
    /// The length of the translation that makes the second body coincide with the first, if both are the same part in
    /// different places.
    pub moved: Option<f64>,
    /// The clash's position: the deepest point of contact, or the midpoint of the closest points; the center of the
    /// first body's box if the bodies coincide.
    pub place: Point3<f64>,
    /// The closest points of the two bodies, the first body's first; both are `place` if the surfaces touch or cross,
    /// or the bodies coincide.
    pub points: [Point3<f64>; 2],
    /// Two triangles of the deepest contact patch, if requested; the closest triangles where surfaces are apart; `None`
    /// for coincident bodies.
    pub faces: Option<FacePair>,
    /// The curves along which the surfaces cross, if requested.
    pub curves: Vec<Vec<Point3<f64>>>,
    /// The team's decision about the clash.
    pub decision: Option<Decision>,
    /// The change since an earlier report, if there is one.
    pub change: Option<Change>,
    /// The index of the clash's issue in [`Issues::all`](crate::Issues::all).
    pub issue: usize,
}

impl Clash {
    /// A clash with a class and a place; the other fields have default values.
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

    /// Whether the team has decided to ignore the clash.
    pub fn is_ignored(&self) -> bool {
        self.decision.as_ref().is_some_and(|decision| decision.status == Status::Ignored)
    }

    /// The severity of the clash, for comparisons. Duplicates, moved parts and enveloped bodies are the worst; then
    /// overlaps of unknown depth; then the other overlaps, the deepest first; then contacts; then bodies apart, the
    /// nearest first.
    fn severity(&self) -> (u8, f64) {
        match self.class {
            Class::Duplicate | Class::Moved | Class::Enveloped => (4, 0.0),
            Class::Piercing | Class::Protruding => self.depth.or(self.penetration).map_or((3, 0.0), |depth| (2, depth)),
            Class::Touching => (1, 0.0),
            Class::TooNear | Class::Undefined => (0, -self.distance),
        }
    }

    /// Sorts clashes, the worst first. The sort is stable.
    pub fn sort_worst_first<C: Borrow<Self>>(clashes: &mut [C]) {
        let severity = |clash: &C| clash.borrow().severity();
        clashes.sort_by(|a, b| {
            let [(class, amount), (other_class, other)] = [severity(b), severity(a)];
            class.cmp(&other_class).then(amount.total_cmp(&other))
        });
    }
}

/// The kind of a clash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Both bodies have the same shape in the same place.
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
    /// The bodies are apart, but by no more than the clearance.
    TooNear,
    /// One body is within the bounds of an open mesh, so that it is undefined whether that body is inside.
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
