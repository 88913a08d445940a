//! Viewpoints of clashes: where the eye is, and the direction in which it looks.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, OnceLock};

use bvtree::Mesh;
use bvtree::probe::{Probe, Ray};
use bvtree::scene::{Body, Scene};
use nalgebra::Vector3;

use crate::assembly::{Assembly, Part};
use crate::clash::Clash;

/// The vertical field of view in degrees.
pub const FIELD_OF_VIEW: f64 = 60.0;
/// The width of a picture over its height.
pub const ASPECT_RATIO: f64 = 1.5;

/// The viewpoint of a clash, with z up.
pub struct View {
    pub eye: Vector3<f64>,
    pub direction: Vector3<f64>,
    /// Whether no third body stands between the eye and the clash.
    pub is_free: bool,
}

impl View {
    pub fn up(&self) -> Vector3<f64> {
        self.direction.cross(&Vector3::z()).cross(&self.direction).normalize()
    }
}

/// Finds directions in which clashes can be seen.
pub struct Views<'a> {
    pub assembly: &'a Assembly,
    scene: Scene,
    /// The meshes of trees, by the trees' addresses, created when they are first drawn.
    meshes: HashMap<usize, OnceLock<Option<Mesh>>>,
    is_y_up: bool,
}

impl<'a> Views<'a> {
    /// The view directions in the order tried: first from above and from the side, then from below.
    const DIRECTIONS: [[f64; 3]; 12] = [
        [-1.0, 1.0, -0.8],
        [1.0, 1.0, -0.8],
        [1.0, -1.0, -0.8],
        [-1.0, -1.0, -0.8],
        [0.1, 0.0, -1.0],
        [-1.0, 0.1, -0.1],
        [0.1, 1.0, -0.1],
        [1.0, -0.1, -0.1],
        [-0.1, -1.0, -0.1],
        [-1.0, 1.0, 0.8],
        [1.0, -1.0, 0.8],
        [0.1, 0.0, 1.0],
    ];
    /// The least distance of the eye from a clash, as a fraction of its distance without obstacles.
    const NEAREST: f64 = 0.3;

    pub fn new(assembly: &'a Assembly, is_y_up: bool) -> io::Result<Self> {
        let mut scene = Scene::new();
        for part in &assembly.parts {
            scene.add(Body::fixed(part.tree.clone(), part.pose)).map_err(io::Error::other)?;
        }
        let meshes = assembly.parts.iter().map(|part| (address(part), OnceLock::new())).collect();
        Ok(Self { assembly, scene, meshes, is_y_up })
    }

    /// The mesh of a body, in the body's own frame; `None` if the tree cannot be converted to a mesh.
    pub fn mesh(&self, part: &Part) -> Option<&Mesh> {
        self.meshes.get(&address(part))?.get_or_init(|| part.tree.to_mesh().ok()).as_ref()
    }

    /// The indices of the bodies whose bounds are within a distance of a body's bounds along each axis, and of some
    /// slightly farther bodies; the body itself is among them.
    pub fn parts_near(&self, part: usize, distance: f64) -> Vec<usize> {
        let part = &self.assembly.parts[part];
        let near = self.scene.bodies_near(&part.tree, &part.pose, distance, u32::MAX);
        near.iter().map(|id| id.index()).collect()
    }

    pub fn with_z_up(&self, v: &Vector3<f64>) -> Vector3<f64> {
        if self.is_y_up { Vector3::new(v.x, -v.z, v.y) } else { *v }
    }

    fn in_world(&self, v: &Vector3<f64>) -> Vector3<f64> {
        if self.is_y_up { Vector3::new(v.x, v.z, -v.y) } else { *v }
    }

    /// A viewpoint in the first direction in which no third body is in front of the clash, or else in the direction
    /// with the most room for the eye.
    pub fn of(&self, clash: &Clash) -> View {
        let mut probe = Probe::default();
        let sizes = clash.parts.map(|part| self.assembly.parts[part].tree.bounds().half_extents().norm());
        // The smaller body fills the view.
        let distance = 3.0 * sizes[0].min(sizes[1]).max(0.1 * sizes[0].max(sizes[1]));
        let directions = Self::DIRECTIONS.map(|direction| Vector3::from(direction).normalize());
        let mut best = (0.0, directions[0]);
        for direction in directions {
            let ray = Ray::new(clash.place, -self.in_world(&direction));
            let hits = self.scene.hits(&mut probe, &ray, distance, u32::MAX);
            let others = hits.iter().filter(|hit| !clash.parts.contains(&hit.body.index()));
            // The eye stops short of the obstacle.
            let room = others.map(|hit| 0.9 * hit.hit.time).fold(distance, f64::min);
            if room > best.0 {
                best = (room, direction);
            }
            if room == distance {
                break;
            }
        }
        let (room, direction) = best;
        let is_free = room >= Self::NEAREST * distance;
        let away = if is_free { room } else { distance };
        View { eye: self.with_z_up(&clash.place.coords) - direction * away, direction, is_free }
    }
}

fn address(part: &Part) -> usize {
    Arc::as_ptr(&part.tree).addr()
}
