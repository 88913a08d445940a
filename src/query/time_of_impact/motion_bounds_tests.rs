//! Points sampled along motions stay inside what the motion is bounded by, and come within a few percent of it.

use nalgebra::{Isometry3, Point3, UnitQuaternion};

use super::*;
use crate::mesh::Mesh;
use crate::options::BuildOptions;

/// 0 to 1.
fn draw(random: &mut u64) -> f64 {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*random >> 11) as f64 / (1_u64 << 53) as f64
}

fn vector(random: &mut u64) -> Vector3<f64> {
    Vector3::from_fn(|_, _| 2.0 * draw(random) - 1.0)
}

/// A tree of two triangles across a box.
fn tree(center: Vector3<f64>, half_size: f64) -> BvTree {
    let corners = (0..6).map(|i| {
        let sign = |k: usize| if (i + k).is_multiple_of(3) || i < 3 { -half_size } else { half_size };
        Point3::from((center + Vector3::new(sign(0), sign(1), sign(2))).map(|x| x as f32))
    });
    let mesh = Mesh::from_arrays(corners.collect(), vec![[0, 1, 2], [3, 4, 5], [0, 2, 4]]).unwrap();
    BvTree::build(&mesh, &BuildOptions::default()).unwrap()
}

/// The greatest parts of the bounds that samples have used up: of how far centres stray from the straight path, for B's
/// tree and for A's; and of how far a turn takes what is beside them.
#[derive(Default)]
struct UsedUp {
    stray: [f64; 2],
    turn: [f64; 2],
}

impl UsedUp {
    /// Samples a window of a motion.
    fn sample(&mut self, windows: &Windows<'_>, motion: &Motion, window: [f64; 2], random: &mut u64) {
        let (middle, bounds) = windows.motion_bounds(window);
        let [frame_a, frame_b] = &windows.frames;
        for (side, bound) in bounds.iter().enumerate() {
            // A point of the moving tree, and where the other tree sees it.
            let [moving, target] = if side == 0 { [frame_b, frame_a] } else { [frame_a, frame_b] };
            let seen = |pose: &Pose, point: &Point3<f64>| {
                let back = |point: &Point3<f64>| pose.rotation().try_inverse().unwrap() * (point - pose.translation());
                target.to_local(&if side == 0 {
                    Point3::from(pose.rotation() * point.coords + pose.translation())
                } else {
                    back(point)
                })
            };
            let point = moving.to_mesh(&Point3::from(vector(random) * 0.577));
            let beside = point + vector(random) * (0.1 * moving.unit);
            let [center, edge] = [seen(&middle, &point), seen(&middle, &beside)];
            let stored: [f32; 3] = center.coords.map(|x| x as f32).into();
            let ends = [0, 1].map(|end| Vector3::from(bound.displacements[end].apply(stored)).map(f64::from));
            let off_axis = f64::from(bound.off_axis(stored));
            let stray = f64::from(bound.stray[0]) * off_axis + f64::from(bound.stray[1]);
            let turn = f64::from(bound.half_angle) * (edge - center).norm();
            // What f32 rounds, which is the margin's to outweigh.
            let rounding = 16.0 * f64::from(f32::EPSILON) * (1.0 + center.coords.norm() + ends[0].norm());
            assert!(rounding <= f64::from(bound.margin));
            for step in 0..=10 {
                let part = f64::from(step) / 10.0;
                let pose = motion.at(window[0] + part * (window[1] - window[0]));
                let [now, edge_now] = [seen(&pose, &point), seen(&pose, &beside)];
                let off = (now - (center + ends[0] * (1.0 - part) + ends[1] * part)).norm();
                assert!(off <= stray + rounding, "{off} off the straight path, bounded by {stray}: {motion:?}");
                let turned = ((edge_now - now) - (edge - center)).norm();
                assert!(turned <= turn + rounding, "turned by {turned}, bounded by {turn}: {motion:?}");
                if stray > 1e3 * rounding {
                    self.stray[side] = self.stray[side].max(off / stray);
                }
                if turn > 1e3 * rounding {
                    self.turn[side] = self.turn[side].max(turned / turn);
                }
            }
        }
    }
}

#[test]
fn sampled_points_stay_inside_the_bounds_and_come_near_them() {
    let mut random = 1;
    let mut used_up = UsedUp::default();
    let mut sampled = 0;
    for round in 0..2_000 {
        let trees =
            [0, 1].map(|_| tree(vector(&mut random) * 3.0, [0.3, 1.0, 4.0][(draw(&mut random) * 3.0) as usize]));
        let [a, b] = [&trees[0], &trees[1]];
        let unit = a.meta().frame.unit + b.meta().frame.unit;
        let turn = vector(&mut random).normalize() * [0.0, 0.01, 0.125, 2.5][round % 4];
        // Now and then straight across the axis, as what a turning frame sees strays most.
        let travel = match round % 3 {
            0 => Vector3::zeros(),
            1 => {
                turn.cross(&vector(&mut random)).try_normalize(1e-9).unwrap_or(Vector3::x())
                    * (unit * draw(&mut random))
            }
            _ => vector(&mut random) * (unit * 4.0),
        };
        let first = UnitQuaternion::from_scaled_axis(vector(&mut random) * 3.0);
        let last = UnitQuaternion::from_scaled_axis(turn) * first;
        let start = vector(&mut random) * unit;
        let pose = |at: Vector3<f64>, turn: UnitQuaternion<f64>| {
            let offset = at + a.meta().frame.origin.coords - first * b.meta().frame.origin.coords;
            Pose::from(Isometry3::from_parts(offset.into(), turn))
        };
        let motion = Motion::new(pose(start, first), pose(start + travel, last));
        let windows = Windows::new([a, b], &motion, 0.0).unwrap();
        let mut time = 0.0;
        for _ in 0..2 {
            let Some(window) = windows.next(time) else { break };
            used_up.sample(&windows, &motion, window, &mut random);
            (time, sampled) = (window[1], sampled + 1);
        }
    }
    let UsedUp { stray, turn } = used_up;
    assert!(sampled > 1_000, "{sampled} windows");
    // The factor of a hundredth, and for A's tree that its points are not all on the far side of the travel.
    assert!(stray[0] > 0.97 && stray[1] > 0.9, "{stray:?}");
    assert!(turn.iter().all(|part| *part > 0.97), "{turn:?}");
}
