//! Convex shapes against the dataset's meshes: ours beside parry3d (f32) and Coal, by question, mesh, shape and label,
//! in one run on one thread.
//!
//! `cargo bench --bench shape_ratio -- [--mode QUESTION] [--volume KIND] [--simd LEVEL] [--rounds N]`
//!
//! Coal answers by `target/peers/peer_coal_shapes` (`make -C benches/peers coal_shapes`), or `$BVTREE_COAL_SHAPES`;
//! without it parry3d alone is measured. CSV on stdout: `question,mesh,shape,label,ours_us,peer,peer_us,ratio`, each
//! time the mean over the label's poses of each pose's fastest of N rounds, in which the libraries take turns. A pose
//! is given to all of them alike, so that ours includes the shape's transformation. Summaries on stderr.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use bvtree::probe::CastOptions;
use bvtree::shape::ConvexShape;
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Probe, VolumeKind};
use bvtree_benches::meshes::{dataset, dataset_mesh};
use bvtree_benches::peer;
use bvtree_benches::random::Random;
use bvtree_benches::ratio::{self, Cell, Options, pass};
use nalgebra::{Point3, Vector3};
use parry3d::math::{Mat3, Pose as ParryPose, Rot3, Vec3};
use parry3d::query::details::ContactManifoldsWorkspace;
use parry3d::query::{self, ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher, ShapeCastOptions};
use parry3d::shape::{Shape, SharedShape, TriMesh};

const MESHES: [&str; 6] = ["armadillo", "stanford-bunny", "spot", "fandisk", "beetle-alt", "teapot"];
const QUESTIONS: [&str; 6] = ["hit", "distance", "contacts", "deepest", "manifolds", "cast"];
const LABELS: [&str; 3] = ["hit", "near", "far"];
const POSES_PER_LABEL: usize = 20;

fn main() {
    let Some(options) = ratio::options("shape_ratio", &QUESTIONS) else { return };
    let Some(dataset) = dataset() else { return eprintln!("nothing measured: no dataset") };
    let coal = peer::program("peer_coal_shapes", "BVTREE_COAL_SHAPES");
    println!("question,mesh,shape,label,ours_us,peer,peer_us,ratio");
    let mut cells: BTreeMap<String, Vec<Cell>> = BTreeMap::new();
    for name in MESHES {
        Scene::new(&dataset, name, options.volume).measure(&options, coal.as_deref(), &mut cells);
    }
    for (set, cells) in &cells {
        ratio::summarize(set, cells);
        let mut ratios: Vec<f64> = cells.iter().map(Cell::ratio).collect();
        ratios.sort_unstable_by(f64::total_cmp);
        let slower = |limit: f64| ratios.iter().filter(|&&ratio| ratio < limit).count();
        eprintln!("  median {:.2}; {} below 3, {} below 5", ratios[ratios.len() / 2], slower(3.0), slower(5.0));
    }
}

/// A shape as each library has it; for Coal its name and parameters.
struct Kind {
    name: &'static str,
    ours: ConvexShape,
    parry: SharedShape,
    coal: Vec<f64>,
}

struct Case {
    kind: usize,
    label: &'static str,
    pose: Pose,
    parry: ParryPose,
    /// The way of a cast, towards a point of the mesh and a third farther.
    way: Vector3<f64>,
}

struct Scene {
    name: &'static str,
    path: PathBuf,
    diagonal: f64,
    tree: BvTree,
    parry: TriMesh,
    kinds: Vec<Kind>,
    cases: Vec<Case>,
}

impl Scene {
    fn new(dataset: &Path, name: &'static str, volume: VolumeKind) -> Self {
        let mesh = dataset_mesh(dataset, name);
        let diagonal = mesh.aabb().size().norm();
        let kinds = kinds(0.05 * diagonal);
        let tree = BvTree::build(&mesh, &BuildOptions { kind: volume, ..BuildOptions::default() }).expect("a tree");
        let vertices = mesh.vertices().iter().map(|v| Vec3::new(v.x, v.y, v.z)).collect();
        let parry = TriMesh::new(vertices, mesh.triangles().to_vec()).expect("a mesh");
        let path = dataset.join("meshes").join(name).with_extension("obj");
        let cases = cases(&mesh, &tree, &kinds, diagonal);
        Self { name, path, diagonal, tree, parry, kinds, cases }
    }

