//! Builders, optimiser, collapses and presets: sound trees, the promised limits, the same answers as brute force, and
//! the same bytes on any number of threads.

use bvtree::metrics::{MeshFacts, Tightness};
use bvtree::{BuildOptions, Builder, BvTree, Collapse, Mesh, Pose, Preset, Query, SplitRule, Volume, VolumeKind, fit};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use proptest::prelude::*;
use rayon::ThreadPoolBuilder;

use crate::oracle::meshes::{self, any_mesh};
use crate::oracle::poses::{meetings, rotations};
use crate::oracle::{intersecting_pairs, queried_pairs};

/// Every preset, and every builder with and without passes of the optimiser and with both collapses.
fn all_options(volume: VolumeKind) -> Vec<BuildOptions> {
    let mut all: Vec<_> = Preset::ALL.map(|preset| preset.options(volume)).into();
    for builder in Builder::ALL {
        for (rotation_passes, collapse) in [
            (0, Collapse::LargestFirst),
            (2, Collapse::LargestFirst),
            (0, Collapse::LeastVolume),
            (u32::MAX, Collapse::LeastVolume),
        ] {
            all.push(BuildOptions { builder, rotation_passes, collapse, ..BuildOptions::obbtree_rules(volume) });
        }
    }
    all
}

/// With limits on depth and leaves.
fn limited(volume: VolumeKind) -> impl Iterator<Item = BuildOptions> {
    let limits = [(u32::MAX, 1), (u32::MAX, 3), (u32::MAX, 100), (0, 1), (2, 2), (5, 1)];
    all_options(volume).into_iter().flat_map(move |options| {
        limits.map(|(max_depth, max_leaf_triangles)| BuildOptions { max_depth, max_leaf_triangles, ..options })
    })
}

fn bytes_of(mesh: &Mesh, options: &BuildOptions) -> Vec<u8> {
    let mut bytes = Vec::new();
    BvTree::build(mesh, options).unwrap().write_to(&mut bytes).unwrap();
    bytes
}

/// Builds, and checks what every tree promises.
fn sound(mesh: &Mesh, options: &BuildOptions) -> BvTree {
    let tree = BvTree::build(mesh, options).unwrap();
    assert_eq!(tree.validate(), [], "{options:?}");
    assert_eq!(tree.validate_against(mesh), [], "{options:?}");
    assert_eq!(tree.triangle_count(), mesh.triangles().len());
    assert!(tree.split_depth() <= options.max_depth, "{options:?}");
    let triangles = mesh.triangles().len().max(1);
    assert!(tree.split_depth() <= 10 * (triangles.ilog2() + 2) + 20, "depth {}, {options:?}", tree.split_depth());
    if options.builder == Builder::Ploc && options.max_depth == u32::MAX {
        // Merging from below needs no plane between centroids.
        assert!(tree.leaf_triangles_max() <= options.max_leaf_triangles as usize, "{options:?}");
    }
    tree
}

fn degenerate_meshes() -> Vec<Mesh> {
    vec![
        meshes::empty(),
        meshes::point_at(Point3::origin()),
        meshes::unconnected(&[meshes::corner_triangle()]),
        meshes::flat_square(5),
        meshes::identical(33),
        meshes::concentric(40),
        meshes::collinear(30),
        meshes::exponential(3),
        meshes::spiral(50),
        meshes::torus(7, 5),
        meshes::placed(&meshes::torus(6, 5), 1e-44, Vector3::zeros()),
        meshes::placed(&meshes::torus(6, 5), 3e37, Vector3::zeros()),
        meshes::placed(&meshes::torus(6, 5), 1.0, Vector3::repeat(1e6)),
    ]
}

#[test]
fn spheres_are_no_larger_than_the_reference() {
    let far = meshes::placed(&meshes::torus(20, 14), 1.0, Vector3::repeat(1e5));
    for mesh in degenerate_meshes().into_iter().chain([far, meshes::torus(40, 30)]) {
        let tree = BvTree::build(&mesh, &BuildOptions::obbtree_rules(VolumeKind::Sphere)).unwrap();
        // Centres and radii are rounded to f32 in a unit of at most the mesh's diagonal, 1 where that is zero.
        let diagonal = 2.0 * mesh.aabb().half_extents().norm().max(0.0);
        let rounding = 3e-7 * if diagonal > 0.0 { diagonal } else { 1.0 };
        for node in tree.nodes() {
            let faces = &tree.faces()[node.first_triangle..][..node.triangles];
            let points: Vec<_> = faces.iter().flat_map(|&face| mesh.triangle(face).vertices).collect();
            let Volume::Sphere(ball) = node.volume else { panic!("{:?}", node.volume) };
            let least = fit::ritter(&points).radius;
            assert!(
                ball.radius <= least + rounding,
                "{} instead of {least}, {} triangles",
                ball.radius,
                node.triangles
            );
        }
    }
}

