//! Volumes as solids to draw: cubes and spheres of half extent 1, scaled, rotated and translated; and the colours of
//! volumes.

use bvtree::tree::NodeInfo;
use bvtree::{Volume, VolumeKind};
use nalgebra::{Matrix3, Point3, Rotation3, UnitQuaternion, Vector3};

/// The transform that maps the cube from -1 to 1 along each axis, or the unit sphere, to a volume; for a k-DOP, to its
/// axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solid {
    pub center: Point3<f64>,
    pub rotation: UnitQuaternion<f64>,
    /// The scale per axis; for a sphere, its radius on all three axes.
    pub scale: Vector3<f64>,
}

impl Solid {
    pub fn new(volume: &Volume) -> Self {
        let upright = UnitQuaternion::identity();
        match volume {
            Volume::Aabb(aabb) => Self { center: aabb.center(), rotation: upright, scale: aabb.half_extents() },
            Volume::Obb(obb) => Self { center: obb.center, rotation: turn(&obb.axes), scale: obb.half_extents },
            Volume::Sphere(sphere) => {
                Self { center: sphere.center, rotation: upright, scale: Vector3::repeat(sphere.radius) }
            }
            // A k-DOP is drawn as its axis-aligned box, because it is not a stretched unit shape.
            Volume::KDop(kdop) => Self { center: kdop.center(), rotation: upright, scale: kdop.aabb().half_extents() },
        }
    }

    /// Transforms a point of the cube or the unit sphere.
    pub fn place(&self, unit: &Point3<f64>) -> Point3<f64> {
        self.center + self.rotation * unit.coords.component_mul(&self.scale)
    }
}

/// The rotation from the coordinate axes to the axes of a box. A box is its own mirror image, so one axis may be
/// reversed.
fn turn(axes: &Matrix3<f64>) -> UnitQuaternion<f64> {
    let mut axes = *axes;
    if axes.determinant() < 0.0 {
        axes.column_mut(2).neg_mut();
    }
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes))
}

/// The cut of a tree at a level, with the nodes' indices: the nodes at the level, and the leaves above it, so that
/// every cut covers the mesh.
pub fn cut(nodes: &[NodeInfo], level: u32) -> impl Iterator<Item = (usize, &NodeInfo)> {
    nodes.iter().enumerate().filter(move |(_, node)| node.level == level || (node.is_leaf() && node.level < level))
}

/// A closed surface of triangles around the origin, counterclockwise seen from outside.
pub struct UnitShape {
    pub vertices: Vec<Point3<f64>>,
    pub triangles: Vec<[u32; 3]>,
}

impl UnitShape {
    /// The unit shape for volumes of a kind.
    pub fn of(kind: VolumeKind) -> Self {
        match kind {
            VolumeKind::Aabb | VolumeKind::Obb | VolumeKind::KDop => Self::cube(),
            VolumeKind::Sphere => Self::ball(),
        }
    }

    /// The cube from -1 to 1 along each axis.
    fn cube() -> Self {
        let side = |corner: usize, bit: usize| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let vertices = (0..8).map(|corner| Point3::new(side(corner, 0), side(corner, 1), side(corner, 2)));
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
        Self { vertices: vertices.collect(), triangles: triangles.collect() }
    }

    /// The unit sphere: an octahedron with each face split in four, three times over.
    fn ball() -> Self {
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        let mut ball = Self {
            vertices: axes.iter().flat_map(|&axis| [Point3::from(axis), Point3::from(-axis)]).collect(),
            triangles: (0..8)
                .map(|octant: u32| {
                    let [x, y, z] = [octant & 1, 2 + (octant >> 1 & 1), 4 + (octant >> 2)];
                    if octant.count_ones().is_multiple_of(2) { [x, y, z] } else { [x, z, y] }
                })
                .collect(),
        };
        for _ in 0..3 {
            ball.split();
        }
        ball
    }

    /// Splits each triangle in four at the middles of its edges, pushed out to the sphere.
    fn split(&mut self) {
        let mut middles = std::collections::HashMap::new();
        let vertices = &mut self.vertices;
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                let sum = vertices[a as usize].coords + vertices[b as usize].coords;
                vertices.push(sum.normalize().into());
                vertices.len() as u32 - 1
            })
        };
        self.triangles = std::mem::take(&mut self.triangles)
            .into_iter()
            .flat_map(|[a, b, c]| {
                let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
                [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
            })
            .collect();
    }
}

/// The number of colours per volume kind.
pub const SHADES: usize = 12;

/// Red, green and blue from 0 to 1, as sRGB.
pub type Rgb = [f64; 3];

/// Colours of volumes of a kind; the n-th volume has the `n % SHADES`-th.
pub fn shades(kind: VolumeKind) -> [Rgb; SHADES] {
    let hue = match kind {
        VolumeKind::Aabb => 215.0,
        VolumeKind::Obb => 24.0,
        VolumeKind::Sphere => 158.0,
        VolumeKind::KDop => 285.0,
    };
    // Neighbours in the list are far apart: 5 has no divisor in common with 12.
    std::array::from_fn(|i| {
        let step = (i * 5 % SHADES) as f64 / (SHADES - 1) as f64 - 0.5;
        hsl(hue + 26.0 * step, 0.7, 0.48 - 0.24 * step)
    })
}

/// Distinguishable colours, in an order in which neighbours differ much.
pub fn hues<const N: usize>() -> [Rgb; N] {
    std::array::from_fn(|i| hsl(i as f64 * 137.508, 0.65, 0.55))
}

/// Converts a hue in degrees, a saturation and a lightness from 0 to 1 to RGB.
fn hsl(hue: f64, saturation: f64, lightness: f64) -> Rgb {
    let chroma = saturation * lightness.min(1.0 - lightness);
    [0.0, 8.0, 4.0].map(|offset| {
        let k = (offset + hue / 30.0).rem_euclid(12.0);
        lightness - chroma * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_shapes_are_closed_and_face_outwards() {
        for kind in VolumeKind::ALL {
            let UnitShape { vertices, triangles } = UnitShape::of(kind);
            let mut edges = std::collections::HashSet::new();
            let mut content = 0.0;
            for &[a, b, c] in &triangles {
                for edge in [(a, b), (b, c), (c, a)] {
                    assert!(edges.insert(edge), "{kind}: an edge runs twice in one direction");
                }
                let [a, b, c] = [a, b, c].map(|index| vertices[index as usize].coords);
                content += a.cross(&b).dot(&c) / 6.0;
            }
            assert!(edges.iter().all(|&(a, b)| edges.contains(&(b, a))), "{kind}: an open edge");
            let expected = if kind == VolumeKind::Sphere { 4.0 / 3.0 * std::f64::consts::PI } else { 8.0 };
            assert!((content / expected - 1.0).abs() < 0.03, "{kind}: {content}");
        }
    }
}
