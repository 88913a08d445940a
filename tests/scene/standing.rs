//! A small solver of rigid bodies (sequential impulses with warm starting, Catto, "Iterative Dynamics with Temporal
//! Coherence", 2005) stands boxes on a floor with the scene's contact manifolds.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use bvtree::query::ManifoldPoint;
use bvtree::response::{MassProperties, RigidBody};
use bvtree::scene::{Body, BodyId, Geometry, Scene};
use bvtree::shape::ConvexShape;
use bvtree::{BuildOptions, BvTree, Mesh, Pose};
use nalgebra::{Isometry3, Matrix3, Point3, UnitQuaternion, Vector3};

use crate::oracle::meshes;
use crate::solids::cuboid;

const STEP: f64 = 1.0 / 60.0;
const MARGIN: f64 = 0.05;
/// The depth that a contact keeps, so that it lasts.
const SLOP: f64 = 0.005;
const FRICTION: f64 = 0.6;

/// A point of contact and what was applied there.
struct Contact {
    key: ([BodyId; 2], u64),
    bodies: [usize; 2],
    point: Point3<f64>,
    axes: [Vector3<f64>; 3],
    /// The velocity along the normal at which the point may approach or must part.
    target: f64,
    impulse: [f64; 3],
}

struct Simulation {
    scene: Scene,
    ids: Vec<BodyId>,
    bodies: Vec<RigidBody>,
    /// The inertias along the meshes' axes.
    inertias: Vec<Matrix3<f64>>,
    rotations: Vec<UnitQuaternion<f64>>,
    /// The impulses of the last step.
    known: HashMap<([BodyId; 2], u64), [f64; 3]>,
}

impl Simulation {
    /// Boxes with the given edge lengths and poses above a floor, which is body 0: their meshes, or convex shapes.
    fn of_boxes(floor: &Mesh, boxes: &[([f32; 3], Isometry3<f64>)], as_shapes: bool) -> Self {
        let body = |&(lengths, pose): &([f32; 3], Isometry3<f64>)| {
            let mesh = cuboid(lengths);
            let mass = MassProperties::of(&mesh).unwrap();
            let half = Vector3::from(lengths.map(|length| 0.5 * f64::from(length)));
            let geometry = match as_shapes {
                true => Geometry::from(ConvexShape::cuboid(half).unwrap()),
                false => Geometry::from(Arc::new(BvTree::build(&mesh, &BuildOptions::default()).unwrap())),
            };
            (geometry, mass.volume, mass.inertia, pose)
        };
        Self::new(floor, boxes.iter().map(body).collect())
    }

    /// Bodies with their masses, inertias about their origins and poses above a floor, which is body 0.
    fn new(floor: &Mesh, above: Vec<(Geometry, f64, Matrix3<f64>, Isometry3<f64>)>) -> Self {
        let floor = Arc::new(BvTree::build(floor, &BuildOptions::default()).unwrap());
        let mut scene = Scene::new();
        let mut ids = vec![scene.add(Body::fixed(floor, Pose::identity())).unwrap()];
        let mut bodies = vec![RigidBody::immovable(Point3::origin())];
        let (mut inertias, mut rotations) = (vec![Matrix3::zeros()], vec![UnitQuaternion::identity()]);
        for (geometry, mass, inertia, pose) in above {
            ids.push(scene.add(Body::moving(geometry, pose.into())).unwrap());
            bodies.push(RigidBody::new(mass, &inertia, pose.translation.vector.into()).unwrap());
            inertias.push(inertia);
            rotations.push(pose.rotation);
        }
        Self { scene, ids, bodies, inertias, rotations, known: HashMap::new() }
    }

    fn contact(&self, bodies: [BodyId; 2], normal: &Vector3<f64>, point: &ManifoldPoint) -> Contact {
        let key = (bodies, point.id);
        let across = normal.cross(&if normal.x.abs() < 0.5 { Vector3::x() } else { Vector3::y() }).normalize();
        let target = match point.depth {
            depth if depth > SLOP => 0.2 * (depth - SLOP) / STEP,
            depth => depth.min(0.0) / STEP,
        };
        Contact {
            key,
            bodies: bodies.map(|id| self.ids.iter().position(|known| *known == id).unwrap()),
            point: nalgebra::center(&point.on_a, &point.on_b),
            axes: [*normal, across, normal.cross(&across)],
            target,
            impulse: self.known.get(&key).copied().unwrap_or_default(),
        }
    }

    fn apply(&mut self, contact: &Contact, axis: usize, impulse: f64) {
        for (side, sign) in [(0, -1.0), (1, 1.0)] {
            let body = &mut self.bodies[contact.bodies[side]];
            body.apply_impulse(&(contact.axes[axis] * (sign * impulse)), &contact.point);
        }
    }

