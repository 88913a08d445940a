//! Meshes that are ordinary, degenerate, tiny, huge or far away, all the same on every run.

use bvtree::Mesh;
use bvtree::mesh::Group;
use nalgebra::{Point3, Vector3};

/// Vigna's splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.bits() % limit as u64) as usize
    }

    /// From -1 to 1.
    pub fn unit(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1u32 << 23) as f32 - 1.0
    }

    pub fn vector(&mut self) -> Vector3<f32> {
        Vector3::new(self.unit(), self.unit(), self.unit())
    }
}

/// Triangles that share no vertices.
fn loose(triangles: impl IntoIterator<Item = [Point3<f32>; 3]>) -> Mesh {
    let vertices: Vec<_> = triangles.into_iter().flatten().collect();
    let triangles = (0..vertices.len() as u32 / 3).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::from_arrays(vertices, triangles).unwrap()
}

/// Small triangles in a cube of side 2, in two groups, two triangles to a polygon.
pub fn soup(count: usize, seed: u64) -> Mesh {
    let mut random = Random(seed);
    let soup = loose((0..count).map(|_| {
        let center = Point3::from(random.vector());
        [(); 3].map(|()| center + 0.3 * random.vector())
    }));
    let polygons = (0..count as u32).map(|triangle| triangle / 2).collect();
    let groups = [("first", 1), ("zweite Gruppe äöü", count as u32 / 2)];
    let groups = groups.map(|(name, first_triangle)| {
        let material = if first_triangle == 1 { String::new() } else { "Holz ä".into() };
        Group { name: name.into(), material, first_triangle }
    });
    Mesh::from_parts(soup.vertices().into(), soup.triangles().into(), polygons, groups.into()).unwrap()
}

/// A wavy sheet of `2 * side * side` triangles.
pub fn sheet(side: u32, height: f32) -> Mesh {
    let vertices = (0..(side + 1) * (side + 1)).map(|i| {
        let (x, y) = ((i % (side + 1)) as f32, (i / (side + 1)) as f32);
        Point3::new(x, y, height * (0.7 * x).sin() * (0.4 * y).cos()) / side as f32
    });
    let triangles = (0..side * side).flat_map(|i| {
        let a = i / side * (side + 1) + i % side;
        [[a, a + 1, a + side + 1], [a + 1, a + side + 2, a + side + 1]]
    });
    Mesh::from_arrays(vertices.collect(), triangles.collect()).unwrap()
}

pub fn scaled(mesh: &Mesh, scale: f32, offset: f32) -> Mesh {
    let vertices = mesh.vertices().iter().map(|v| v * scale + Vector3::repeat(offset)).collect();
    Mesh::from_arrays(vertices, mesh.triangles().into()).unwrap()
}

/// All of them by name; those "by the thousand" have `many` triangles.
pub fn all(many: usize) -> Vec<(&'static str, Mesh)> {
    let corner = |x: f32, y: f32, z: f32| Point3::new(x, y, z);
    let one = [corner(0.1, 0.2, 0.3), corner(1.0, 0.0, 0.5), corner(0.0, 1.0, -0.7)];
    let mut random = Random(7);
    let soup_60 = soup(60, 1);
    vec![
        ("empty", Mesh::from_arrays(vec![], vec![]).unwrap()),
        ("vertices only", Mesh::from_arrays(one.into(), vec![]).unwrap()),
        ("one triangle", loose([one])),
        ("one point", loose([[one[0]; 3]])),
        (
            "two triangles, an unused vertex",
            Mesh::from_arrays(sheet(1, 0.0).vertices().into(), vec![[3, 1, 0], [0, 3, 1]]).unwrap(),
        ),
        ("identical", loose((0..many).map(|_| one))),
        ("points", loose((0..60).map(|_| [Point3::from(random.vector()); 3]))),
        ("coplanar", sheet(6, 0.0)),
        (
            "collinear",
            loose(
                (0..60).map(|i| [0.0, 0.5, 1.0].map(|t| Point3::from(Vector3::new(0.3, -0.8, 0.1) * (i as f32 + t)))),
            ),
        ),
        (
            "coincident centroids",
            loose((0..many).map(|i| {
                let size = 1.0 + (i % 5) as f32;
                [corner(size, 0.0, 0.0), corner(-size, size, 0.0), corner(0.0, -size, 0.0)]
            })),
        ),
        ("sheet", sheet(8, 1.5)),
        (
            "slivers",
            loose((0..60).map(|i| [corner(0.0, 0.0, i as f32), corner(1e6, 1e-6, i as f32), corner(-1e6, 1e-7, 0.0)])),
        ),
        ("1e-30", scaled(&soup_60, 1e-30, 0.0)),
        ("subnormal", scaled(&soup_60, 1e-43, 0.0)),
        ("1e30", scaled(&soup_60, 1e30, 0.0)),
        ("greatest", scaled(&soup_60, f32::MAX / 2.0, 0.0)),
        ("far", scaled(&soup_60, 1.0, 1e6)),
        ("very far", scaled(&soup_60, 1.0, 3e7)),
        ("soup", soup_60),
    ]
}