    fn measure(&self, options: &Options, coal: Option<&Path>, cells: &mut BTreeMap<String, Vec<Cell>>) {
        let mut probe = Probe::with_simd(options.simd);
        let questions = QUESTIONS.into_iter().filter(|&of| options.mode.as_deref().is_none_or(|mode| mode == of));
        let (infinite, file) = (vec![f64::INFINITY; self.cases.len()], self.coal_cases());
        let mut best: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
        let mut answers: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
        for _ in 0..options.rounds {
            for question in questions.clone() {
                let mut ours = |case: &Case| self.ours(&mut probe, question, case);
                let times = best.entry((question, "bvtree")).or_insert_with(|| infinite.clone());
                pass(&self.cases, times, &mut ours);
                answers.entry((question, "bvtree")).or_insert_with(|| self.cases.iter().map(ours).collect());
                if question != "contacts" {
                    let parry = |case: &Case| self.parry(question, case);
                    let times = best.entry((question, "parry3d")).or_insert_with(|| infinite.clone());
                    pass(&self.cases, times, parry);
                    answers.entry((question, "parry3d")).or_insert_with(|| self.cases.iter().map(parry).collect());
                }
                if let Some(coal) = coal.filter(|_| matches!(question, "hit" | "distance" | "contacts")) {
                    let rows = self.coal(coal, question, &file);
                    let times = best.entry((question, "coal")).or_insert_with(|| infinite.clone());
                    times.iter_mut().zip(&rows).for_each(|(best, row)| *best = best.min(row[0]));
                    answers.entry((question, "coal")).or_insert_with(|| rows.iter().map(|row| row[1]).collect());
                }
            }
        }
        for (&(question, peer), theirs) in best.iter().filter(|((_, peer), _)| *peer != "bvtree") {
            let set = cells.entry(format!("{question} beside {peer}")).or_default();
            self.tell(question, peer, [&best[&(question, "bvtree")], theirs], set);
            self.compare(question, peer, &answers[&(question, "bvtree")], &answers[&(question, peer)]);
        }
    }

    fn tell(&self, question: &str, peer: &str, best: [&[f64]; 2], cells: &mut Vec<Cell>) {
        for (index, kind) in self.kinds.iter().enumerate() {
            for label in LABELS {
                let of_label = |best: f64, case: &Case| (case.kind == index && case.label == label).then_some(best);
                let times @ [ours, theirs] = best.map(|best| {
                    let chosen = best.iter().zip(&self.cases).filter_map(|(&best, case)| of_label(best, case));
                    chosen.sum::<f64>() / POSES_PER_LABEL as f64
                });
                let cell = Cell { pair: format!("{} {}", self.name, kind.name), label: label.to_owned(), times };
                let (mesh, shape, ratio) = (self.name, kind.name, cell.ratio());
                println!("{question},{mesh},{shape},{label},{ours:.3},{peer},{theirs:.3},{ratio:.2}");
                cells.push(cell);
            }
        }
    }

    /// Tells how many answers differ by more than a hundred-thousandth of the diagonal: f32 and iterations that end
    /// early.
    fn compare(&self, question: &str, peer: &str, ours: &[f64], theirs: &[f64]) {
        if question == "manifolds" {
            return;
        }
        let differ = ours.iter().zip(theirs).filter(|(p, q)| (*p - *q).abs() > 1e-5 * self.diagonal).count();
        if differ > 0 {
            eprintln!("{question}, {}: {differ} of {} answers of {peer} differ", self.name, ours.len());
        }
    }

    fn margin(&self) -> f64 {
        0.01 * self.diagonal
    }

