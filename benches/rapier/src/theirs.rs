//! rapier3d's controller, set up as its documentation shows: steps, snapping, gravity by the caller.

use bvtree::Mesh;
use nalgebra::{Point3, Vector3};
use rapier3d::control::{CharacterAutostep, CharacterLength, KinematicCharacterController};
use rapier3d::prelude::*;

use crate::Walker;

pub struct Theirs {
    bodies: RigidBodySet,
    colliders: ColliderSet,
    broad_phase: BroadPhaseBvh,
    narrow_phase: NarrowPhase,
    controller: KinematicCharacterController,
    shape: SharedShape,
    /// The capsule's middle.
    position: Vector,
    fall: f32,
}

const HALF_HEIGHT: f32 = 0.6;
const RADIUS: f32 = 0.3;

impl Theirs {
    pub fn new(mesh: &Mesh, flags: TriMeshFlags) -> Result<Self, TriMeshBuilderError> {
        let vertices = mesh.vertices().iter().map(|v| Vector::new(v.x, v.y, v.z)).collect();
        let mut colliders = ColliderSet::new();
        colliders.insert(ColliderBuilder::trimesh_with_flags(vertices, mesh.triangles().to_vec(), flags)?);
        let mut bodies = RigidBodySet::new();
        let (mut broad_phase, mut narrow_phase) = (BroadPhaseBvh::new(), NarrowPhase::new());
        PhysicsPipeline::new().step(
            Vector::ZERO,
            &IntegrationParameters::default(),
            &mut IslandManager::new(),
            &mut broad_phase,
            &mut narrow_phase,
            &mut bodies,
            &mut colliders,
            &mut ImpulseJointSet::new(),
            &mut MultibodyJointSet::new(),
            &mut SoftBodySet::new(),
            &mut CCDSolver::new(),
            &(),
            &(),
        );
        let controller = KinematicCharacterController {
            up: Vector::Z,
            offset: CharacterLength::Absolute(0.01),
            autostep: Some(CharacterAutostep {
                max_height: CharacterLength::Absolute(0.3),
                min_width: CharacterLength::Absolute(0.1),
                include_dynamic_bodies: false,
            }),
            snap_to_ground: Some(CharacterLength::Absolute(0.35)),
            ..KinematicCharacterController::default()
        };
        let shape = SharedShape::new(Capsule::new_z(HALF_HEIGHT, RADIUS));
        Ok(Self { bodies, colliders, broad_phase, narrow_phase, controller, shape, position: Vector::ZERO, fall: 0.0 })
    }
}

impl Walker for Theirs {
    fn place(&mut self, feet: Point3<f64>) {
        let feet = feet.cast::<f32>();
        self.position = Vector::new(feet.x, feet.y, feet.z + HALF_HEIGHT + RADIUS);
        self.fall = 0.0;
    }

    fn step(&mut self, walk: &Vector3<f64>, time: f64) {
        let (walk, time) = (walk.cast::<f32>(), time as f32);
        self.fall -= 9.81 * time;
        let wish = Vector::new(walk.x, walk.y, self.fall) * time;
        let dispatcher = self.narrow_phase.query_dispatcher();
        let pipeline =
            self.broad_phase.as_query_pipeline(dispatcher, &self.bodies, &self.colliders, QueryFilter::new());
        let pose = Pose::from_translation(self.position);
        let moved = self.controller.move_shape(time, &pipeline, &*self.shape, &pose, wish, |_| {});
        self.position += moved.translation;
        if moved.grounded {
            self.fall = 0.0;
        }
    }

    fn feet(&self) -> Point3<f64> {
        let [x, y, z] = [self.position.x, self.position.y, self.position.z - HALF_HEIGHT - RADIUS];
        Point3::new(x, y, z).cast()
    }
}