    /// The velocity with which the second body moves away from the first at a contact, along an axis of it.
    fn parting(bodies: [&RigidBody; 2], contact: &Contact, axis: usize) -> f64 {
        (bodies[1].velocity_at(&contact.point) - bodies[0].velocity_at(&contact.point)).dot(&contact.axes[axis])
    }

    /// The change of that velocity by an impulse of 1.
    fn mobility(&self, contact: &Contact, axis: usize) -> f64 {
        let [mut a, mut b] = contact.bodies.map(|i| self.bodies[i]);
        let before = Self::parting([&a, &b], contact, axis);
        a.apply_impulse(&-contact.axes[axis], &contact.point);
        b.apply_impulse(&contact.axes[axis], &contact.point);
        Self::parting([&a, &b], contact, axis) - before
    }

    /// Advances by a step, and returns the ids of the contacts.
    fn step(&mut self) -> BTreeSet<([BodyId; 2], u64)> {
        for body in &mut self.bodies[1..] {
            body.velocity.z -= 9.81 * STEP;
        }
        let found = self.scene.contact_manifolds(MARGIN);
        let points = found.iter().flat_map(|found| {
            let normal = &found.manifold.normal;
            found.manifold.points.iter().map(|point| self.contact(found.bodies, normal, point))
        });
        let mut contacts: Vec<Contact> = points.collect();
        for contact in &contacts {
            (0..3).for_each(|axis| self.apply(contact, axis, contact.impulse[axis]));
        }
        for _ in 0..20 {
            for contact in &mut contacts {
                for axis in [1, 2, 0] {
                    let bodies = contact.bodies.map(|i| &self.bodies[i]);
                    let excess = Self::parting(bodies, contact, axis) - if axis == 0 { contact.target } else { 0.0 };
                    let new = contact.impulse[axis] - excess / self.mobility(contact, axis);
                    let most = FRICTION * contact.impulse[0];
                    let new = if axis == 0 { new.max(0.0) } else { new.clamp(-most, most) };
                    let change = new - contact.impulse[axis];
                    contact.impulse[axis] = new;
                    self.apply(contact, axis, change);
                }
            }
        }
        self.known = contacts.iter().map(|contact| (contact.key, contact.impulse)).collect();
        for (i, body) in self.bodies.iter_mut().enumerate().skip(1) {
            body.center += body.velocity * STEP;
            let turn = UnitQuaternion::from_scaled_axis(body.angular_velocity * STEP);
            self.rotations[i] = UnitQuaternion::new_normalize((turn * self.rotations[i]).into_inner());
            let matrix = self.rotations[i].to_rotation_matrix().into_inner();
            body.set_inertia(&(matrix * self.inertias[i] * matrix.transpose())).unwrap();
            let pose = Isometry3::from_parts(body.center.coords.into(), self.rotations[i]);
            self.scene.set_pose(self.ids[i], pose.into()).unwrap();
        }
        self.known.keys().copied().collect()
    }
}

/// Whether a body's velocity is as small as that of rest.
fn rests(body: &RigidBody) -> bool {
    body.velocity.norm() < 1e-9 && body.angular_velocity.norm() < 1e-9
}

/// Lets boxes come to rest; then none moves, and the points of contact are the same from step to step.
fn stand(cells: u32, boxes: &[([f32; 3], Isometry3<f64>)], as_shapes: bool) {
    let mut simulation = Simulation::of_boxes(&floor(cells), boxes, as_shapes);
    for _ in 0..180 {
        simulation.step();
    }
    let centers: Vec<_> = simulation.bodies.iter().map(|body| body.center).collect();
    let known = simulation.step();
    // Each box stands on four points.
    assert_eq!(known.len(), 4 * boxes.len());
    for step in 0..120 {
        assert_eq!(simulation.step(), known, "step {step}");
        assert!(simulation.bodies.iter().all(rests), "step {step}: {:?}", simulation.bodies);
    }
    let mut top = 0.0;
    for ((body, center), (lengths, _)) in simulation.bodies.iter().zip(&centers).skip(1).zip(boxes) {
        assert!((body.center - center).norm() < 1e-9, "{center} moved to {}", body.center);
        let height = f64::from(lengths[2]);
        assert!((body.center.z - (top + 0.5 * height)).abs() < 2.0 * SLOP, "{body:?}");
        top = body.center.z + 0.5 * height;
    }
}

fn floor(cells: u32) -> Mesh {
    meshes::placed(&meshes::flat_square(cells), 8.0 / f64::from(cells), Vector3::new(-4.03, -3.96, 0.0))
}

fn placed(x: f64, y: f64, z: f64, turn: f64) -> Isometry3<f64> {
    Isometry3::new(Vector3::new(x, y, z), Vector3::z() * turn)
}

#[test]
fn a_dropped_box_comes_to_rest() {
    let tilted = Isometry3::new(Vector3::new(0.2, 0.3, 0.6), Vector3::new(0.06, -0.04, 0.5));
    for as_shapes in [false, true] {
        stand(1, &[([1.0; 3], tilted)], as_shapes);
        stand(24, &[([1.0; 3], tilted)], as_shapes);
    }
}

