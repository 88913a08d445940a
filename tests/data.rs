//! The committed meshes of `data/` are what their generator writes, and are what their README says they are.

#[path = "../examples/make_data/assembly.rs"]
mod assembly;
#[path = "../examples/make_data/meshes/mod.rs"]
mod meshes;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Meshes that bound a solid: each edge is between two faces that run along it in opposite directions.
const CLOSED: [&str; 8] = ["bolt", "chain_link", "character", "crate", "gear", "spring", "sword", "teapot"];

/// A closed one with normals, and those that are not closed.
const KNOT: &str = "torus_knot";
const OPEN: [&str; 2] = ["open_bowl", "terrain"];
const NONMANIFOLD: &str = "nonmanifold";

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data")
}

fn text_of(name: &str) -> String {
    let path = data().join(name).with_extension("obj");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// An OBJ file, read with no more than these files need.
#[derive(Default)]
struct Obj {
    points: Vec<[f64; 3]>,
    faces: Vec<Vec<usize>>,
    names: Vec<String>,
}

impl Obj {
    fn read(name: &str) -> Self {
        let text = text_of(name);
        let mut obj = Self::default();
        let (mut textures, mut normals) = (0, 0);
        for line in text.lines() {
            let (keyword, rest) = line.split_once(' ').unwrap_or((line, ""));
            let numbers = || -> Vec<f64> { rest.split(' ').map(|word| word.parse().expect(line)).collect() };
            match keyword {
                "#" | "mtllib" | "usemtl" => {}
                "o" | "g" => obj.names.push(rest.to_owned()),
                "v" => obj.points.push(numbers().try_into().expect(line)),
                "vt" => textures += usize::from(numbers().len() == 2),
                "vn" => {
                    let length_sq: f64 = numbers().iter().map(|x| x * x).sum();
                    assert!((length_sq - 1.0).abs() < 0.01, "{name}: {line}");
                    normals += 1;
                }
                "f" => {
                    let counts = [obj.points.len(), textures, normals];
                    obj.faces.push(rest.split(' ').map(|corner| point_of(corner, counts)).collect());
                }
                _ => panic!("{name}: {line}"),
            }
        }
        obj
    }

    fn triangle_count(&self) -> usize {
        self.faces.iter().map(|face| face.len() - 2).sum()
    }

    fn directed_edges(&self) -> impl Iterator<Item = (usize, usize)> {
        self.faces.iter().flat_map(|face| (0..face.len()).map(|i| (face[i], face[(i + 1) % face.len()])))
    }

    /// Faces on each edge: how many go along it up the indices, and how many down.
    fn edges(&self) -> BTreeMap<(usize, usize), [usize; 2]> {
        let mut edges = BTreeMap::new();
        for (a, b) in self.directed_edges() {
            edges.entry((a.min(b), a.max(b))).or_insert([0, 0])[usize::from(a > b)] += 1;
        }
        edges
    }

    /// Faces in connected parts.
    fn parts(&self) -> Vec<Vec<&Vec<usize>>> {
        let mut leader: Vec<usize> = (0..self.points.len()).collect();
        fn find(leader: &mut [usize], mut i: usize) -> usize {
            while leader[i] != i {
                leader[i] = leader[leader[i]];
                i = leader[i];
            }
            i
        }
        for (a, b) in self.directed_edges() {
            let (a, b) = (find(&mut leader, a), find(&mut leader, b));
            leader[a] = b;
        }
        let mut parts: BTreeMap<usize, Vec<&Vec<usize>>> = BTreeMap::new();
        for face in &self.faces {
            parts.entry(find(&mut leader, face[0])).or_default().push(face);
        }
        parts.into_values().collect()
    }

    fn volume(&self, faces: &[&Vec<usize>]) -> f64 {
        let corner = |i: usize| self.points[i];
        let fan = |face: &&Vec<usize>| -> f64 {
            face.windows(2).skip(1).map(|edge| dot(corner(face[0]), cross(corner(edge[0]), corner(edge[1])))).sum()
        };
        faces.iter().map(fan).sum::<f64>() / 6.0
    }
}

/// The point of a corner such as `7`, `7/3`, `7//5` or `7/3/5`, from 0.
fn point_of(corner: &str, counts: [usize; 3]) -> usize {
    let indices: Vec<Option<usize>> = corner.split('/').map(|index| index.parse().ok()).collect();
    for (index, count) in indices.iter().zip(counts) {
        assert!(index.is_none_or(|index| (1..=count).contains(&index)), "{corner} of {counts:?}");
    }
    indices[0].expect(corner) - 1
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|i| a[i] * b[i]).sum()
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| a[i] - b[i])
}

fn closed() -> impl Iterator<Item = &'static str> {
    CLOSED.into_iter().chain([KNOT])
}

#[test]
fn the_assembly_is_what_its_generator_writes() {
    assert_eq!(fs::read_to_string(data().join("assembly.json")).unwrap(), assembly::manifest());
}

#[test]
fn the_generator_reproduces_the_files() {
    for (name, mesh) in meshes::ALL {
        // No assert_eq: a difference would print megabytes.
        assert!(mesh().to_string() == text_of(name), "{name}: run `cargo run --example make_data`");
    }
}