    fn ours(&self, probe: &mut Probe, question: &str, case: &Case) -> f64 {
        let tree = &self.tree;
        let shape = self.kinds[case.kind].ours.transformed(&case.pose);
        match question {
            "hit" => f64::from(u8::from(probe.intersects_convex(tree, &shape))) * self.diagonal,
            "distance" => probe.closest_to_convex(tree, &shape, f64::INFINITY).map_or(0.0, |found| found.distance),
            "contacts" => {
                let mut deepest = 0.0_f64;
                probe.for_each_convex_contact(tree, &shape, 0.0, |contact| {
                    deepest = deepest.min(contact.distance);
                    ControlFlow::Continue(())
                });
                deepest
            }
            "deepest" => probe.closest_convex_contact(tree, &shape, 0.0).map_or(0.0, |contact| contact.distance),
            "cast" => {
                let hit = probe.cast_convex(tree, &shape, &case.way, &CastOptions::default());
                hit.map_or(1.0, |hit| hit.time) * case.way.norm()
            }
            _ => probe.convex_contact_manifolds(tree, &shape, self.margin()).len() as f64,
        }
    }

    fn parry(&self, question: &str, case: &Case) -> f64 {
        let (mesh, shape) = (&self.parry, &*self.kinds[case.kind].parry);
        let (at_origin, pose) = (ParryPose::IDENTITY, &case.parry);
        match question {
            "hit" => {
                let hit = query::intersection_test(&at_origin, mesh, pose, shape).expect("supported");
                f64::from(u8::from(hit.intersecting)) * self.diagonal
            }
            "distance" => match query::closest_points(&at_origin, mesh, pose, shape, f32::MAX).expect("supported") {
                query::ClosestPoints::WithinMargin(p, q) => f64::from((p - q).length()),
                _ => 0.0,
            },
            "deepest" => {
                let contact = query::contact(&at_origin, mesh, pose, shape, 0.0).expect("supported");
                contact.map_or(0.0, |contact| f64::from(contact.dist).min(0.0))
            }
            "cast" => {
                let (rest, way, options) = (Vec3::ZERO, v32(&case.way), ShapeCastOptions::with_max_time_of_impact(1.0));
                let hit = query::cast_shapes(&at_origin, rest, mesh, pose, way, shape, options).expect("supported");
                hit.map_or(1.0, |hit| f64::from(hit.time_of_impact)) * case.way.norm()
            }
            _ => {
                let mut manifolds: Vec<ContactManifold<(), ()>> = Vec::new();
                let mut workspace: Option<ContactManifoldsWorkspace> = None;
                let margin = self.margin() as f32;
                DefaultQueryDispatcher
                    .contact_manifolds(pose, mesh as &dyn Shape, shape, margin, &mut manifolds, &mut workspace)
                    .expect("supported");
                manifolds.len() as f64
            }
        }
    }

    /// The shapes and poses as `peer_coal_shapes` reads them.
    fn coal_cases(&self) -> tempfile::NamedTempFile {
        let mut text = String::new();
        let numbers = |values: &[f64]| values.iter().map(|x| format!(" {x}")).collect::<String>();
        for kind in &self.kinds {
            writeln!(text, "shape {} {}{}", kind.name, kind.coal.len(), numbers(&kind.coal)).expect("a string");
        }
        for case in &self.cases {
            let (rotation, translation) = (case.pose.rotation().transpose(), case.pose.translation());
            let pose = [rotation.as_slice(), translation.as_slice()].concat();
            writeln!(text, "pose {}{}", case.kind, numbers(&pose)).expect("a string");
        }
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), text).expect("a temporary file");
        file
    }

    /// The time and the answer of each case.
    fn coal(&self, program: &Path, question: &str, cases: &tempfile::NamedTempFile) -> Vec<[f64; 2]> {
        let rows = peer::rows(program, &[self.path.as_os_str(), cases.path().as_os_str(), question.as_ref()]);
        let scale = if question == "hit" { self.diagonal } else { 1.0 };
        rows.into_iter().map(|[time, answer]| [time, answer * scale]).collect()
    }
}