#[test]
fn trees_are_sound_whatever_the_options() {
    for mesh in degenerate_meshes() {
        for volume in VolumeKind::ALL {
            for options in limited(volume) {
                sound(&mesh, &options);
            }
        }
    }
}

/// Eight triangles whose centroids differ by a third of a step of f32, so that their rounded sums of corners are equal.
#[test]
fn centroids_that_f32_cannot_tell_apart_are_separated() {
    const FAR: f32 = 1e7;
    let shifted = |i: u32| {
        let [x, y, z] = [0, 1, 2].map(|bit| FAR + (i >> bit & 1) as f32);
        [[x, y, z], [FAR, FAR + 3.0, FAR], [FAR, FAR, FAR + 3.0]]
    };
    let corners: Vec<_> = (0..8).map(shifted).collect();
    let sums = corners.iter().map(|corners| [0, 1, 2].map(|k| corners[0][k] + corners[1][k] + corners[2][k]));
    assert!(sums.clone().all(|sum| Some(sum) == sums.clone().next()));
    let vertices = corners.as_flattened().iter().map(|&corner| Point3::from(corner)).collect();
    let mesh = Mesh::from_arrays(vertices, (0..8).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect()).unwrap();
    for volume in VolumeKind::ALL {
        for split in SplitRule::ALL {
            let options = BuildOptions { split, max_leaf_triangles: 1, ..BuildOptions::obbtree_rules(volume) };
            assert_eq!(sound(&mesh, &options).leaf_triangles_max(), 1, "{options:?}");
        }
    }
}