#[test]
fn a_stack_of_boxes_rests() {
    let boxes = [
        ([1.2, 1.2, 0.8], placed(0.0, 0.0, 0.41, 0.1)),
        ([1.0; 3], placed(0.05, -0.02, 1.32, 0.4)),
        ([0.9, 0.9, 0.5], placed(0.0, 0.03, 2.08, -0.2)),
        ([0.8; 3], placed(-0.04, 0.0, 2.74, 0.3)),
    ];
    stand(8, &boxes, false);
    stand(8, &boxes, true);
}

/// A can that stands, one that lies, a cone on its base, a capsule and a box with rounded edges come to rest, the
/// nearest point of each a little below the floor; a ball rolls on.
#[test]
fn dropped_shapes_come_to_rest() {
    let lying = |y: f64| Isometry3::new(Vector3::new(0.0, y, 0.6), Vector3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0));
    let tilted = |y: f64, z: f64| Isometry3::new(Vector3::new(0.1, y, z), Vector3::new(0.05, -0.03, 0.4));
    let rounded = ConvexShape::cuboid(Vector3::repeat(0.3)).and_then(|cuboid| cuboid.rounded(0.1));
    let shapes = [
        (ConvexShape::cylinder(0.5, 0.3), tilted(-3.0, 0.6)),
        (ConvexShape::cylinder(0.5, 0.3), lying(-1.5)),
        (ConvexShape::cone(0.4, 0.4), tilted(0.0, 0.5)),
        (ConvexShape::capsule(0.4, 0.2), lying(1.2)),
        (rounded, tilted(2.4, 0.5)),
    ];
    // Inertias of a box about as large: what rests does not depend on them.
    let body = |(shape, pose): (Result<ConvexShape, _>, _)| {
        let shape = shape.unwrap();
        let half = shape.aabb().half_extents();
        let inertia = Matrix3::from_diagonal(&half.map(|x| (half.norm_squared() - x * x) / 3.0));
        (Geometry::from(shape), 1.0, inertia, pose)
    };
    let mut simulation = Simulation::new(&floor(8), shapes.map(body).into());
    for _ in 0..360 {
        simulation.step();
    }
    for (id, body) in simulation.ids.iter().zip(&simulation.bodies).skip(1) {
        let shape = simulation.scene.body(*id).unwrap();
        let lowest = shape.geometry.shape().unwrap().transformed(&shape.pose).aabb().lower.z;
        assert!(lowest.abs() < 2.0 * SLOP, "{lowest} {body:?} {shape:?}");
        assert!(body.velocity.norm() < 5e-3 && body.angular_velocity.norm() < 2e-2, "{body:?} {shape:?}");
    }
}

/// The manifolds of a scene are those of each pair, in the world.
#[test]
fn they_are_those_of_the_pairs() {
    let tree = Arc::new(BvTree::build(&cuboid([1.0; 3]), &BuildOptions::default()).unwrap());
    let mut scene = Scene::new();
    let poses = [[0.0, 0.0, 0.0, 0.4], [0.98, 0.1, 0.0, 0.4], [0.2, 0.1, 1.01, 0.9], [7.0, 0.0, 0.0, 0.0]];
    let ids: Vec<BodyId> = poses
        .iter()
        .map(|&[x, y, z, turn]| scene.add(Body::moving(tree.clone(), placed(x, y, z, turn).into())).unwrap())
        .collect();
    let found = scene.contact_manifolds(MARGIN);
    assert!(found.is_sorted_by_key(|found| found.bodies));
    let mut expected = Vec::new();
    for (i, a) in ids.iter().enumerate() {
        for b in &ids[i + 1..] {
            let pose = scene.body(*a).unwrap().pose;
            let relative = Pose::relative(&pose, &scene.body(*b).unwrap().pose);
            for manifold in bvtree::Query::new().contact_manifolds(&tree, &tree, &relative, MARGIN) {
                expected.push(([*a, *b], manifold, pose));
            }
        }
    }
    assert!(found.len() == expected.len() && found.len() > 1);
    for (found, (bodies, manifold, pose)) in found.iter().zip(&expected) {
        assert_eq!(found.bodies, *bodies);
        assert!((found.manifold.normal - pose.rotation() * manifold.normal).norm() < 1e-12);
        for (point, expected) in found.manifold.points.iter().zip(&manifold.points) {
            assert_eq!((point.id, point.depth, point.faces), (expected.id, expected.depth, expected.faces));
            let offset = pose.rotation() * expected.on_b.coords + pose.translation() - point.on_b.coords;
            assert!(offset.norm() < 1e-12);
        }
    }
    assert!(scene.contact_manifolds(-1.0).is_empty() && scene.contact_manifolds(f64::NAN).is_empty());
}
