//! Results as plain JavaScript objects, and their types.

use bvtree::mesh::{GroupIds, MeshReport};
use bvtree::probe::{
    CapsuleCastHit, CapsuleContact, ClosestOnMesh, ClosestToConvex, Containment, ConvexCastHit, ConvexContact, RayHit,
    RobustContainment, SupportPoint,
};
use bvtree::query::{
    ClosestPair, Contact, ContactManifold, DirectionalPenetration, FacePair, FreeInterval, HausdorffDistance,
    MotionContact, OverlapDepth, OverlapRegion, Penetration, PenetrationDepth, Polyline, TimeOfImpact,
};
use bvtree::shape::ShapeContact;
use js_sys::Array;
use nalgebra::{Point3, Vector3};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("../js/answers.d.ts");

#[wasm_bindgen(module = "/js/answers.js")]
extern "C" {
    #[wasm_bindgen(js_name = closestPair)]
    fn closest_pair_of(
        distance: f64,
        ax: f64,
        ay: f64,
        az: f64,
        bx: f64,
        by: f64,
        bz: f64,
        face_a: i32,
        face_b: i32,
    ) -> JsValue;
    fn impact(outcome: &str, time: f64, nx: f64, ny: f64, nz: f64, contact: JsValue) -> JsValue;
    #[wasm_bindgen(js_name = noImpact)]
    fn no_impact() -> JsValue;
    #[wasm_bindgen(js_name = contacts)]
    fn contacts_of(faces: Vec<u32>, normals: Vec<f64>, starts: Vec<u32>, points: Vec<f64>) -> JsValue;
    #[wasm_bindgen(js_name = intersectionCurves)]
    fn intersection_curves_of(faces: Vec<u32>, points: Vec<f64>, starts: Vec<u32>, closed: Vec<u8>) -> JsValue;
    #[wasm_bindgen(js_name = contactManifolds)]
    fn contact_manifolds_of(
        normals: Vec<f64>,
        starts: Vec<u32>,
        points: Vec<f64>,
        faces: Vec<u32>,
        ids: Vec<u64>,
    ) -> JsValue;
    #[wasm_bindgen(js_name = groupIds)]
    fn group_ids_of(names: Vec<String>, ids: Vec<u32>) -> JsValue;
    #[wasm_bindgen(js_name = freeInterval)]
    fn free_interval_of(start: f64, end: f64) -> JsValue;
    #[wasm_bindgen(js_name = robustContainment)]
    fn robust_containment_of(containment: &str, certainty: f64) -> JsValue;
    #[wasm_bindgen(js_name = overlapDepth)]
    fn overlap_depth_of(lower: f64, upper: f64, points: Vec<f64>, is_on_b: bool) -> JsValue;
    #[wasm_bindgen(js_name = overlapRegion)]
    fn overlap_region_of(depth: JsValue, bounds: Vec<f64>) -> JsValue;
    #[wasm_bindgen(js_name = hausdorffDistance)]
    fn hausdorff_distance_of(lower: f64, upper: f64, points: Vec<f64>, is_on_b: bool) -> JsValue;
    #[wasm_bindgen(js_name = penetrationDepth)]
    fn penetration_depth_of(lower: f64, upper: f64, x: f64, y: f64, z: f64) -> JsValue;
    #[wasm_bindgen(js_name = penetration)]
    fn penetration_of(upper_bound: f64, x: f64, y: f64, z: f64) -> JsValue;
    #[wasm_bindgen(js_name = penetrationAlong)]
    fn penetration_along_of(depth: f64, x: f64, y: f64, z: f64, face_a: u32, face_b: u32) -> JsValue;
    #[wasm_bindgen(js_name = rayHit)]
    fn ray_hit_of(time: f64, x: f64, y: f64, z: f64, nx: f64, ny: f64, nz: f64, face: i32) -> JsValue;
    #[wasm_bindgen(js_name = closestOnMesh)]
    fn closest_on_mesh_of(distance: f64, x: f64, y: f64, z: f64, face: i32) -> JsValue;
    #[wasm_bindgen(js_name = closestToConvex)]
    fn closest_to_convex_of(distance: f64, sx: f64, sy: f64, sz: f64, mx: f64, my: f64, mz: f64, face: u32) -> JsValue;
    #[wasm_bindgen(js_name = capsuleContact)]
    fn capsule_contact_of(distance: f64, numbers: Vec<f64>, face: i32) -> JsValue;
    #[wasm_bindgen(js_name = convexContact)]
    fn convex_contact_of(distance: f64, numbers: Vec<f64>, face: u32) -> JsValue;
    #[wasm_bindgen(js_name = shapeContact)]
    fn shape_contact_of(distance: f64, numbers: Vec<f64>) -> JsValue;
    #[wasm_bindgen(js_name = supportPoint)]
    fn support_point_of(x: f64, y: f64, z: f64, face: u32) -> JsValue;
    #[wasm_bindgen(js_name = capsuleCastHit)]
    fn capsule_cast_hit_of(time: f64, contact: JsValue) -> JsValue;
    #[wasm_bindgen(js_name = ofBody)]
    pub fn of_body(body: u32, answer: JsValue) -> JsValue;
    #[wasm_bindgen(js_name = ofBodyPart)]
    pub fn of_body_part(body: u32, part: u32, answer: JsValue) -> JsValue;
    #[wasm_bindgen(js_name = ofPair)]
    fn of_pair_of(a: u32, b: u32, answer: JsValue) -> JsValue;
    #[wasm_bindgen(js_name = ofParts)]
    fn of_parts_of(part_a: u32, part_b: u32, answer: JsValue) -> JsValue;
    #[wasm_bindgen(js_name = ofPairs)]
    pub fn of_pairs(bodies: Vec<u32>, parts: Vec<u32>, answer: JsValue) -> JsValue;
    #[wasm_bindgen(js_name = relatedPair)]
    fn related_pair_of(a: u32, b: u32, relation: &str) -> JsValue;
    #[wasm_bindgen(js_name = bodyImpact)]
    fn body_impact_of(time: f64, nx: f64, ny: f64, nz: f64, contact: JsValue) -> JsValue;
    #[wasm_bindgen(js_name = bodyDepth)]
    pub fn body_depth(body: u32, depth: f64) -> JsValue;
    #[wasm_bindgen(js_name = characterStep)]
    pub fn character_step(is_blocked: bool, is_crushed: bool, is_on_ground: bool, overlap: JsValue) -> JsValue;
    #[wasm_bindgen(js_name = ground)]
    fn ground_of(nx: f64, ny: f64, nz: f64, x: f64, y: f64, z: f64, face: i32) -> JsValue;
    #[wasm_bindgen(js_name = push)]
    fn push_of(x: f64, y: f64, z: f64, nx: f64, ny: f64, nz: f64, speed: f64) -> JsValue;
    #[wasm_bindgen(js_name = meshReport)]
    fn mesh_report_of(numbers: Vec<f64>, is_closed: bool, is_edge_manifold: bool) -> JsValue;
}

