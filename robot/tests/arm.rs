//! Random arms whose links are boxes, round shapes and meshes, and the poses of their links, computed with nalgebra's
//! isometries.

use std::fmt::Write;
use std::path::Path;

use bvtree_robot::{Robot, RobotOptions, World};
use nalgebra::{Isometry3, Translation3, Unit, UnitQuaternion, Vector3};

/// Random numbers that are the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, count: u64) -> u64 {
        self.bits() % count
    }

    /// A random number from `lower` to `upper`.
    pub fn between(&mut self, lower: f64, upper: f64) -> f64 {
        lower + (upper - lower) * ((self.bits() >> 11) as f64 / (1_u64 << 53) as f64)
    }

    pub fn vector(&mut self, reach: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.between(-reach, reach))
    }

    pub fn configuration(&mut self, robot: &Robot) -> Vec<f64> {
        robot.values().iter().map(|_| self.between(-2.0, 2.0)).collect()
    }
}

pub struct Joint {
    pub kind: &'static str,
    pub axis: Vector3<f64>,
    pub xyz: Vector3<f64>,
    pub rpy: Vector3<f64>,
}

impl Joint {
    pub fn origin(&self) -> Isometry3<f64> {
        let [roll, pitch, yaw] = self.rpy.into();
        Isometry3::from_parts(Translation3::from(self.xyz), UnitQuaternion::from_euler_angles(roll, pitch, yaw))
    }

    /// The child's pose in the parent, and the values that are left.
    pub fn place<'a>(&self, values: &'a [f64]) -> (Isometry3<f64>, &'a [f64]) {
        let axis = Unit::new_normalize(self.axis);
        let turned =
            |angle: f64| Isometry3::from_parts(Translation3::identity(), UnitQuaternion::from_axis_angle(&axis, angle));
        let (count, moved) = match self.kind {
            "fixed" => (0, Isometry3::identity()),
            "prismatic" => {
                (1, Isometry3::from_parts((axis.into_inner() * values[0]).into(), UnitQuaternion::identity()))
            }
            "floating" => {
                let turn = UnitQuaternion::new_normalize([values[3], values[4], values[5], values[6]].into());
                (7, Isometry3::from_parts(Vector3::new(values[0], values[1], values[2]).into(), turn))
            }
            "planar" => {
                let upright = UnitQuaternion::rotation_between(&Vector3::z(), &axis).unwrap();
                let shift = upright * Vector3::new(values[0], values[1], 0.0);
                (3, Isometry3::from_parts(shift.into(), UnitQuaternion::from_axis_angle(&axis, values[2])))
            }
            _ => (1, turned(values[0])),
        };
        (self.origin() * moved, &values[count..])
    }
}

pub struct Arm {
    pub robot: Robot,
    pub urdf: String,
    /// The joint above each link but the first.
    pub joints: Vec<Joint>,
}

/// A chain of `links` links. Meshes are written to a folder.
pub fn random_arm(random: &mut Random, links: usize, kinds: &[&'static str], folder: &Path) -> Arm {
    let mut text = String::from("<robot name='arm'>\n");
    let mut joints = Vec::new();
    for link in 0..links {
        writeln!(text, "<link name='l{link}'>").unwrap();
        for _ in 0..1 + random.below(2) {
            let [x, y, z] = [(); 3].map(|()| random.between(0.03, 0.12));
            let geometry = match random.below(5) {
                0 => format!("<box size='{x} {y} {z}'/>"),
                1 => format!("<cylinder radius='{}' length='{y}'/>", x / 2.0),
                2 => format!("<sphere radius='{}'/>", x / 2.0),
                _ => {
                    let name = format!("mesh{}.obj", random.bits());
                    std::fs::write(folder.join(&name), pyramid(random)).unwrap();
                    format!("<mesh filename='{name}' scale='{x} {y} {z}'/>")
                }
            };
            let ([x, y, z], [r, p, w]): ([f64; 3], [f64; 3]) = (random.vector(0.05).into(), random.vector(3.0).into());
            let origin = format!("<origin xyz='{x} {y} {z}' rpy='{r} {p} {w}'/>");
            writeln!(text, "<collision>{origin}<geometry>{geometry}</geometry></collision>").unwrap();
        }
        writeln!(text, "</link>").unwrap();
        if link > 0 {
            let kind = kinds[random.below(kinds.len() as u64) as usize];
            let joint = Joint { kind, axis: random.vector(1.0), xyz: random.vector(0.15), rpy: random.vector(3.0) };
            let [[x, y, z], [r, p, w], [u, v, t]]: [[f64; 3]; 3] = [joint.xyz, joint.rpy, joint.axis].map(Into::into);
            let parts = format!(
                "<origin xyz='{x} {y} {z}' rpy='{r} {p} {w}'/><axis xyz='{u} {v} {t}'/>\
                 <parent link='l{}'/><child link='l{link}'/>",
                link - 1
            );
            writeln!(text, "<joint name='j{link}' type='{kind}'>{parts}</joint>").unwrap();
            joints.push(joint);
        }
    }
    text.push_str("</robot>");
    let robot = Robot::parse(&text, None, folder, &RobotOptions::default()).unwrap();
    Arm { robot, urdf: text, joints }
}

/// A closed mesh, or now and then an open one.
fn pyramid(random: &mut Random) -> String {
    let mut text = String::new();
    for corner in [[-1.0, -1.0, -1.0], [1.0, -1.0, -1.0], [1.0, 1.0, -1.0], [-1.0, 1.0, -1.0], [0.0, 0.0, 1.0]] {
        let [x, y, z] = corner.map(|x: f64| x + random.between(-0.2, 0.2));
        writeln!(text, "v {x} {y} {z}").unwrap();
    }
    text.push_str("f 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\nf 3 2 1\nf 4 3 1\n");
    text
}

/// A box, a ball and a few points around the arm.
pub fn random_world(random: &mut Random) -> World {
    let mut world = World::new();
    let pose = bvtree::Pose::from_axis_angle(&random.vector(1.0), 1.0, random.vector(0.6)).unwrap();
    world.add_box("box", Vector3::new(0.1, 0.2, 0.3), &pose).unwrap();
    let points: Vec<_> = (0..20).map(|_| random.vector(1.0).into()).collect();
    world.add_points("points", &points, 0.01).unwrap();
    world
}
