//! Meshes, places, numbers and pools of threads, by a byte each.

use std::sync::{Arc, LazyLock};

use bvtree::refit::ObbAxes;
use bvtree::shape::ConvexShape;
use bvtree::{BuildOptions, Mesh, Pose, Preset, VolumeKind};
use nalgebra::{Matrix3, Point3, Rotation3, Vector3};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Small meshes: with corners on a grid, round, open, flat, degenerate, empty, large.
pub static MESHES: LazyLock<Vec<Mesh>> = LazyLock::new(|| {
    let octahedron = [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    let axes = [[1., 0., 0.], [-1., 0., 0.], [0., 1., 0.], [0., -1., 0.], [0., 0., 1.], [0., 0., -1.]];
    let square = [[-1., -1., 0.], [1., -1., 0.], [1., 1., 0.], [-1., 1., 0.]];
    let of = |corners: &[[f32; 3]], triangles: &[[u32; 3]]| Mesh::from_slices(corners, triangles).expect("a mesh");
    vec![
        cube(),
        sphere(6, 8, 0.8),
        of(&axes, &octahedron),
        of(&square, &[[0, 1, 2], [0, 2, 3]]),
        of(&[[0., 0., 0.], [1., 0., 0.], [0., 1., 0.]], &[[0, 1, 2]]),
        of(&[[0.5, 0.25, 0.]], &[[0, 0, 0]]),
        sphere(12, 16, 1.5),
        of(&[[0.; 3]], &[]),
        with_vertices(&cube(), cube().vertices().iter().map(|p| p * 4.0).collect()),
    ]
});

/// The meshes of `MESHES`, and four bumpy ones of different fineness: a few large triangles beside many small ones,
/// where queries change from testing volumes to testing triangles at different depths of the two trees.
pub static ALL_MESHES: LazyLock<Vec<Mesh>> = LazyLock::new(|| {
    let bumpy = |sphere: Mesh| {
        let bumps = |p: &Point3<f32>| p * (1.0 + 0.3 * (4.0 * p.x).sin() * (5.0 * p.y).cos() * (3.0 * p.z).cos());
        with_vertices(&sphere, sphere.vertices().iter().map(bumps).collect())
    };
    let fine = [sphere(5, 7, 1.5), sphere(20, 30, 0.5), sphere(30, 40, 1.5), sphere(20, 30, 0.01)].map(bumpy);
    MESHES.iter().cloned().chain(fine).collect()
});

/// Meshes that are closed, of which bodies can be solid, and open ones, of which they can't, by their numbers.
pub const CLOSED: [usize; 5] = [0, 1, 2, 6, 8];
pub const OPEN: [usize; 2] = [3, 4];

/// Convex shapes of every kind, with sizes on the grid: rounded and not, flat, a point, large.
pub static SHAPES: LazyLock<Vec<Arc<ConvexShape>>> = LazyLock::new(|| {
    let cuboid = |x: f64, y: f64, z: f64| ConvexShape::cuboid(Vector3::new(x, y, z));
    let corners = [[1., 0., 0.], [-1., 0., 0.], [0., 1., 0.], [0., -1., 0.], [0., 0., 1.], [0., 0., -1.]];
    let octahedron = ConvexShape::hull(&corners.map(Point3::from));
    let all = [
        ConvexShape::sphere(0.75),
        cuboid(1.0, 0.5, 0.75),
        ConvexShape::capsule(1.0, 0.25),
        octahedron,
        ConvexShape::cylinder(1.0, 0.5),
        ConvexShape::cone(0.5, 1.0),
        cuboid(0.5, 0.5, 0.5).and_then(|cube| cube.rounded(0.25)),
        cuboid(1.0, 1.0, 0.0),
        ConvexShape::sphere(0.0),
        cuboid(4.0, 4.0, 4.0),
    ];
    all.map(|shape| Arc::new(shape.expect("lengths"))).into()
});

/// Corners at -1 and 1.
fn cube() -> Mesh {
    let corner = |i: u32| [0, 1, 2].map(|k| if i >> k & 1 == 0 { -1.0 } else { 1.0 });
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<_> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::from_slices(&(0..8).map(corner).collect::<Vec<[f32; 3]>>(), &triangles).expect("a cube")
}

/// By rings from pole to pole, each of so many segments.
fn sphere(rings: u32, segments: u32, radius: f32) -> Mesh {
    let angle = |i: u32, n: u32| std::f32::consts::TAU * i as f32 / n as f32;
    let vertex = |ring: u32, segment: u32| {
        let ((sin, cos), (y, x)) = (angle(ring, 2 * rings).sin_cos(), angle(segment, segments).sin_cos());
        // A pole is one point.
        let sin = if ring == rings { 0.0 } else { sin };
        [radius * sin * x, radius * sin * y, radius * cos]
    };
    let vertices: Vec<_> = (0..=rings).flat_map(|ring| (0..segments).map(move |s| vertex(ring, s))).collect();
    let at = |ring: u32, segment: u32| ring * segments + segment % segments;
    let cells = (0..rings).flat_map(|ring| (0..segments).map(move |segment| (ring, segment)));
    let triangles: Vec<_> = cells
        .flat_map(|(r, s)| {
            let [p, q, u, v] = [at(r, s), at(r + 1, s), at(r + 1, s + 1), at(r, s + 1)];
            // The poles' rings are points.
            let upper = (r > 0).then_some([p, u, v]);
            [upper, (r + 1 < rings).then_some([p, q, u])].into_iter().flatten()
        })
        .collect();
    Mesh::from_slices(&vertices, &triangles).expect("a sphere")
}

/// How a tree is built: by each kind, preset and size of leaves.
pub fn build_options(byte: u8) -> BuildOptions {
    let byte = usize::from(byte);
    let preset = Preset::ALL[byte / 3 % Preset::ALL.len()];
    BuildOptions {
        max_leaf_triangles: 1 + (byte / 9 % 3) as u32,
        ..preset.options(VolumeKind::ALL[byte % VolumeKind::ALL.len()])
    }
}

pub fn obb_axes(byte: u8) -> ObbAxes {
    ObbAxes::ALL[usize::from(byte) % ObbAxes::ALL.len()]
}

/// 0, -1, 1, -2, 2 and so on.
fn signed(byte: u8) -> i8 {
    (byte >> 1) as i8 ^ -((byte & 1) as i8)
}

/// A coordinate from -3 to 3 on a grid of eighths.
pub fn eighths(byte: u8) -> f64 {
    f64::from(signed(byte % 49)) / 8.0
}

/// None, a quarter turn, a half turn, any turn, or a matrix that stretches as much as a pose may.
pub fn rotation(byte: u8) -> Matrix3<f64> {
    let quarter = |axis: usize| {
        let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut turn = Matrix3::zeros();
        (turn[(axis, axis)], turn[(j, k)], turn[(k, j)]) = (1.0, -1.0, 1.0);
        turn
    };
    let angle = f64::from(byte) * 0.7;
    match byte % 16 {
        0..=7 => Matrix3::identity(),
        8..=10 => quarter(usize::from(byte % 3)),
        11 => quarter(0) * quarter(0),
        12..=13 => Rotation3::from_euler_angles(angle, 0.3 * angle, -angle).into_inner(),
        14 => Matrix3::identity() * (1.0 + 4e-5),
        _ => Rotation3::from_euler_angles(angle, angle, 0.2).into_inner() * (1.0 - 4e-5),
    }
}

/// A place on the grid.
pub fn place([x, y, z, turn]: [u8; 4]) -> Pose {
    Pose::new(rotation(turn), Vector3::new(eighths(x), eighths(y), eighths(z))).expect("a pose")
}

/// A small step along an axis: whole powers of two, and others.
pub fn nudge([axis, size]: [u8; 2]) -> Vector3<f64> {
    let sizes = [1e-9, 1e-6, 1e-4, 1e-3, 0.0625, 2f64.powi(-30), 1e-12, 1e-300, 5e-324, 1e-15, 0.3];
    let size = sizes[usize::from(size) % sizes.len()];
    let mut step = Vector3::zeros();
    step[usize::from(axis % 3)] = if axis % 2 == 0 { size } else { -size };
    step
}

/// How far a journey leads: up to the farthest that a body of a scene may be.
pub fn far([axis, size]: [u8; 2]) -> Vector3<f64> {
    let sizes = [1e10, 1e8, 1e12, 1e6, 1e3, 1e15, 1e20, 9.9e29];
    let size = sizes[usize::from(size) % sizes.len()];
    let mut way = Vector3::repeat(if axis % 4 == 3 { size / 3.0 } else { 0.0 });
    way[usize::from(axis % 3)] = if axis % 2 == 0 { size } else { -size };
    way
}

/// A bound or tolerance: of extremes, or of a distance that is known when it is needed.
#[derive(Clone, Copy, Debug)]
pub enum Bound {
    Is(f64),
    /// So many times the distance.
    Times(f64),
    /// The next number below the distance, the distance itself, the next above.
    Next(i8),
}

impl Bound {
    pub fn new(byte: u8) -> Self {
        let extremes = [
            0.0,
            f64::INFINITY,
            5e-324,
            1e-300,
            1.0,
            0.1,
            1e-12,
            1e-9,
            3.0,
            1e300,
            -0.0,
            -1.0,
            f64::NAN,
            9.0,
            1e-160,
            0.001,
        ];
        match byte % 24 {
            16..=18 => Self::Next(byte as i8 % 24 - 17),
            19 => Self::Times(1.0005),
            20 => Self::Times(0.9995),
            21 => Self::Times(2.0),
            22 => Self::Times(0.5),
            23 => Self::Times(1.0 + 1e-13),
            i => Self::Is(extremes[usize::from(i)]),
        }
    }

    pub fn at(self, distance: Option<f64>) -> f64 {
        let distance = distance.unwrap_or(1.0);
        match self {
            Self::Is(bound) => bound,
            Self::Times(factor) => distance * factor,
            Self::Next(..0) => distance.next_down(),
            Self::Next(0) => distance,
            Self::Next(1..) => distance.next_up(),
        }
    }
}

/// Pools of one thread and of two.
static POOLS: LazyLock<[ThreadPool; 2]> =
    LazyLock::new(|| [1, 2].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads")));

/// Asks on one thread or on two.
pub fn on_threads<R: Send>(two: bool, ask: impl FnOnce() -> R + Send) -> R {
    POOLS[usize::from(two)].install(ask)
}

/// The mesh with its vertices elsewhere.
pub fn with_vertices(mesh: &Mesh, vertices: Vec<Point3<f32>>) -> Mesh {
    Mesh::from_arrays(vertices, mesh.triangles().to_vec()).expect("finite numbers")
}

/// How a mesh deforms.
#[derive(Clone, Debug)]
pub enum Deform {
    Shift(Vector3<f64>),
    Scale(f32),
    /// Each vertex by a part of a step, as bytes and its number decide.
    Scatter([u8; 3]),
    /// All vertices onto a plane, a line or a point.
    Flatten(u8),
    /// Back to the mesh that it was at first.
    Reset,
}

impl Deform {
    pub fn new([how, a, b, c]: [u8; 4]) -> Self {
        let scales = [2.0, 0.5, 1e-3, 100.0, -1.0, 1e-20];
        match how % 8 {
            0 | 1 => Self::Shift(Vector3::new(eighths(a), eighths(b), eighths(c))),
            2 => Self::Scale(scales[usize::from(a) % scales.len()]),
            3..=5 => Self::Scatter([a, b, c]),
            6 => Self::Flatten(1 + a % 7),
            _ => Self::Reset,
        }
    }

    pub fn of(&self, now: &Mesh, first: &Mesh) -> Vec<Point3<f32>> {
        let move_vertex = |(p, i): (&Point3<f32>, u8)| match self {
            Self::Shift(by) => p + by.cast::<f32>(),
            Self::Scale(by) => p * *by,
            Self::Scatter(bytes) => {
                let step = |byte: u8| eighths(byte.wrapping_mul(i.wrapping_add(1)).wrapping_add(i)) as f32 / 4.0;
                p + Vector3::from(bytes.map(step))
            }
            Self::Flatten(axes) => Point3::from([0, 1, 2].map(|k| if axes >> k & 1 == 1 { 0.0 } else { p[k] })),
            Self::Reset => *p,
        };
        let from = if matches!(self, Self::Reset) { first } else { now };
        // Not so far that the next step is out of range.
        let clamped = |p: Point3<f32>| p.map(|x| x.clamp(-1e6, 1e6));
        from.vertices().iter().zip((0..=u8::MAX).cycle()).map(move_vertex).map(clamped).collect()
    }
}

/// A vertex of a mesh, by a byte, and where it goes on the grid; none of a mesh without.
pub fn moved_vertex(mesh: &Mesh, vertex: u8, to: [u8; 3]) -> Option<(u32, Point3<f32>)> {
    let count = mesh.vertices().len();
    (count > 0).then(|| ((usize::from(vertex) % count) as u32, to.map(|byte| eighths(byte) as f32).into()))
}