pub fn closest_pair(found: &ClosestPair) -> JsValue {
    pair(found.distance, &found.on_a, &found.on_b, found.faces)
}

pub fn pair(distance: f64, a: &Point3<f64>, b: &Point3<f64>, FacePair { face_a, face_b }: FacePair) -> JsValue {
    closest_pair_of(distance, a.x, a.y, a.z, b.x, b.y, b.z, index(face_a), index(face_b))
}

/// Converts a face index to JavaScript's, which is -1 for a convex shape. A mesh in 32-bit memory has fewer than 2^31
/// triangles.
fn index(face: u32) -> i32 {
    face as i32
}

pub fn time_of_impact(found: &TimeOfImpact) -> JsValue {
    let met = |outcome, found: &MotionContact| {
        let normal = &found.normal;
        let contact = pair(found.distance, &found.on_a, &found.on_b, found.faces);
        impact(outcome, found.time, normal.x, normal.y, normal.z, contact)
    };
    match found {
        TimeOfImpact::NoImpact => no_impact(),
        TimeOfImpact::Touching(contact) => met("touching", contact),
        TimeOfImpact::Impact(contact) => met("impact", contact),
    }
}

/// Flattens pairs of faces: A's face, then B's, for each pair.
pub fn face_pairs(pairs: impl Iterator<Item = FacePair>) -> Vec<u32> {
    pairs.flat_map(|pair| [pair.face_a, pair.face_b]).collect()
}

