//! Results of scene queries, as rows of structured arrays.

use bvtree::scene::NearPair;
use numpy::{Element, PyArrayDescr};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::answer::{Record, dtype, record};
use crate::records::{ManifoldRow, NONE, OverlapDepthRow, PenetrationDepthRow, faces};

record! {
    /// Two bodies near each other, with their closest points.
    NearRow {
        a: i64 = "i8",
        b: i64 = "i8",
        distance: f64 = "f8",
        on_a: [f64; 3] = "3f8",
        on_b: [f64; 3] = "3f8",
        face_a: i64 = "i8",
        face_b: i64 = "i8",
        part_a: i64 = "i8",
        part_b: i64 = "i8",
    }
}

record! {
    /// Two bodies that overlap, and the depth of their overlap.
    OverlapRow {
        a: i64 = "i8",
        b: i64 = "i8",
        lower: f64 = "f8",
        upper: f64 = "f8",
        point: [f64; 3] = "3f8",
        way_out: [f64; 3] = "3f8",
        is_on_b: i64 = "i8",
        part_a: i64 = "i8",
        part_b: i64 = "i8",
    }
}

impl Default for OverlapRow {
    fn default() -> Self {
        Self::new([NONE; 2], [NONE; 2], OverlapDepthRow::default())
    }
}

impl Record for OverlapRow {}

impl OverlapRow {
    pub fn new([a, b]: [i64; 2], [part_a, part_b]: [i64; 2], depth: OverlapDepthRow) -> Self {
        let OverlapDepthRow { lower, upper, point, way_out, is_on_b } = depth;
        Self { a, b, lower, upper, point, way_out, is_on_b, part_a, part_b }
    }
}

record! {
    /// Two bodies whose interiors overlap, and how far one has to move.
    PenetrationRow {
        a: i64 = "i8",
        b: i64 = "i8",
        lower: f64 = "f8",
        upper: f64 = "f8",
        translation: [f64; 3] = "3f8",
    }
}

impl Default for PenetrationRow {
    fn default() -> Self {
        Self::new([NONE; 2], PenetrationDepthRow::default())
    }
}

impl Record for PenetrationRow {}

impl PenetrationRow {
    pub fn new([a, b]: [i64; 2], depth: PenetrationDepthRow) -> Self {
        let PenetrationDepthRow { lower, upper, translation } = depth;
        Self { a, b, lower, upper, translation }
    }
}

record! {
    /// A point of a contact manifold of two bodies.
    BodyManifoldRow {
        a: i64 = "i8",
        b: i64 = "i8",
        manifold: i64 = "i8",
        normal: [f64; 3] = "3f8",
        on_a: [f64; 3] = "3f8",
        on_b: [f64; 3] = "3f8",
        depth: f64 = "f8",
        face_a: i64 = "i8",
        face_b: i64 = "i8",
        id: i64 = "i8",
        part_a: i64 = "i8",
        part_b: i64 = "i8",
    }
}

impl Default for BodyManifoldRow {
    fn default() -> Self {
        Self::new([NONE; 2], [NONE; 2], ManifoldRow::default())
    }
}

impl Record for BodyManifoldRow {}

impl BodyManifoldRow {
    pub fn new([a, b]: [i64; 2], [part_a, part_b]: [i64; 2], point: ManifoldRow) -> Self {
        let ManifoldRow { manifold, normal, on_a, on_b, depth, face_a, face_b, id } = point;
        Self { a, b, manifold, normal, on_a, on_b, depth, face_a, face_b, id, part_a, part_b }
    }
}

impl Default for NearRow {
    fn default() -> Self {
        let nowhere = [f64::NAN; 3];
        Self {
            a: NONE,
            b: NONE,
            distance: f64::INFINITY,
            on_a: nowhere,
            on_b: nowhere,
            face_a: NONE,
            face_b: NONE,
            part_a: NONE,
            part_b: NONE,
        }
    }
}

impl Record for NearRow {
    fn is_none(&self) -> bool {
        self.a == NONE
    }
}

impl NearRow {
    pub fn new([a, b]: [i64; 2], pair: &NearPair) -> Self {
        let ([face_a, face_b], [part_a, part_b]) = (faces(&pair.faces), parts(pair.parts));
        let [on_a, on_b] = pair.points.map(Into::into);
        Self { a, b, distance: pair.distance, on_a, on_b, face_a, face_b, part_a, part_b }
    }
}

/// Converts parts to signed numbers like faces.
pub fn parts(parts: [u32; 2]) -> [i64; 2] {
    parts.map(i64::from)
}

record! {
    /// First impact of two bodies.
    MeetingRow {
        a: i64 = "i8",
        b: i64 = "i8",
        time: f64 = "f8",
        distance: f64 = "f8",
        on_a: [f64; 3] = "3f8",
        on_b: [f64; 3] = "3f8",
        normal: [f64; 3] = "3f8",
        face_a: i64 = "i8",
        face_b: i64 = "i8",
        part_a: i64 = "i8",
        part_b: i64 = "i8",
    }
}

impl Default for MeetingRow {
    fn default() -> Self {
        let none = [0.0; 3];
        Self {
            a: NONE,
            b: NONE,
            time: f64::INFINITY,
            distance: f64::NAN,
            on_a: none,
            on_b: none,
            normal: none,
            face_a: NONE,
            face_b: NONE,
            part_a: NONE,
            part_b: NONE,
        }
    }
}

impl Record for MeetingRow {}

record! {
    /// Hit of a ray on a body.
    BodyHitRow {
        body: i64 = "i8",
        time: f64 = "f8",
        point: [f64; 3] = "3f8",
        normal: [f64; 3] = "3f8",
        face: i64 = "i8",
        part: i64 = "i8",
    }
}

impl Default for BodyHitRow {
    fn default() -> Self {
        let nowhere = [f64::NAN; 3];
        Self { body: NONE, time: f64::INFINITY, point: nowhere, normal: nowhere, face: NONE, part: NONE }
    }
}

impl Record for BodyHitRow {
    fn is_none(&self) -> bool {
        self.body == NONE
    }
}

record! {
    /// The point of all bodies that is closest to a query point.
    BodyPointRow {
        body: i64 = "i8",
        distance: f64 = "f8",
        point: [f64; 3] = "3f8",
        face: i64 = "i8",
        part: i64 = "i8",
    }
}

impl Default for BodyPointRow {
    fn default() -> Self {
        Self { body: NONE, distance: f64::INFINITY, point: [f64::NAN; 3], face: NONE, part: NONE }
    }
}

impl Record for BodyPointRow {
    fn is_none(&self) -> bool {
        self.body == NONE
    }
}
