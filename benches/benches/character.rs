//! One step of a character that walks about a floor alone or among thousands of props, still or with a hundred of them
//! moving.

use std::sync::Arc;

use bvtree::character::{Character, CharacterOptions, Intent, Surroundings};
use bvtree::scene::{Body, Scene};
use bvtree::{BuildOptions, BvTree, Mesh, Motion, Pose};
use bvtree_benches::random::Random;
use criterion::{Criterion, criterion_group, criterion_main};
use nalgebra::{Matrix3, Point3, Vector3};

criterion_group!(name = benches; config = bvtree_benches::criterion(); targets = steps);
criterion_main!(benches);

const MOVING: usize = 100;

fn steps(criterion: &mut Criterion) {
    for props in [0_usize, 4_000] {
        // As crowded whatever the number.
        let half = (2.0 * props.max(100) as f64).sqrt();
        let (floor, prop) = (cuboid([half, half, 0.5]), cuboid([0.4, 0.3, 0.5]));
        let mut random = Random(5);
        let mut scene = Scene::new();
        let at = |x: f64, y: f64, z: f64| Pose::new(Matrix3::identity(), Vector3::new(x, y, z)).expect("a pose");
        scene.add(Body::fixed(floor, at(0.0, 0.0, -0.5))).expect("a body");
        for _ in 0..props {
            let [x, y] = [(); 2].map(|()| (random.unit() - 0.5) * 2.0 * half);
            scene.add(Body::moving(prop.clone(), at(x, y, 0.5))).expect("a body");
        }
        let motions: Vec<_> = scene
            .bodies()
            .skip(1)
            .take(MOVING)
            .map(|(id, body)| {
                let start = body.pose;
                (id, Motion::new(start, at(start.translation().x + 0.02, start.translation().y, 0.5)))
            })
            .collect();
        let mut group = criterion.benchmark_group(format!("character/{props}"));
        let mut walk = |name: &str, step: &dyn Fn(&mut Character, &Intent)| {
            let mut character =
                Character::new(&CharacterOptions::default(), Point3::new(0.0, 0.0, 3.0)).expect("a character");
            let mut angle = 0.0_f64;
            group.bench_function(name, |b| {
                b.iter(|| {
                    angle += 0.01;
                    let walk = Vector3::new(angle.cos(), angle.sin(), 0.0) * 3.0;
                    step(&mut character, &Intent { walk, jump: 0.0 });
                });
            });
        };
        let still = Surroundings::new(&scene);
        let moving = Surroundings { motions: &motions, ..still };
        walk("still", &|character, intent| {
            character.step(&still, intent, 1.0 / 60.0).expect("a step");
        });
        walk("some move", &|character, intent| {
            character.step(&moving, intent, 1.0 / 60.0).expect("a step");
        });
    }
}

fn cuboid(half: [f64; 3]) -> Arc<BvTree> {
    let [x, y, z] = half.map(|half| half as f32);
    let corners: Vec<_> = (0..8_u8)
        .map(|i| {
            Point3::new(
                if i & 1 == 0 { -x } else { x },
                if i & 2 == 0 { -y } else { y },
                if i & 4 == 0 { -z } else { z },
            )
        })
        .collect();
    let faces = vec![
        [0, 2, 3],
        [0, 3, 1],
        [4, 5, 7],
        [4, 7, 6],
        [0, 1, 5],
        [0, 5, 4],
        [2, 6, 7],
        [2, 7, 3],
        [0, 4, 6],
        [0, 6, 2],
        [1, 3, 7],
        [1, 7, 5],
    ];
    let mesh = Mesh::from_arrays(corners, faces).expect("a mesh");
    Arc::new(BvTree::build(&mesh, &BuildOptions::default()).expect("a tree"))
}
