//! Fits of the dataset's meshes: the near-exact box against an independent search, DiTO-14 against the near-exact box,
//! the smallest ball against the others.

use std::path::PathBuf;

use bvtree::fit::{self, ObbFit, SphereFit};
use bvtree::shape::Obb;
use nalgebra::{Matrix3, Point3, Quaternion, UnitQuaternion, Vector3};

/// Names and vertices of the dataset's meshes; in debug builds, every 50th vertex of one of them.
fn meshes() -> Vec<(String, Vec<Point3<f64>>)> {
    let Some(folder) = crate::dataset_folder::dataset() else { return Vec::new() };
    let entries = std::fs::read_dir(folder.join("meshes")).unwrap();
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "obj"));
    paths.sort();
    let (stride, count) = if cfg!(debug_assertions) { (50, 1) } else { (1, paths.len()) };
    paths.truncate(count);
    let vertex = |line: &str| {
        let mut fields =
            line.strip_prefix("v ")?.split_whitespace().map(|field| f64::from(field.parse::<f32>().unwrap()));
        Some(Point3::new(fields.next()?, fields.next()?, fields.next()?))
    };
    let load = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        (name, text.lines().filter_map(vertex).step_by(stride).collect())
    };
    paths.iter().map(load).collect()
}

fn volume(obb: &Obb) -> f64 {
    8.0 * obb.half_extents.product()
}

/// Marsaglia's 64-bit xorshift.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Normally distributed, nearly: a sum of twelve uniform numbers.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    fn rotation(&mut self) -> UnitQuaternion<f64> {
        UnitQuaternion::from_quaternion(Quaternion::new(self.normal(), self.normal(), self.normal(), self.normal()))
    }

    /// A small rotation, of about `reach` radians.
    fn step(&mut self, reach: f64) -> UnitQuaternion<f64> {
        UnitQuaternion::from_scaled_axis(Vector3::new(self.normal(), self.normal(), self.normal()) * reach)
    }
}

/// The volume of the box along the rotated axes.
fn volume_along(points: &[Point3<f64>], rotation: &UnitQuaternion<f64>) -> f64 {
    let axes: Matrix3<f64> = rotation.to_rotation_matrix().into_inner();
    let extent = |k: usize| {
        let axis = axes.column(k);
        let along = |point: &Point3<f64>| axis[0] * point.x + axis[1] * point.y + axis[2] * point.z;
        let range = |(lower, upper): (f64, f64), t: f64| (lower.min(t), upper.max(t));
        let (lower, upper) = points.iter().map(along).fold((f64::INFINITY, f64::NEG_INFINITY), range);
        upper - lower
    };
    extent(0) * extent(1) * extent(2)
}

/// The least volume that random restarts of random descent find: knows nothing of hulls, edges or calipers.
fn searched_volume(points: &[Point3<f64>], restarts: usize, random: &mut Random) -> f64 {
    // Extremes along random directions stand for the points during the descent; the result is measured on all.
    let mut outer: Vec<Point3<f64>> = Vec::new();
    for _ in 0..if cfg!(debug_assertions) { 100 } else { 1500 } {
        let direction = Vector3::new(random.normal(), random.normal(), random.normal());
        let along = |a: &&Point3<f64>, b: &&Point3<f64>| direction.dot(&a.coords).total_cmp(&direction.dot(&b.coords));
        outer.push(*points.iter().max_by(along).unwrap());
    }
    outer.sort_by(|a, b| a.coords.as_slice().partial_cmp(b.coords.as_slice()).unwrap());
    outer.dedup();

    let mut least = f64::INFINITY;
    for _ in 0..restarts {
        let mut rotation = random.rotation();
        let mut best = volume_along(&outer, &rotation);
        let mut reach = 0.3;
        while reach > 1e-6 {
            let stepped = random.step(reach) * rotation;
            let volume = volume_along(&outer, &stepped);
            if volume < best {
                (rotation, best) = (stepped, volume);
                reach *= 1.5;
            } else {
                reach *= 0.93;
            }
        }
        if best < least * 1.001 {
            least = least.min(volume_along(points, &rotation));
        }
    }
    least
}

#[test]
fn no_random_search_beats_the_least_volume_box() {
    let restarts = if cfg!(debug_assertions) { 3 } else { 300 };
    for (name, points) in meshes() {
        let mut random = Random(0x2545_f491_4f6c_dd1d);
        let found = volume(&fit::minimum_volume_box(&points));
        let searched = searched_volume(&points, restarts, &mut random);
        println!("{name}: {found:.6e}, random search {:+.4}%", (searched / found - 1.0) * 100.0);
        assert!(found <= searched * 1.001, "{name}: {found} but a search found {searched}");
    }
}

#[test]
fn dito_is_within_a_tenth_of_the_least_volume_on_average() {
    let mut excess = Vec::new();
    for (name, points) in meshes() {
        let least = volume(&ObbFit::MinimumVolume.fit(&points));
        let ratios = ObbFit::ALL.iter().map(|fit| format!("{fit} {:.4}", volume(&fit.fit(&points)) / least));
        println!("{name}: {}", ratios.collect::<Vec<_>>().join(", "));
        excess.push(volume(&ObbFit::Dito14.fit(&points)) / least - 1.0);
    }
    let mean = excess.iter().sum::<f64>() / excess.len().max(1) as f64;
    println!("DiTO-14: {:.2}% above the least on average", mean * 100.0);
    assert!(mean <= 0.1, "DiTO-14 is {mean} above on average: {excess:?}");
}

#[test]
fn no_ball_is_smaller_than_the_smallest() {
    for (name, points) in meshes() {
        let smallest = SphereFit::SmallestSphere.fit(&points).radius;
        let ratios: Vec<_> = SphereFit::ALL.iter().map(|fit| fit.fit(&points).radius / smallest).collect();
        println!("{name}: {ratios:.4?}");
        assert!(ratios.iter().all(|&ratio| ratio >= 1.0 - 1e-12), "{name}: {ratios:?}");
    }
}
