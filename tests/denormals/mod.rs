//! No build and no question meets a denormal number where the mesh has none: Intel's CPUs take some 150 cycles for
//! every instruction that does, AMD's hardly any, so that nobody would notice there.
//!
//! In debug builds alone: optimised ones compute with values that don't count, such as those of absent options, and
//! meet a few. So may a tracker's questions about `truck` and `cheburashka`, which are not tried here.
//!
//! Meshes of 1e-40 in size are made of denormals: those are not tried here.

mod flags;
mod questions;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use bvtree::fit::{ObbFit, SphereFit};
use bvtree::{BuildOptions, Builder, BvTree, Mesh, Pose, Preset, SimdLevel, SplitRule, VolumeKind};
use nalgebra::{Matrix3, Rotation3, Vector3};

use flags::met;

/// Flags are a thread's own: everything is done by this one.
fn on_one_thread(work: impl FnOnce() + Send) {
    rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap().install(work);
}

fn data(name: &str) -> Mesh {
    Mesh::load_obj(Path::new(env!("CARGO_MANIFEST_DIR")).join("data").join(name).with_extension("obj")).unwrap()
}

fn levels() -> impl Iterator<Item = SimdLevel> {
    SimdLevel::ALL.into_iter().filter(|level| level.is_available())
}

fn assert_none(found: &[String]) {
    assert!(found.is_empty(), "{} times:\n{}", found.len(), found.join("\n"));
}

/// From B's middle in A's to far away, turned somehow, by right angles, and not at all.
fn poses(a: &Mesh, b: &Mesh) -> Vec<Pose> {
    let [middle_a, middle_b] = [a, b].map(|mesh| mesh.aabb().center().coords);
    let size = a.aabb().half_extents().norm() + b.aabb().half_extents().norm();
    let quarter = Matrix3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0);
    let rotations = [Rotation3::from_euler_angles(0.4, -1.1, 2.0).into_inner(), quarter, Matrix3::identity()];
    let places = [0.0, 0.35, 0.8, 1.5, 1000.0].map(|far| Vector3::new(0.8, 0.1, -0.5) * (far * size));
    let pose = |rotation: Matrix3<f64>, place| Pose::new(rotation, middle_a + place - rotation * middle_b).unwrap();
    places.iter().flat_map(|place| rotations.map(|rotation| pose(rotation, place))).collect()
}

/// Every preset, and every choice that none of them makes.
fn build_options(volume: VolumeKind) -> Vec<BuildOptions> {
    let presets = Preset::ALL.map(|preset| preset.options(volume));
    let described = BuildOptions::obbtree_rules(volume);
    let splits = SplitRule::ALL.map(|split| BuildOptions { split, max_leaf_triangles: 3, ..described });
    let boxes = ObbFit::ALL.iter().map(|&obb_fit| BuildOptions { obb_fit, ..described });
    let balls = SphereFit::ALL.iter().map(|&sphere_fit| BuildOptions { sphere_fit, ..described });
    let ploc = BuildOptions { builder: Builder::Ploc, ..described };
    let rotated = BuildOptions { rotation_passes: 2, ..ploc };
    let mut all = [&presets[..], &splits, &[ploc, rotated]].concat();
    match volume {
        VolumeKind::Aabb | VolumeKind::KDop => {}
        VolumeKind::Obb => all.extend(boxes),
        VolumeKind::Sphere => all.extend(balls),
    }
    all
}

#[test]
fn builds_meet_none() {
    let names: &[&str] = &["crate", "nonmanifold"];
    on_one_thread(|| {
        let mut found = Vec::new();
        for name in names {
            let mesh = data(name);
            for options in VolumeKind::ALL.into_iter().flat_map(build_options) {
                let met = met(|| BvTree::build(&mesh, &options));
                found.extend(met.map(|met| format!("{name}: {met} with {options:?}")));
            }
        }
        assert_none(&found);
    });
}

#[test]
fn questions_meet_none() {
    let pairs: &[[&str; 2]] = &[["crate", "chain_link"], ["nonmanifold", "crate"]];
    on_one_thread(|| {
        for names in pairs {
            let meshes = names.map(data);
            let poses = poses(&meshes[0], &meshes[1]);
            assert_none(&met_in_questions(&names.join("-"), &meshes, &poses));
        }
    });
}

fn met_in_questions(name: &str, meshes: &[Mesh; 2], poses: &[Pose]) -> Vec<String> {
    let mut found = Vec::new();
    for volume in VolumeKind::ALL {
        let [a, b] = meshes.each_ref().map(|mesh| {
            Arc::new(BvTree::build(mesh, &BuildOptions { kind: volume, ..BuildOptions::default() }).unwrap())
        });
        for level in levels() {
            let two = questions::about_two(level, [&a, &b], poses);
            let one = questions::about_one(level, &a);
            found.extend(two.into_iter().chain(one).map(|met| format!("{name}, {volume}, {level}: {met}")));
        }
    }
    found
}

/// A few poses of each label, of a few pairs of meshes.
#[test]
fn questions_about_real_meshes_meet_none() {
    let Some(dataset) = crate::dataset_folder::dataset() else { return };
    let pairs: &[[&str; 2]] = &[["spot", "spot"]];
    let every = 40;
    on_one_thread(|| {
        for [a, b] in pairs {
            let meshes = [a, b].map(|name| Mesh::load_obj(dataset.join(format!("meshes/{name}.obj"))).unwrap());
            let poses: Vec<_> = poses_of(&dataset.join(format!("poses/{a}-{b}.csv"))).step_by(every).collect();
            assert!(poses.len() >= 5);
            assert_none(&met_in_questions(&format!("{a}-{b}"), &meshes, &poses));
        }
    });
}

fn poses_of(path: &PathBuf) -> impl Iterator<Item = Pose> {
    let text = std::fs::read_to_string(path).unwrap();
    let poses: Vec<Pose> = text.lines().filter(|line| !line.starts_with('#')).map(pose_of).collect();
    poses.into_iter()
}

fn pose_of(line: &str) -> Pose {
    let numbers: Vec<f64> = line.split(',').skip(3).map(|number| number.parse().unwrap()).collect();
    let rows = Matrix3::from_fn(|i, j| numbers[4 * i + j]);
    Pose::new(rows, Vector3::from_fn(|i, _| numbers[4 * i + 3])).unwrap()
}