fn numbers<'a>(points: impl Iterator<Item = &'a Point3<f64>>) -> Vec<f64> {
    points.flat_map(|point| <[f64; 3]>::from(*point)).collect()
}

/// Returns the offsets at which each of the concatenated lists begins, and where the last one ends.
fn starts(lengths: impl Iterator<Item = usize>) -> Vec<u32> {
    let ends = lengths.scan(0, |end, length| {
        *end += length as u32;
        Some(*end)
    });
    std::iter::once(0).chain(ends).collect()
}

pub fn contacts(found: &[Contact]) -> JsValue {
    let normals = found.iter().flat_map(|contact| contact.normals).flat_map(<[f64; 3]>::from);
    contacts_of(
        face_pairs(found.iter().map(|contact| contact.faces)),
        normals.collect(),
        starts(found.iter().map(|contact| contact.points.len())),
        numbers(found.iter().flat_map(|contact| contact.points.iter())),
    )
}

pub fn intersection_curves(found: &[Contact], curves: &[Polyline]) -> JsValue {
    intersection_curves_of(
        face_pairs(found.iter().map(|contact| contact.faces)),
        numbers(curves.iter().flat_map(|curve| &curve.points)),
        starts(curves.iter().map(|curve| curve.points.len())),
        curves.iter().map(|curve| u8::from(curve.is_closed)).collect(),
    )
}

pub fn contact_manifolds<'a>(found: impl Iterator<Item = &'a ContactManifold> + Clone) -> JsValue {
    let points = || found.clone().flat_map(|manifold| &manifold.points);
    let of_point = points().flat_map(|point| {
        let [[ax, ay, az], [bx, by, bz]]: [[f64; 3]; 2] = [point.on_a, point.on_b].map(Into::into);
        [ax, ay, az, bx, by, bz, point.depth]
    });
    contact_manifolds_of(
        found.clone().flat_map(|manifold| <[f64; 3]>::from(manifold.normal)).collect(),
        starts(found.clone().map(|manifold| manifold.points.len())),
        of_point.collect(),
        face_pairs(points().map(|point| point.faces)),
        points().map(|point| point.id).collect(),
    )
}

pub fn group_ids(GroupIds { names, ids }: GroupIds) -> JsValue {
    group_ids_of(names, ids)
}

pub fn free_interval(found: &FreeInterval) -> JsValue {
    free_interval_of(found.start, found.end)
}

pub fn containment(found: Containment) -> &'static str {
    match found {
        Containment::Inside => "inside",
        Containment::Outside => "outside",
        Containment::OnSurface => "on_surface",
        Containment::Undefined => "undefined",
    }
}

pub fn robust_containment(found: &RobustContainment) -> JsValue {
    robust_containment_of(containment(found.containment), found.certainty)
}

pub fn overlap_depth(found: &OverlapDepth) -> JsValue {
    let points = numbers(found.deepest.iter().flat_map(|deepest| [&deepest.point, &deepest.way_out]));
    overlap_depth_of(found.lower, found.upper, points, found.deepest.is_some_and(|deepest| deepest.is_on_b))
}

pub fn overlap_regions(found: &[OverlapRegion]) -> JsValue {
    let region = |region: &OverlapRegion| {
        overlap_region_of(
            overlap_depth(&region.depth),
            numbers([&region.bounds.lower, &region.bounds.upper].into_iter()),
        )
    };
    found.iter().map(region).collect::<Array>().into()
}

pub fn hausdorff_distance(found: &HausdorffDistance) -> JsValue {
    hausdorff_distance_of(found.lower, found.upper, numbers([&found.point, &found.closest].into_iter()), found.is_on_b)
}

pub fn penetration_depth(found: &PenetrationDepth) -> JsValue {
    let translation = &found.translation;
    penetration_depth_of(found.lower, found.upper, translation.x, translation.y, translation.z)
}

pub fn penetration(found: &Penetration) -> JsValue {
    let direction = &found.direction;
    penetration_of(found.upper_bound, direction.x, direction.y, direction.z)
}

