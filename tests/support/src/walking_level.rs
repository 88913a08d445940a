//! A level of courses side by side, each with waypoints and the box in which the walk must end.

use bvtree::Mesh;
use nalgebra::{Point2, Point3, Vector2, Vector3};

/// A walk through a part of the level, for a capsule of radius 0.3 that climbs steps of 0.3 and slopes of 45 degrees.
pub struct Course {
    pub name: &'static str,
    /// The feet's start position.
    pub start: Point3<f64>,
    /// The horizontal waypoints, in order.
    pub waypoints: Vec<Point2<f64>>,
    /// The corners of the box in which the feet must end.
    pub end: [Point3<f64>; 2],
}

pub struct Level {
    pub mesh: Mesh,
    pub courses: Vec<Course>,
}

/// Lanes are this far apart.
pub const LANE: f64 = 20.0;

impl Level {
    /// All courses, their faces cut into cells no larger than `cell`.
    pub fn new(cell: f64) -> Self {
        let mut builder = Builder { cell, triangles: Vec::new(), courses: Vec::new() };
        let lanes: [(&'static str, Lane); 10] = [
            ("stairs", stairs),
            ("stairs too high", stairs_too_high),
            ("ramp", ramp),
            ("ramp too steep", ramp_too_steep),
            ("acute corridor", acute_corridor),
            ("spiral", spiral),
            ("terrain", terrain),
            ("tiles", tiles),
            ("small hole", small_hole),
            ("slide", slide),
        ];
        for (i, (name, lane)) in lanes.into_iter().enumerate() {
            let from = builder.triangles.len();
            let mut course = lane(&mut builder);
            let shift = Vector3::new(0.0, i as f64 * LANE, 0.0);
            builder.triangles[from..].iter_mut().flatten().for_each(|corner| *corner += shift);
            course.name = name;
            course.start += shift;
            course.end.iter_mut().for_each(|corner| *corner += shift);
            course.waypoints.iter_mut().for_each(|point| *point += shift.xy());
            builder.courses.push(course);
        }
        Level { mesh: mesh(&builder.triangles), courses: builder.courses }
    }
}

type Lane = fn(&mut Builder) -> Course;

struct Builder {
    cell: f64,
    triangles: Vec<[Point3<f64>; 3]>,
    courses: Vec<Course>,
}

/// The triangles as a mesh without shared vertices.
pub fn mesh(triangles: &[[Point3<f64>; 3]]) -> Mesh {
    let vertices = triangles.iter().flatten().map(|corner| corner.cast()).collect();
    let corners = (0..triangles.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Mesh::from_arrays(vertices, corners).expect("coordinates are finite")
}

/// The triangles of a flat or twisted four-sided face, cut into cells.
pub fn quad([a, b, c, d]: [Point3<f64>; 4], cell: f64) -> Vec<[Point3<f64>; 3]> {
    let cells = |p: Vector3<f64>, q: Vector3<f64>| ((p.norm().max(q.norm()) / cell).ceil() as usize).clamp(1, 400);
    let (columns, rows) = (cells(b - a, c - d), cells(d - a, c - b));
    let at = |i: usize, j: usize| {
        let (u, v) = (i as f64 / columns as f64, j as f64 / rows as f64);
        let (low, high) = (a + (b - a) * u, d + (c - d) * u);
        low + (high - low) * v
    };
    let mut triangles = Vec::new();
    for j in 0..rows {
        for i in 0..columns {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            // Diagonals both ways, so that edges are met at all angles.
            triangles.extend(if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
        }
    }
    triangles
}

impl Builder {
    fn quad(&mut self, corners: [[f64; 3]; 4]) {
        self.triangles.extend(quad(corners.map(Point3::from), self.cell));
    }

    /// A level rectangle.
    fn floor(&mut self, x: [f64; 2], y: [f64; 2], z: f64) {
        self.quad([[x[0], y[0], z], [x[1], y[0], z], [x[1], y[1], z], [x[0], y[1], z]]);
    }

    /// An upright wall over a line.
    fn wall(&mut self, from: [f64; 2], to: [f64; 2], z: [f64; 2]) {
        self.quad([[from[0], from[1], z[0]], [to[0], to[1], z[0]], [to[0], to[1], z[1]], [from[0], from[1], z[1]]]);
    }

    /// Stairs along x from `x` on: treads of length `run`, each `rise` higher. Returns the x and the height of the top.
    fn stairs(&mut self, x: f64, z: f64, run: f64, rise: f64, count: usize) -> [f64; 2] {
        let (mut x, mut z) = (x, z);
        for _ in 0..count {
            let riser = if rise > 0.0 { [z, z + rise] } else { [z + rise, z] };
            self.wall([x, -3.0], [x, 3.0], riser);
            z += rise;
            self.floor([x, x + run], [-3.0, 3.0], z);
            x += run;
        }
        [x, z]
    }
}

fn course(start: [f64; 3], waypoints: &[[f64; 2]], end: [[f64; 3]; 2]) -> Course {
    let waypoints = waypoints.iter().map(|&point| Point2::from(point)).collect();
    Course { name: "", start: Point3::from(start), waypoints, end: end.map(Point3::from) }
}

/// A box about a point, wide by 5 cm and high by 3.
fn near(x: f64, y: f64, z: f64) -> [[f64; 3]; 2] {
    [[x - 0.05, y - 0.05, z - 0.01], [x + 0.05, y + 0.05, z + 0.03]]
}

/// Stairs of ten steps of 25 cm, up and down.
fn stairs(builder: &mut Builder) -> Course {
    builder.floor([-2.0, 3.0], [-3.0, 3.0], 0.0);
    let [x, z] = builder.stairs(3.0, 0.0, 0.4, 0.25, 10);
    builder.floor([x, x + 2.0], [-3.0, 3.0], z);
    let [x, z] = builder.stairs(x + 2.0, z, 0.4, -0.25, 10);
    builder.floor([x, x + 4.0], [-3.0, 3.0], z);
    course([0.0, 0.0, 0.0], &[[x + 2.0, 0.5]], near(x + 2.0, 0.5, 0.0))
}

/// Stairs of 35 cm, which are too high to climb.
fn stairs_too_high(builder: &mut Builder) -> Course {
    builder.floor([-2.0, 3.0], [-3.0, 3.0], 0.0);
    builder.stairs(3.0, 0.0, 0.6, 0.35, 6);
    course([0.0, 0.0, 0.0], &[[6.0, 0.0]], [[2.65, -0.05, -0.01], [2.75, 0.05, 0.03]])
}

fn ramp_of(builder: &mut Builder, slope: f64) {
    builder.floor([-2.0, 3.0], [-3.0, 3.0], 0.0);
    let (x, z) = (3.0 + 2.0 / slope, 2.0);
    builder.quad([[3.0, -3.0, 0.0], [x, -3.0, z], [x, 3.0, z], [3.0, 3.0, 0.0]]);
    builder.floor([x, x + 4.0], [-3.0, 3.0], z);
}

/// A ramp of 40 degrees.
fn ramp(builder: &mut Builder) -> Course {
    ramp_of(builder, 0.839);
    let x = 3.0 + 2.0 / 0.839 + 2.0;
    course([0.0, 0.0, 0.0], &[[x, -0.5]], near(x, -0.5, 2.0))
}

/// A ramp of 50 degrees, which is too steep to climb in any direction.
fn ramp_too_steep(builder: &mut Builder) -> Course {
    ramp_of(builder, 1.192);
    course([0.0, -2.0, 0.0], &[[5.0, 2.0], [9.0, 2.0]], [[2.5, 1.5, -0.01], [3.1, 2.05, 0.05]])
}

/// A walk into the corner between two walls 20 degrees apart, out of it, and back.
fn acute_corridor(builder: &mut Builder) -> Course {
    builder.floor([-2.0, 9.0], [-3.0, 3.0], 0.0);
    builder.wall([1.0, -1.2342], [8.0, 0.0], [0.0, 3.0]);
    builder.wall([1.0, 1.2342], [8.0, 0.0], [0.0, 3.0]);
    course([0.0, 0.3, 0.0], &[[8.0, 0.0], [0.0, -0.5]], near(0.0, -0.5, 0.0))
}

/// A turn and a half of steps of 20 cm around a pillar.
fn spiral(builder: &mut Builder) -> Course {
    const STEPS: usize = 36;
    builder.floor([-6.0, 6.0], [-6.0, 6.0], 0.0);
    let at = |step: f64, radius: f64| {
        let angle = step / 24.0 * std::f64::consts::TAU;
        [radius * angle.cos(), radius * angle.sin()]
    };
    let mut waypoints = Vec::new();
    for step in 0..STEPS {
        let (a, b) = (step as f64, step as f64 + 1.0);
        let ([ax, ay], [bx, by], [cx, cy], [dx, dy]) = (at(a, 2.0), at(a, 4.0), at(b, 4.0), at(b, 2.0));
        let z = 0.2 * b;
        builder.quad([[ax, ay, z], [bx, by, z], [cx, cy, z], [dx, dy, z]]);
        builder.wall([ax, ay], [bx, by], [z - 0.2, z]);
        waypoints.push(at(a + 0.5, 3.0));
    }
    let [x, y] = waypoints[STEPS - 1];
    course([4.5, -2.0, 0.0], &waypoints, near(x, y, 0.2 * STEPS as f64))
}

/// Height of the terrain, with slopes of up to 40 degrees.
pub fn terrain_height(x: f64, y: f64) -> f64 {
    0.5 * (1.1 * x).sin() * (0.9 * y).cos() + 0.1 * (3.1 * x + 1.7 * y).sin()
}

fn terrain(builder: &mut Builder) -> Course {
    let cell = builder.cell.min(0.5);
    let cells = (16.0 / cell).round() as usize;
    let at = |i: usize, j: usize| {
        let (x, y) = (16.0 * i as f64 / cells as f64 - 2.0, 16.0 * j as f64 / cells as f64 - 8.0);
        Point3::new(x, y, terrain_height(x, y))
    };
    for j in 0..cells {
        for i in 0..cells {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            builder.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let z = terrain_height(12.0, -5.0);
    let start = [0.0, 0.0, terrain_height(0.0, 0.0) + 0.1];
    let end = [[11.95, -5.05, z - 0.1], [12.05, -4.95, z + 0.2]];
    course(start, &[[5.0, 5.0], [10.0, 0.0], [6.0, -6.0], [12.0, -5.0]], end)
}

/// A walk along a wall while pushing into it; floor and wall are flat and consist of tiles.
fn tiles(builder: &mut Builder) -> Course {
    let cell = builder.cell;
    builder.cell = cell.min(0.37);
    builder.floor([-2.0, 13.0], [-2.0, 2.0], 0.0);
    builder.wall([-2.0, 1.0], [13.0, 1.0], [0.0, 3.0]);
    builder.cell = cell;
    course([0.0, 0.0, 0.0], &[[6.0, 3.0], [11.0, 0.0]], near(11.0, 0.0, 0.0))
}

/// A walk over a hole that is narrower than the capsule.
fn small_hole(builder: &mut Builder) -> Course {
    builder.floor([-2.0, 3.0], [-3.0, 3.0], 0.0);
    builder.floor([3.4, 9.0], [-3.0, 3.0], 0.0);
    builder.floor([3.0, 3.4], [-3.0, -0.2], 0.0);
    builder.floor([3.0, 3.4], [0.2, 3.0], 0.0);
    course([0.0, 0.0, 0.0], &[[7.0, 0.0]], near(7.0, 0.0, 0.0))
}

/// A start on a slope of 55 degrees, which ends at its foot.
fn slide(builder: &mut Builder) -> Course {
    let slope = 1.428;
    builder.quad([[-2.0, -3.0, 4.0 * slope], [2.0, -3.0, 0.0], [2.0, 3.0, 0.0], [-2.0, 3.0, 4.0 * slope]]);
    builder.floor([2.0, 14.0], [-3.0, 3.0], 0.0);
    builder.wall([14.0, -3.0], [14.0, 3.0], [0.0, 3.0]);
    course([0.0, 0.0, 2.0 * slope + 0.5], &[[0.0, 0.0], [-4.0, 1.0]], [[1.9, 0.5, -0.01], [2.6, 1.5, 0.05]])
}

/// The velocity towards a waypoint at the given speed, or slower if the waypoint is reached in this step.
pub fn toward(feet: &Point3<f64>, waypoint: &Point2<f64>, speed: f64, time: f64) -> Vector3<f64> {
    let way: Vector2<f64> = waypoint - feet.xy();
    let distance = way.norm();
    let reached = (speed * time).min(distance);
    if distance > 0.0 { (way * (reached / (distance * time))).push(0.0) } else { Vector3::zeros() }
}
