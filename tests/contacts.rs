//! Contact geometry against the verdicts, and on scenes whose contacts are known.

use bvtree::query::{Contact, DepthSource, FacePair, intersection_curves};
use bvtree::triangle::Triangle;
use bvtree::{BvTree, Mesh, Pose, Query, VolumeKind};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use proptest::prelude::*;

use crate::cases::cases;
use crate::oracle::meshes::{self, placed};
use crate::oracle::poses::{meetings, quarter_turns, rotations};
use crate::oracle::{Rules, intersecting_pairs};

fn trees(a: &Mesh, b: &Mesh, volume: VolumeKind) -> [BvTree; 2] {
    [a, b].map(|mesh| Rules::FINEST.tree(mesh, volume))
}

fn contacts(a: &Mesh, b: &Mesh, b_to_a: &Pose) -> Vec<Contact> {
    let [tree_a, tree_b] = trees(a, b, VolumeKind::Obb);
    Query::new().contacts(&tree_a, &tree_b, b_to_a)
}

fn posed(b: &Mesh, face: u32, b_to_a: &Pose) -> Triangle {
    Triangle { vertices: b.triangles()[face as usize].map(|v| b_to_a.transform(&b.vertices()[v as usize])) }
}

/// The points of each contact lie on both triangles, and there is one for each touching pair.
fn check(a: &Mesh, b: &Mesh, b_to_a: &Pose) {
    let found = contacts(a, b, b_to_a);
    let faces: Vec<FacePair> = found.iter().map(|contact| contact.faces).collect();
    assert_eq!(faces, intersecting_pairs(a, b, b_to_a));
    for contact in &found {
        let (triangle_a, triangle_b) = (a.triangle(contact.faces.face_a), posed(b, contact.faces.face_b, b_to_a));
        let extent =
            triangle_a.vertices.iter().chain(&triangle_b.vertices).fold(0.0, |m: f64, p| m.max(p.coords.amax()));
        assert!(!contact.points.is_empty() && contact.points.len() <= 6);
        for point in &contact.points {
            for triangle in [&triangle_a, &triangle_b] {
                let off = (triangle.closest_point(point) - point).norm();
                assert!(off <= 1e-6 * extent, "{off:e} off {triangle:?} by {contact:?}");
            }
        }
        if triangle_a.crosses(&triangle_b) {
            assert!(contact.points.len() <= 2);
            assert!(triangle_b.crosses(&triangle_a));
        }
    }
    // Each segment is in one line, once.
    let segments = found.iter().filter(|contact| contact.points.len() == 2).count();
    let lines = intersection_curves(&found);
    let in_lines = lines.iter().map(|line| line.points.len() - usize::from(!line.is_closed)).sum::<usize>();
    assert!(in_lines <= segments && (segments == 0) == lines.is_empty());
}

proptest! {
    #![proptest_config(cases(60, 4000))]

    #[test]
    fn small_meshes(
        (a, b, rotation, meeting) in (meshes::small_mesh(), meshes::small_mesh(), rotations(), meetings()),
    ) {
        check(&a, &b, &meeting.pose(&a, &b, rotation));
    }

    #[test]
    fn grid_meshes(
        (a, b, turn) in (meshes::grid(), meshes::grid(), quarter_turns()),
        shift in prop::array::uniform3(-6i8..=6),
    ) {
        check(&a, &b, &Pose::new(turn, Vector3::from(shift.map(f64::from))).unwrap());
    }

    /// Two closed surfaces in general position meet in closed lines.
    #[test]
    fn tori_meet_in_closed_lines(rotation in rotations(), shift in prop::array::uniform3(-1.2f64..1.2)) {
        let (a, b) = (meshes::torus(8, 6), placed(&meshes::torus(7, 5), 0.7, Vector3::new(0.1, 0.02, 0.03)));
        let tilt = Matrix3::from(Isometry3::rotation(Vector3::new(0.1, 0.2, 0.3)).rotation.to_rotation_matrix());
        let found = contacts(&a, &b, &Pose::new(rotation * tilt, Vector3::from(shift)).unwrap());
        let lines = intersection_curves(&found);
        prop_assert!(lines.iter().all(|line| line.is_closed), "{lines:?}");
        prop_assert_eq!(lines.iter().map(|line| line.points.len()).sum::<usize>(), found.len());
    }
}