pub fn penetration_along(found: &DirectionalPenetration) -> JsValue {
    let normal = &found.normal;
    penetration_along_of(found.depth, normal.x, normal.y, normal.z, found.faces.face_a, found.faces.face_b)
}

pub fn ray_hit(found: &RayHit) -> JsValue {
    let RayHit { time, point, normal, face } = found;
    ray_hit_of(*time, point.x, point.y, point.z, normal.x, normal.y, normal.z, index(*face))
}

pub fn closest_on_mesh(found: &ClosestOnMesh) -> JsValue {
    closest_on(found.distance, &found.point, found.face)
}

pub fn closest_on(distance: f64, point: &Point3<f64>, face: u32) -> JsValue {
    closest_on_mesh_of(distance, point.x, point.y, point.z, index(face))
}

pub fn closest_to_convex(found: &ClosestToConvex) -> JsValue {
    let ClosestToConvex { distance, on_shape: s, on_mesh: m, face } = found;
    closest_to_convex_of(*distance, s.x, s.y, s.z, m.x, m.y, m.z, *face)
}

pub fn convex_cast_hit(found: &ConvexCastHit) -> JsValue {
    let ConvexCastHit { time, point, normal, face } = *found;
    ray_hit(&RayHit { time, point, normal, face })
}

pub fn capsule_contact(found: &CapsuleContact) -> JsValue {
    let three = [found.point.coords, found.normal, found.face_normal];
    capsule_contact_of(found.distance, flat(&three), index(found.face))
}

pub fn convex_contact(found: &ConvexContact) -> JsValue {
    let four = [found.on_shape.coords, found.on_mesh.coords, found.normal, found.face_normal];
    convex_contact_of(found.distance, flat(&four), found.face)
}

pub fn shape_contact(found: &ShapeContact) -> JsValue {
    shape_contact_of(found.distance, flat(&[found.on_a.coords, found.on_b.coords, found.normal]))
}

pub fn support_point(found: &SupportPoint) -> JsValue {
    let SupportPoint { point, face } = found;
    support_point_of(point.x, point.y, point.z, *face)
}

fn flat(vectors: &[Vector3<f64>]) -> Vec<f64> {
    vectors.iter().flat_map(|vector| <[f64; 3]>::from(*vector)).collect()
}

pub fn capsule_cast_hit(found: &CapsuleCastHit) -> JsValue {
    capsule_cast_hit_of(found.time, capsule_contact(&found.contact))
}

pub fn of_parts([a, b]: [u32; 2], answer: JsValue) -> JsValue {
    of_parts_of(a, b, answer)
}

pub fn of_pair([a, b]: [u32; 2], answer: JsValue) -> JsValue {
    of_pair_of(a, b, answer)
}

pub fn related_pair([a, b]: [u32; 2], relation: &str) -> JsValue {
    related_pair_of(a, b, relation)
}

pub fn body_impact(time: f64, normal: &Vector3<f64>, contact: JsValue) -> JsValue {
    body_impact_of(time, normal.x, normal.y, normal.z, contact)
}

pub fn ground(normal: &Vector3<f64>, point: &Point3<f64>, face: u32) -> JsValue {
    ground_of(normal.x, normal.y, normal.z, point.x, point.y, point.z, index(face))
}

pub fn push(point: &Point3<f64>, normal: &Vector3<f64>, speed: f64) -> JsValue {
    push_of(point.x, point.y, point.z, normal.x, normal.y, normal.z, speed)
}

/// Returns three numbers as an array.
pub fn three(numbers: [f64; 3]) -> Array {
    numbers.into_iter().map(JsValue::from).collect()
}

pub fn mesh_report(report: &MeshReport) -> JsValue {
    let numbers = [
        report.triangles,
        report.vertices,
        report.distinct_vertices,
        report.zero_area_triangles,
        report.duplicate_triangles,
        report.open_edges,
        report.non_manifold_edges,
        report.inconsistent_edges,
        report.components,
    ];
    mesh_report_of(numbers.map(|number| number as f64).into(), report.is_closed(), report.is_edge_manifold())
}