#[test]
fn data_holds_these_meshes_and_little_else() {
    let mut files = BTreeSet::new();
    let mut bytes = 0;
    for entry in fs::read_dir(data()).unwrap() {
        let entry = entry.unwrap();
        bytes += entry.metadata().unwrap().len();
        files.insert(entry.file_name().into_string().unwrap());
    }
    let mut expected: BTreeSet<String> = meshes::ALL.iter().map(|(name, _)| format!("{name}.obj")).collect();
    expected.extend(["README.md", "assembly.json"].map(str::to_owned));
    assert_eq!(files, expected);
    assert!(bytes < 3_000_000, "{bytes} bytes");

    let kinds: BTreeSet<&str> = closed().chain(OPEN).chain([NONMANIFOLD]).collect();
    assert_eq!(kinds, meshes::ALL.iter().map(|(name, _)| *name).collect(), "each mesh is checked as one kind");
}

#[test]
fn the_readme_counts_the_triangles() {
    let readme = fs::read_to_string(data().join("README.md")).unwrap();
    for (name, _) in meshes::ALL {
        let count = Obj::read(name).triangle_count();
        assert!((500..=12_000).contains(&count), "{name}: {count} triangles");
        let count = format!("{},{:03}", count / 1000, count % 1000);
        let row = format!("| `{name}.obj` | {} |", count.trim_start_matches("0,"));
        assert!(readme.contains(&row), "the README has no row {row}");
    }
}

#[test]
fn closed_meshes_are_closed_and_consistently_oriented() {
    for name in closed() {
        for (edge, uses) in Obj::read(name).edges() {
            assert_eq!(uses, [1, 1], "{name}: edge {edge:?}");
        }
    }
}

#[test]
fn closed_meshes_have_one_fan_of_faces_at_each_vertex() {
    for name in closed() {
        let obj = Obj::read(name);
        // Around a vertex each face leads from the edge it comes in on to the one it leaves on.
        let mut around: Vec<BTreeMap<usize, usize>> = vec![BTreeMap::new(); obj.points.len()];
        for face in &obj.faces {
            for i in 0..face.len() {
                around[face[i]].insert(face[(i + face.len() - 1) % face.len()], face[(i + 1) % face.len()]);
            }
        }
        for (vertex, next) in around.iter().enumerate() {
            let start = *next.keys().next().unwrap_or_else(|| panic!("{name}: vertex {vertex} has no face"));
            let fan = std::iter::successors(Some(next[&start]), |at| (*at != start).then(|| next[at])).count();
            assert_eq!(fan, next.len(), "{name}: vertex {vertex}");
        }
    }
}

#[test]
fn closed_meshes_face_outwards_in_every_part() {
    for name in closed() {
        let obj = Obj::read(name);
        for part in obj.parts() {
            let volume = obj.volume(&part);
            assert!(volume > 0.0, "{name}: volume {volume} of the part with point {}", part[0][0]);
        }
    }
}

#[test]
fn no_face_is_flattened_by_rounding() {
    for (name, _) in meshes::ALL {
        let obj = Obj::read(name);
        for face in &obj.faces {
            let origin = obj.points[face[0]];
            for edge in face[1..].windows(2) {
                let area = cross(sub(obj.points[edge[0]], origin), sub(obj.points[edge[1]], origin));
                assert!(dot(area, area) > 0.0, "{name}: face {face:?} has a triangle without area");
            }
        }
    }
}

#[test]
fn coordinates_are_short_and_survive_f32() {
    for (name, _) in meshes::ALL {
        for line in text_of(name).lines().filter(|line| line.starts_with('v')) {
            for word in line.split(' ').skip(1) {
                let digits = word.chars().filter(char::is_ascii_digit).collect::<String>();
                assert!(digits.trim_start_matches('0').len() <= 6, "{name}: {line}");
                assert_eq!(word.parse::<f32>().unwrap().to_string(), word, "{name}: {line}");
            }
        }
    }
}

#[test]
fn open_meshes_have_a_border_and_are_manifold_elsewhere() {
    for name in OPEN {
        let edges = Obj::read(name).edges();
        assert!(edges.values().any(|uses| uses.iter().sum::<usize>() == 1), "{name} has no border");
        assert!(edges.values().all(|uses| uses.iter().all(|&count| count <= 1)), "{name}");
    }
}

#[test]
fn the_nonmanifold_mesh_has_edges_of_one_to_four_faces() {
    let edges = Obj::read(NONMANIFOLD).edges();
    let counts: BTreeSet<usize> = edges.values().map(|uses| uses.iter().sum()).collect();
    assert_eq!(counts, BTreeSet::from([1, 2, 3, 4]));
}

#[test]
fn the_files_cover_the_features_of_the_format() {
    let sizes = |name: &str| -> BTreeSet<usize> { Obj::read(name).faces.iter().map(Vec::len).collect() };
    assert_eq!(sizes("open_bowl"), BTreeSet::from([4]));
    assert_eq!(sizes("crate"), BTreeSet::from([3, 4]));
    assert_eq!(sizes("spring"), BTreeSet::from([4, 12]));
    assert_eq!(sizes("bolt"), BTreeSet::from([4, 5, 36]));

    assert!(text_of("terrain").contains("\nf 2/2/2 63/63/63 62/62/62\n"), "texture and normal");
    assert!(text_of(KNOT).contains("//"), "normal without texture");

    assert_eq!(Obj::read("sword").names, ["sword", "blade", "guard", "grip", "pommel"]);
    assert_eq!(Obj::read("teapot").names, ["body", "lid", "spout", "handle"]);
    assert!(text_of("crate").contains("\nmtllib crate.mtl\n"));
    assert!(!data().join("crate.mtl").exists(), "it stays missing on purpose");
}