#[test]
fn answers_are_those_of_brute_force() {
    let torus = meshes::torus(7, 6);
    let grid = meshes::flat_square(5);
    let tilted = Pose::from(Isometry3::new(Vector3::new(0.6, 0.1, 0.0), Vector3::new(0.9, 0.2, 0.0)));
    let apart = Pose::from(Isometry3::new(Vector3::new(7.0, 0.4, 3.0), Vector3::new(0.1, 0.7, 0.3)));
    for (a, b) in [(&torus, &torus), (&grid, &torus), (&grid, &grid)] {
        for b_to_a in [tilted, apart] {
            let expected = intersecting_pairs(a, b, &b_to_a);
            let posed = b.triangles().iter().map(|t| t.map(|v| b_to_a.transform(&b.vertices()[v as usize])));
            let posed: Vec<_> = posed.map(|vertices| bvtree::triangle::Triangle { vertices }).collect();
            let pairs = (0..a.triangles().len() as u32).flat_map(|i| posed.iter().map(move |t| (i, t)));
            let least = pairs.map(|(i, t)| a.triangle(i).distance_sq(t).sqrt()).fold(f64::INFINITY, f64::min);
            for volume in VolumeKind::ALL {
                for options in limited(volume) {
                    let [a, b] = [a, b].map(|mesh| BvTree::build(mesh, &options).unwrap());
                    let mut query = Query::new();
                    assert_eq!(queried_pairs(&mut query, &a, &b, &b_to_a), expected, "{options:?}");
                    let distance = query.distance(&a, &b, &b_to_a).unwrap().distance;
                    assert!((distance - least).abs() <= 1e-9 * least, "{distance}, not {least}, {options:?}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: if cfg!(debug_assertions) { 20 } else { 1500 },
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_meshes_in_any_place(
        (a, b, turn, meeting) in (any_mesh(), any_mesh(), rotations(), meetings()),
        chosen in any::<[prop::sample::Index; 2]>(),
    ) {
        let b_to_a = meeting.pose(&a, &b, turn);
        let expected = intersecting_pairs(&a, &b, &b_to_a);
        for volume in VolumeKind::ALL {
            let options: Vec<_> = limited(volume).collect();
            let [tree_a, tree_b] = [(&a, chosen[0]), (&b, chosen[1])].map(|(mesh, i)| sound(mesh, i.get(&options)));
            prop_assert_eq!(&queried_pairs(&mut Query::new(), &tree_a, &tree_b, &b_to_a), &expected);
        }
    }
}

#[test]
fn bytes_do_not_depend_on_threads() {
    let (around, across) = if cfg!(debug_assertions) { (30, 30) } else { (150, 120) };
    let mesh = meshes::torus(around, across);
    let [one, two] = [1, 2].map(|threads| ThreadPoolBuilder::new().num_threads(threads).build().unwrap());
    for volume in VolumeKind::ALL {
        for options in all_options(volume) {
            let build =
                || bytes_of(&mesh, &BuildOptions { rotation_passes: options.rotation_passes.min(9), ..options });
            assert!(one.install(build) == two.install(build), "{options:?}");
        }
    }
}

/// A mesh in a unit that is a power of two times larger or smaller gives the same tree, although the squares of its
/// lengths are out of the range of f32.
#[test]
fn trees_do_not_depend_on_the_unit() {
    let mesh = meshes::torus(40, 30);
    for options in VolumeKind::ALL.into_iter().flat_map(all_options) {
        let structure = |tree: BvTree| (tree.node_count(), tree.depth(), tree.split_depth(), tree.faces().to_vec());
        let expected = structure(sound(&mesh, &options));
        for scale in [2f64.powi(70), 2f64.powi(-80)] {
            let scaled = meshes::placed(&mesh, scale, Vector3::zeros());
            assert!(structure(sound(&scaled, &options)) == expected, "{scale:e}, {options:?}");
        }
    }
}

/// Ties and chains must not make clustering quadratic, nor its tree deep.
#[test]
fn clustering_is_quick_and_balanced_on_hostile_meshes() {
    let n = if cfg!(debug_assertions) { 1 << 12 } else { 1 << 17 };
    let at = |x: f32| meshes::corner_triangle().map(|corner| Point3::new(corner.x * 1e-3 + x, corner.y, corner.z));
    let ever_wider: Vec<_> = (0..n).map(|i| at((i as f32).powi(2))).collect();
    let ploc = BuildOptions { builder: Builder::Ploc, ..BuildOptions::obbtree_rules(VolumeKind::Aabb) };
    let copies = sound(&meshes::identical(n), &ploc);
    assert_eq!(copies.split_depth(), n.ilog2());
    sound(&meshes::unconnected(&ever_wider), &ploc);
}

#[test]
fn rotations_lower_the_cost() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/chain_link.obj");
    let mesh = Mesh::load_obj(path).unwrap();
    let facts = MeshFacts::new(&mesh);
    for volume in VolumeKind::ALL {
        for (builder, split) in [(Builder::TopDown, SplitRule::Mean), (Builder::Ploc, SplitRule::Mean)] {
            let cost = |rotation_passes| {
                let options = BuildOptions { builder, split, rotation_passes, ..BuildOptions::obbtree_rules(volume) };
                Tightness::new(&sound(&mesh, &options), &facts).total.sah_cost.unwrap()
            };
            let [before, once, often] = [0, 1, 10].map(cost);
            assert!(once < before && often <= once, "{volume}, {builder}: {before}, {once}, {often}");
        }
    }
}

#[test]
fn least_volume_is_less_volume_in_fewer_levels() {
    let mesh = meshes::torus(40, 30);
    let facts = MeshFacts::new(&mesh);
    for volume in VolumeKind::ALL {
        let [largest, least] = Collapse::ALL.map(|collapse| {
            sound(&mesh, &BuildOptions { collapse, max_leaf_triangles: 1, ..Preset::Tight.options(volume) })
        });
        assert!(least.depth() <= largest.depth());
        let cuts = [largest, least].map(|tree| Tightness::new(&tree, &facts).levels);
        let cut = |tree: usize, level: usize| cuts[tree][level.min(cuts[tree].len() - 1)].volume_ratio.unwrap();
        let ratios: Vec<f64> = (0..cuts[0].len()).map(|level| cut(1, level) / cut(0, level)).collect();
        // The builder measures k-DOPs by their boxes.
        let most = if volume == VolumeKind::KDop { 0.99 } else { 0.98 };
        assert!(ratios.iter().sum::<f64>() < most * ratios.len() as f64, "{volume}: {ratios:?}");
    }
}

#[test]
fn presets_and_names() {
    for volume in VolumeKind::ALL {
        assert_eq!(Preset::Fast.options(volume), BuildOptions::obbtree_rules(volume));
        let balanced = BuildOptions { kind: volume, ..BuildOptions::default() };
        assert_eq!(Preset::default().options(volume), balanced);
    }
    assert!(Builder::ALL.iter().all(|builder| builder.name().parse() == Ok(*builder)));
    assert!(Collapse::ALL.iter().all(|collapse| collapse.name().parse() == Ok(*collapse)));
    assert!(Preset::ALL.iter().all(|preset| preset.name().parse() == Ok(*preset)));
    assert!("bottom-up".parse::<Builder>().unwrap_err().to_string().contains("top-down or ploc"));
    assert!("most".parse::<Collapse>().unwrap_err().to_string().contains("largest-first or least-volume"));
    let fast = BuildOptions { builder: Builder::Ploc, ..BuildOptions::default() };
    let none = BvTree::build(&meshes::empty(), &fast).unwrap();
    let pose = Pose::new(Matrix3::identity(), Vector3::zeros()).unwrap();
    assert!(!Query::new().intersects(&none, &none, &pose));
}
