//! Results of queries on one and two trees, as rows of structured arrays.

use bvtree::probe::ConvexContact;
use bvtree::query::{
    ClosestPair, ContactManifold, ContactPatch, DeepestPoint, DirectionalPenetration, FacePair, FreeInterval,
    HausdorffDistance, MotionContact, OverlapDepth, OverlapRegion, Penetration, PenetrationDepth,
};
use bvtree::scene::NO_FACE;
use bvtree::shape::ShapeContact;
use nalgebra::{Point3, Vector3};
use numpy::{Element, IntoPyArray, PyArrayDescr, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyTuple;

use crate::answer::{Record, dtype, record};

/// Face number that means "no face".
pub const NONE: i64 = -1;

record! {
    /// The closest points of two meshes, with their triangles.
    Closest {
        distance: f64 = "f8",
        on_a: [f64; 3] = "3f8",
        on_b: [f64; 3] = "3f8",
        face_a: i64 = "i8",
        face_b: i64 = "i8",
    }
}

impl Default for Closest {
    fn default() -> Self {
        let nowhere = [f64::NAN; 3];
        Self { distance: f64::INFINITY, on_a: nowhere, on_b: nowhere, face_a: NONE, face_b: NONE }
    }
}

impl Record for Closest {
    fn is_none(&self) -> bool {
        self.face_a == NONE
    }
}

impl From<&ClosestPair> for Closest {
    fn from(pair: &ClosestPair) -> Self {
        let [face_a, face_b] = faces(&pair.faces);
        Self { distance: pair.distance, on_a: pair.on_a.into(), on_b: pair.on_b.into(), face_a, face_b }
    }
}

record! {
    /// Intersection of two triangles.
    ContactRow {
        face_a: i64 = "i8",
        face_b: i64 = "i8",
        normal_a: [f64; 3] = "3f8",
        normal_b: [f64; 3] = "3f8",
        count: i64 = "i8",
        points: [[f64; 3]; 6] = "(6,3)f8",
    }
}

impl Default for ContactRow {
    fn default() -> Self {
        let nowhere = [f64::NAN; 3];
        Self { face_a: NONE, face_b: NONE, normal_a: nowhere, normal_b: nowhere, count: 0, points: [nowhere; 6] }
    }
}

impl Record for ContactRow {}

impl From<&bvtree::query::Contact> for ContactRow {
    fn from(contact: &bvtree::query::Contact) -> Self {
        let [face_a, face_b] = faces(&contact.faces);
        let [normal_a, normal_b] = contact.normals.map(Into::into);
        let mut row =
            Self { face_a, face_b, normal_a, normal_b, count: contact.points.len() as i64, ..Self::default() };
        for (to, point) in row.points.iter_mut().zip(&contact.points) {
            *to = (*point).into();
        }
        row
    }
}

record! {
    /// A contact patch: connected contacts as one point.
    PatchRow {
        point: [f64; 3] = "3f8",
        normal: [f64; 3] = "3f8",
        depth: f64 = "f8",
        contacts: i64 = "i8",
    }
}

impl Default for PatchRow {
    fn default() -> Self {
        Self { point: [f64::NAN; 3], normal: [f64::NAN; 3], depth: f64::NAN, contacts: 0 }
    }
}

impl Record for PatchRow {}

impl From<&ContactPatch> for PatchRow {
    fn from(patch: &ContactPatch) -> Self {
        let (point, normal) = (patch.point.into(), patch.normal.into());
        Self { point, normal, depth: patch.depth, contacts: patch.contacts.len() as i64 }
    }
}

record! {
    /// A point of a contact manifold.
    ManifoldRow {
        manifold: i64 = "i8",
        normal: [f64; 3] = "3f8",
        on_a: [f64; 3] = "3f8",
        on_b: [f64; 3] = "3f8",
        depth: f64 = "f8",
        face_a: i64 = "i8",
        face_b: i64 = "i8",
        id: i64 = "i8",
    }
}

impl Default for ManifoldRow {
    fn default() -> Self {
        let nowhere = [f64::NAN; 3];
        let (depth, face_a, face_b) = (f64::NAN, NONE, NONE);
        Self { manifold: NONE, normal: nowhere, on_a: nowhere, on_b: nowhere, depth, face_a, face_b, id: 0 }
    }
}

impl Record for ManifoldRow {}

impl ManifoldRow {
    /// The rows of a manifold's points, with the manifold's number.
    pub fn of((number, manifold): (i64, &ContactManifold)) -> impl Iterator<Item = Self> {
        manifold.points.iter().map(move |point| {
            let [face_a, face_b] = faces(&point.faces);
            let (on_a, on_b) = (point.on_a.into(), point.on_b.into());
            let (normal, id) = (manifold.normal.into(), point.id.cast_signed());
            Self { manifold: number, normal, on_a, on_b, depth: point.depth, face_a, face_b, id }
        })
    }
}

record! {
    /// The contact of A, a mesh or a shape, and B, a shape.
    ContactOfShapes {
        distance: f64 = "f8",
        on_a: [f64; 3] = "3f8",
        on_b: [f64; 3] = "3f8",
        normal: [f64; 3] = "3f8",
        face_a: i64 = "i8",
        face_b: i64 = "i8",
    }
}

impl Default for ContactOfShapes {
    fn default() -> Self {
        let nowhere = [f64::NAN; 3];
        Self { distance: f64::INFINITY, on_a: nowhere, on_b: nowhere, normal: nowhere, face_a: NONE, face_b: NONE }
    }
}

impl Record for ContactOfShapes {
    fn is_none(&self) -> bool {
        self.distance == f64::INFINITY
    }
}

impl From<ConvexContact> for ContactOfShapes {
    fn from(contact: ConvexContact) -> Self {
        Self {
            distance: contact.distance,
            on_a: contact.on_mesh.into(),
            on_b: contact.on_shape.into(),
            normal: contact.normal.into(),
            face_a: contact.face.into(),
            face_b: NONE,
        }
    }
}

impl From<ShapeContact> for ContactOfShapes {
    fn from(contact: ShapeContact) -> Self {
        Self {
            distance: contact.distance,
            on_a: contact.on_a.into(),
            on_b: contact.on_b.into(),
            normal: contact.normal.into(),
            ..Self::default()
        }
    }
}

record! {
    /// The point of a mesh or shape that is farthest along a direction.
    Support {
        point: [f64; 3] = "3f8",
        face: i64 = "i8",
    }
}

impl Default for Support {
    fn default() -> Self {
        Self { point: [f64::NAN; 3], face: NONE }
    }
}

impl Record for Support {
    fn is_none(&self) -> bool {
        self.point[0].is_nan()
    }
}

record! {
    /// A translation that separates B from A.
    PenetrationRow {
        upper_bound: f64 = "f8",
        direction: [f64; 3] = "3f8",
    }
}

impl Default for PenetrationRow {
    fn default() -> Self {
        Self { upper_bound: f64::NAN, direction: [f64::NAN; 3] }
    }
}

impl Record for PenetrationRow {
    fn is_none(&self) -> bool {
        self.upper_bound.is_nan()
    }
}

impl From<Penetration> for PenetrationRow {
    fn from(found: Penetration) -> Self {
        Self { upper_bound: found.upper_bound, direction: found.direction.into_inner().into() }
    }
}

record! {
    /// The first interval of translations along a direction at which B is free.
    FreeIntervalRow {
        start: f64 = "f8",
        end: f64 = "f8",
    }
}

impl Default for FreeIntervalRow {
    fn default() -> Self {
        Self { start: f64::NAN, end: f64::NAN }
    }
}

impl Record for FreeIntervalRow {}

impl From<FreeInterval> for FreeIntervalRow {
    fn from(FreeInterval { start, end }: FreeInterval) -> Self {
        Self { start, end }
    }
}

record! {
    /// The overlap depth of two solids, as an interval.
    OverlapDepthRow {
        lower: f64 = "f8",
        upper: f64 = "f8",
        point: [f64; 3] = "3f8",
        way_out: [f64; 3] = "3f8",
        is_on_b: i64 = "i8",
    }
}

impl Default for OverlapDepthRow {
    fn default() -> Self {
        Self { lower: f64::NAN, upper: f64::NAN, point: [f64::NAN; 3], way_out: [f64::NAN; 3], is_on_b: 0 }
    }
}

impl Record for OverlapDepthRow {}

impl From<OverlapDepth> for OverlapDepthRow {
    fn from(OverlapDepth { lower, upper, deepest }: OverlapDepth) -> Self {
        let row = Self { lower, upper, ..Self::default() };
        deepest.map_or(row, |DeepestPoint { point, way_out, is_on_b }| Self {
            point: point.into(),
            way_out: way_out.into(),
            is_on_b: i64::from(is_on_b),
            ..row
        })
    }
}

record! {
    /// A region in which two solids overlap, with its depth as an interval.
    OverlapRegionRow {
        lower: f64 = "f8",
        upper: f64 = "f8",
        point: [f64; 3] = "3f8",
        way_out: [f64; 3] = "3f8",
        is_on_b: i64 = "i8",
        bounds: [[f64; 3]; 2] = "(2, 3)f8",
    }
}

impl Default for OverlapRegionRow {
    fn default() -> Self {
        let OverlapDepthRow { lower, upper, point, way_out, is_on_b } = OverlapDepthRow::default();
        Self { lower, upper, point, way_out, is_on_b, bounds: [[f64::NAN; 3]; 2] }
    }
}

impl Record for OverlapRegionRow {}

impl From<&OverlapRegion> for OverlapRegionRow {
    fn from(region: &OverlapRegion) -> Self {
        let OverlapDepthRow { lower, upper, point, way_out, is_on_b } = region.depth.into();
        let bounds = [region.bounds.lower.into(), region.bounds.upper.into()];
        Self { lower, upper, point, way_out, is_on_b, bounds }
    }
}

record! {
    /// The Hausdorff distance between two surfaces, as an interval.
    HausdorffRow {
        lower: f64 = "f8",
        upper: f64 = "f8",
        point: [f64; 3] = "3f8",
        closest: [f64; 3] = "3f8",
        is_on_b: i64 = "i8",
    }
}

impl Default for HausdorffRow {
    fn default() -> Self {
        let nowhere = [f64::NAN; 3];
        Self { lower: f64::NAN, upper: f64::NAN, point: nowhere, closest: nowhere, is_on_b: 0 }
    }
}

impl Record for HausdorffRow {
    fn is_none(&self) -> bool {
        self.lower.is_nan()
    }
}

impl From<HausdorffDistance> for HausdorffRow {
    fn from(HausdorffDistance { lower, upper, point, closest, is_on_b }: HausdorffDistance) -> Self {
        Self { lower, upper, point: point.into(), closest: closest.into(), is_on_b: i64::from(is_on_b) }
    }
}

record! {
    /// The penetration depth of two solids, as an interval.
    PenetrationDepthRow {
        lower: f64 = "f8",
        upper: f64 = "f8",
        translation: [f64; 3] = "3f8",
    }
}

impl Default for PenetrationDepthRow {
    fn default() -> Self {
        Self { lower: f64::NAN, upper: f64::NAN, translation: [f64::NAN; 3] }
    }
}

impl Record for PenetrationDepthRow {}

impl From<PenetrationDepth> for PenetrationDepthRow {
    fn from(PenetrationDepth { lower, upper, translation }: PenetrationDepth) -> Self {
        Self { lower, upper, translation: translation.into() }
    }
}

record! {
    /// The last contact of B with A along a direction.
    DirectionalPenetrationRow {
        depth: f64 = "f8",
        normal: [f64; 3] = "3f8",
        face_a: i64 = "i8",
        face_b: i64 = "i8",
    }
}

impl Default for DirectionalPenetrationRow {
    fn default() -> Self {
        Self { depth: f64::NAN, normal: [f64::NAN; 3], face_a: NONE, face_b: NONE }
    }
}

impl Record for DirectionalPenetrationRow {
    fn is_none(&self) -> bool {
        self.face_a == NONE
    }
}

impl From<DirectionalPenetration> for DirectionalPenetrationRow {
    fn from(found: DirectionalPenetration) -> Self {
        let [face_a, face_b] = faces(&found.faces);
        Self { depth: found.depth, normal: found.normal.into(), face_a, face_b }
    }
}

record! {
    /// First impact of a motion.
    Impact {
        time: f64 = "f8",
        distance: f64 = "f8",
        on_a: [f64; 3] = "3f8",
        on_b: [f64; 3] = "3f8",
        normal: [f64; 3] = "3f8",
        face_a: i64 = "i8",
        face_b: i64 = "i8",
    }
}

impl Default for Impact {
    fn default() -> Self {
        let nowhere = [f64::NAN; 3];
        Self {
            time: f64::INFINITY,
            distance: f64::NAN,
            on_a: nowhere,
            on_b: nowhere,
            normal: nowhere,
            face_a: NONE,
            face_b: NONE,
        }
    }
}

impl Record for Impact {
    fn is_none(&self) -> bool {
        self.face_a == NONE
    }
}

impl From<&MotionContact> for Impact {
    fn from(contact: &MotionContact) -> Self {
        let [face_a, face_b] = faces(&contact.faces);
        Self {
            time: contact.time,
            distance: contact.distance,
            on_a: contact.on_a.into(),
            on_b: contact.on_b.into(),
            normal: contact.normal.into(),
            face_a,
            face_b,
        }
    }
}

record! {
    /// Hit of a ray or a moving sphere on a triangle.
    Hit {
        time: f64 = "f8",
        point: [f64; 3] = "3f8",
        normal: [f64; 3] = "3f8",
        face: i64 = "i8",
    }
}

impl Default for Hit {
    fn default() -> Self {
        Self { time: f64::INFINITY, point: [f64::NAN; 3], normal: [f64::NAN; 3], face: NONE }
    }
}

impl Record for Hit {
    fn is_none(&self) -> bool {
        self.face == NONE
    }
}

impl Hit {
    pub fn new(time: f64, point: Point3<f64>, normal: Vector3<f64>, face: u32) -> Self {
        Self { time, point: point.into(), normal: normal.into(), face: face.into() }
    }
}

record! {
    /// The point of a mesh that is closest to a query point.
    Nearest {
        distance: f64 = "f8",
        point: [f64; 3] = "3f8",
        face: i64 = "i8",
    }
}

impl Default for Nearest {
    fn default() -> Self {
        Self { distance: f64::INFINITY, point: [f64::NAN; 3], face: NONE }
    }
}

impl Record for Nearest {
    fn is_none(&self) -> bool {
        self.face == NONE
    }
}

/// Converts faces to signed numbers, so that differences and -1 work as expected.
pub fn faces(pair: &FacePair) -> [i64; 2] {
    [pair.face_a, pair.face_b].map(face)
}

/// The number of a face; [`NONE`] for a convex shape.
pub fn face(face: u32) -> i64 {
    if face == NO_FACE { NONE } else { face.into() }
}

/// Converts pairs to an array of shape (M, 2).
pub fn pairs(py: Python<'_>, pairs: Vec<[i64; 2]>) -> PyResult<Py<PyAny>> {
    let count = pairs.len();
    Ok(pairs.into_flattened().into_pyarray(py).reshape([count, 2])?.into_any().unbind())
}

/// Concatenates lists: returns a tuple of the offsets where each list begins and the last one ends, and one array of
/// all items.
pub fn in_one_array<R: Clone>(
    py: Python<'_>,
    lists: &[Vec<R>],
    array: impl FnOnce(Python<'_>, Vec<R>) -> PyResult<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    let mut ends = vec![0_i64];
    for list in lists {
        ends.push(ends[ends.len() - 1] + list.len() as i64);
    }
    let ends = ends.into_pyarray(py).into_any().unbind();
    Ok(PyTuple::new(py, [ends, array(py, lists.concat())?])?.into_any().unbind())
}
