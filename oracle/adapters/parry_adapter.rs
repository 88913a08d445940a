//! parry3d in double precision: a program that reads questions and writes answers. It is `src/main.rs` of a package
//! that depends on `parry3d-f64 = "0.31"`.

use std::collections::HashMap;
use std::io::stdin;

use parry3d_f64::math::{Mat3, Pose, Rotation, Vector};
use parry3d_f64::query::{self, NonlinearRigidMotion, ShapeCastOptions, Unsupported};
use parry3d_f64::shape::TriMesh;

fn mesh(path: &str) -> TriMesh {
    let text = std::fs::read_to_string(path).expect("a mesh of the oracle");
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let (kind, numbers) = line.split_once(' ').expect("a kind and numbers");
        let numbers: Vec<f64> = numbers.split(' ').map(|number| number.parse().expect("a number")).collect();
        match kind {
            "v" => vertices.push(Vector::new(numbers[0], numbers[1], numbers[2])),
            _ => triangles.push([0, 1, 2].map(|k| numbers[k] as u32 - 1)),
        }
    }
    TriMesh::new(vertices, triangles).expect("triangles")
}

/// parry3d stores rotations as quaternions, so the rotation is rounded.
fn pose(numbers: &[f64]) -> Pose {
    let column = |k: usize| Vector::new(numbers[k], numbers[4 + k], numbers[8 + k]);
    Pose::from_parts(column(3), Rotation::from_mat3(&Mat3::from_cols(column(0), column(1), column(2))))
}

fn answer(question: &str, a: &TriMesh, b: &TriMesh, numbers: &[f64]) -> Result<String, Unsupported> {
    let (still, start) = (Pose::IDENTITY, pose(numbers));
    Ok(match question {
        "hit" => u8::from(query::intersection_test(&still, a, &start, b)?.intersecting).to_string(),
        "pairs" => {
            let mut pairs = Vec::new();
            for (i, one) in a.triangles().enumerate() {
                for (j, other) in b.triangles().enumerate() {
                    if query::intersection_test(&still, &one, &start, &other)?.intersecting {
                        pairs.push(format!("{i}-{j}"));
                    }
                }
            }
            pairs.join(" ")
        }
        "distance" => query::distance(&still, a, &start, b)?.distance.to_string(),
        "impact" => {
            let end = pose(&numbers[12..]);
            let turn = (end.rotation * start.rotation.inverse()).to_scaled_axis();
            let (way, stop) = (end.translation - start.translation, true);
            let hit = if turn.length() < 1e-12 {
                let options =
                    ShapeCastOptions { max_time_of_impact: 1.0, stop_at_penetration: stop, ..Default::default() };
                query::cast_shapes(&still, Vector::ZERO, a, &start, way, b, options)?
            } else {
                let moving = NonlinearRigidMotion::new(start, Vector::ZERO, way, turn);
                query::cast_shapes_nonlinear(&NonlinearRigidMotion::identity(), a, &moving, b, 0.0, 1.0, stop)?
            };
            hit.map_or("none".into(), |hit| hit.time_of_impact.to_string())
        }
        _ => "refused not offered".into(),
    })
}

fn main() {
    let mut meshes: HashMap<String, TriMesh> = HashMap::new();
    for line in stdin().lines().map_while(Result::ok) {
        let words: Vec<&str> = line.split(' ').collect();
        let numbers: Vec<f64> = words[4..].iter().map(|word| word.parse().expect("a number")).collect();
        let [a, b] = [2, 3].map(|k| meshes.entry(words[k].into()).or_insert_with(|| mesh(words[k])).clone());
        let answer = answer(words[1], &a, &b, &numbers).unwrap_or_else(|error| format!("refused {error}"));
        println!("{} {} {answer}", words[0], words[1]);
    }
}