/// The kinds of shapes, of about a radius.
fn kinds(r: f64) -> Vec<Kind> {
    let mut random = Random(35);
    let corners: Vec<Point3<f64>> = (0..24).map(|_| Point3::from(random.direction() * r)).collect();
    let parry_corners: Vec<Vec3> = corners.iter().map(|p| v32(&p.coords)).collect();
    let s = r as f32;
    let end = Vec3::new(0.0, 0.0, s);
    let ours = |shape: Result<ConvexShape, _>| shape.expect("positive sizes");
    let kind = |name, shape, parry, coal: &[f64]| Kind { name, ours: ours(shape), parry, coal: coal.to_vec() };
    let flat: Vec<f64> = corners.iter().flat_map(|p| [p.x, p.y, p.z]).collect();
    vec![
        kind(
            "box",
            ConvexShape::cuboid(Vector3::new(r, 0.7 * r, 0.5 * r)),
            SharedShape::cuboid(s, 0.7 * s, 0.5 * s),
            &[r, 0.7 * r, 0.5 * r],
        ),
        kind("sphere", ConvexShape::sphere(r), SharedShape::ball(s), &[r]),
        kind("capsule", ConvexShape::capsule(r, 0.5 * r), SharedShape::capsule(-end, end, 0.5 * s), &[r, 0.5 * r]),
        kind("cylinder", ConvexShape::cylinder(r, 0.6 * r), SharedShape::cylinder(s, 0.6 * s), &[r, 0.6 * r]),
        kind("cone", ConvexShape::cone(r, 0.6 * r), SharedShape::cone(s, 0.6 * s), &[r, 0.6 * r]),
        kind("hull", ConvexShape::hull(&corners), SharedShape::convex_hull(&parry_corners).expect("a hull"), &flat),
    ]
}

/// Poses that touch, that are up to 1% of the diagonal away, and that are between a fifth and a half of it away.
fn cases(mesh: &Mesh, tree: &BvTree, kinds: &[Kind], diagonal: f64) -> Vec<Case> {
    let (mut random, mut probe) = (Random(36), Probe::new());
    let mut cases = Vec::new();
    for (index, kind) in kinds.iter().enumerate() {
        for label in LABELS {
            let (reach, range) = match label {
                "hit" => (0.04, 0.0..=0.0),
                "near" => (0.08, 1e-9..=0.01),
                _ => (0.6, 0.2..=0.5),
            };
            let mut left = POSES_PER_LABEL;
            while left > 0 {
                let at = random.point_on(mesh) + random.direction() * (reach * diagonal * random.unit());
                let pose = Pose::new(random.rotation(), at.coords).expect("a rotation");
                let shape = kind.ours.transformed(&pose);
                let distance = probe.closest_to_convex(tree, &shape, f64::INFINITY).expect("a mesh").distance;
                if range.contains(&(distance / diagonal)) {
                    let parry = parry_pose(&pose, ["cylinder", "cone"].contains(&kind.name));
                    let way = (random.point_on(mesh).coords - at.coords) * (4.0 / 3.0);
                    cases.push(Case { kind: index, label, pose, parry, way });
                    left -= 1;
                }
            }
        }
    }
    cases
}

/// The pose as parry3d has it, whose cylinders and cones stand along y.
fn parry_pose(pose: &Pose, along_y: bool) -> ParryPose {
    let [x, y, z] = [0, 1, 2].map(|k| v32(&pose.rotation().column(k).into_owned()));
    let columns = if along_y { [x, z, -y] } else { [x, y, z] };
    let rotation = Rot3::from_mat3(&Mat3::from_cols(columns[0], columns[1], columns[2]));
    ParryPose::from_parts(v32(pose.translation()), rotation)
}

fn v32(v: &Vector3<f64>) -> Vec3 {
    Vec3::new(v.x as f32, v.y as f32, v.z as f32)
}