#[test]
fn a_segment_and_a_polygon() {
    let flat = meshes::unconnected(&[[[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]].map(Point3::from)]);
    let upright = meshes::unconnected(&[[[1.0, 1.0, -1.0], [1.0, 1.0, 1.0], [1.0, -9.0, 0.0]].map(Point3::from)]);
    let [contact] = &contacts(&flat, &upright, &Pose::identity())[..] else { panic!() };
    let mut ends = contact.points.to_vec();
    ends.sort_by(|p, q| p.y.total_cmp(&q.y));
    assert_eq!(ends, [Point3::new(1.0, 0.0, 0.0), Point3::new(1.0, 1.0, 0.0)]);
    assert_eq!(contact.normals[0], Vector3::z());
    assert_eq!(contact.normals[1].x.abs(), 1.0);

    let half_turn =
        Pose::new(Matrix3::from_diagonal(&Vector3::new(-1.0, -1.0, 1.0)), Vector3::new(3.0, 3.0, 0.0)).unwrap();
    let [contact] = &contacts(&flat, &flat, &half_turn)[..] else { panic!() };
    let area: f64 = (1..contact.points.len() - 1)
        .map(|i| {
            let [p, q, r] = [0, i, i + 1].map(|k| contact.points[k]);
            (q - p).cross(&(r - p)).z * 0.5
        })
        .sum();
    // A hexagon: the triangle x, y >= 0, x + y <= 4 and its turned copy x, y <= 3, x + y >= 2.
    assert_eq!((contact.points.len(), area.abs()), (6, 5.0));
    let [contact] = &contacts(&flat, &flat, &Pose::from(Isometry3::translation(4.0, 0.0, 0.0)))[..] else { panic!() };
    assert_eq!(contact.points[..], [Point3::new(4.0, 0.0, 0.0)]);
}

/// What is straight in the mesh has no normal, although its posed vertices are rounded off a line.
#[test]
fn segments_have_no_normal_at_any_pose() {
    let wire = meshes::unconnected(&[[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]].map(Point3::from)]);
    let upright = meshes::unconnected(&[[[1.0, 0.0, -1.0], [1.0, 0.0, 1.0], [1.0, 3.0, 0.0]].map(Point3::from)]);
    let turned = Pose::new(Matrix3::new(0.8, -0.6, 0.0, 0.6, 0.8, 0.0, 0.0, 0.0, 1.0), Vector3::zeros()).unwrap();
    assert_ne!(posed(&wire, 0, &turned).scaled_normal(), Vector3::zeros());
    let [contact] = &contacts(&upright, &wire, &turned)[..] else { panic!() };
    assert_eq!((contact.normals[0].x.abs(), contact.normals[1]), (1.0, Vector3::zeros()));
}

/// Seen from A's torus, B's is to the right; both meet in one loop there.
#[test]
fn patches_have_normals_and_depths() {
    let torus = meshes::torus(16, 12);
    let [tree, same] = trees(&torus, &torus, VolumeKind::Obb);
    let tilted = Pose::from(Isometry3::new(Vector3::new(1.9, 0.003, 0.007), Vector3::new(0.01, 0.02, 0.0)));
    let patches = Query::new().contact_patches(&tree, &same, &tilted);
    let [patch] = &patches[..] else { panic!("{patches:?}") };
    assert!((patch.point - Point3::new(0.95, 0.0, 0.0)).norm() < 0.1, "{patch:?}");
    assert!(patch.normal.x > 0.9, "{patch:?}");
    assert_eq!(patch.depth_source, DepthSource::VertexExtent);
    assert!(patch.depth > 0.05 && patch.depth < 0.5, "{patch:?}");

    let flat = meshes::flat_square(2);
    let [tree, same] = trees(&flat, &flat, VolumeKind::Aabb);
    let patches = Query::new().contact_patches(&tree, &same, &Pose::from(Isometry3::translation(1.0, 1.0, 0.0)));
    assert!(patches.iter().all(|patch| patch.depth == 0.0 && patch.depth_source == DepthSource::Touching));
    assert!(Query::new().contact_patches(&tree, &same, &Pose::from(Isometry3::translation(9.0, 1.0, 0.0))).is_empty());
}
