//! Rays, boxes and capsules cast into game levels, alone and with a thousand props: ours beside Jolt, in one run on one
//! thread.
//!
//! `cargo bench --bench cast_ratio -- [--mode QUESTION] [--volume KIND] [--simd LEVEL] [--rounds N]`
//!
//! The levels are those of `shared/real`. Jolt answers by `target/peers/peer_jolt_casts` (`make -C benches/peers
//! jolt_casts JOLT=...`), or `$BVTREE_JOLT_CASTS`; without it ours alone is measured. CSV on stdout:
//! `question,level,props,ours_us,jolt_us,ratio`, each time the mean over the casts of each cast's fastest of N rounds,
//! in which the libraries take turns. Both have the level as one mesh of a scene, and the props as boxes of it.
//! Summaries on stderr.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bvtree::probe::{CastOptions, Ray};
use bvtree::scene::{Body, Scene};
use bvtree::shape::{Capsule, ConvexShape, Segment};
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Probe};
use bvtree_benches::meshes::real;
use bvtree_benches::peer;
use bvtree_benches::random::Random;
use bvtree_benches::ratio::{self, Cell, Options, pass};
use nalgebra::{Matrix3, Point3, Rotation3, UnitQuaternion, Vector3};

const QUESTIONS: [&str; 3] = ["ray", "box", "capsule"];
const PROPS: [usize; 2] = [0, 1_000];
const CASTS: usize = 400;
/// The length of a cast, in meters.
const REACH: f64 = 5.0;

fn main() {
    let Some(options) = ratio::options("cast_ratio", &QUESTIONS) else { return };
    let Some(folder) = real("levels") else { return eprintln!("nothing measured: no levels") };
    let jolt = peer::program("peer_jolt_casts", "BVTREE_JOLT_CASTS");
    let mut levels: Vec<_> =
        std::fs::read_dir(folder).expect("levels").map(|file| file.expect("a file").path()).collect();
    levels.sort();
    println!("question,level,props,ours_us,jolt_us,ratio");
    let mut cells: BTreeMap<String, Vec<Cell>> = BTreeMap::new();
    for path in &levels {
        for props in PROPS {
            match Level::new(path, props, &options) {
                Some(level) => level.measure(&options, jolt.as_deref(), &mut cells),
                None => eprintln!("{}: no room for casts", path.display()),
            }
        }
    }
    cells.iter().for_each(|(set, cells)| ratio::summarize(set, cells));
}

/// What is cast, from a pose, and along what.
struct Cast {
    pose: Pose,
    way: Vector3<f64>,
}

struct Level {
    path: PathBuf,
    props: usize,
    scene: Scene,
    placed: Vec<(Vector3<f64>, Pose)>,
    casts: Vec<Cast>,
    crate_shape: ConvexShape,
}

/// A person as a capsule, and a crate about as large.
const HALF_LENGTH: f64 = 0.5;
const RADIUS: f64 = 0.4;
const CRATE: [f64; 3] = [0.4, 0.9, 0.4];

impl Level {
    /// The level, with y up as in its file, and boxes that hover just above its floors.
    ///
    /// `None` if there is not enough room on the floors.
    fn new(path: &Path, props: usize, options: &Options) -> Option<Self> {
        let mesh = Mesh::open(path).expect("a level");
        let build = BuildOptions { kind: options.volume, ..BuildOptions::default() };
        let tree = Arc::new(BvTree::build(&mesh, &build).expect("a tree"));
        let mut scene = Scene::with_simd(options.simd);
        let (mut random, mut probe) = (Random(38), Probe::with_simd(options.simd));
        let mut floor = |random: &mut Random| {
            (0..10_000).find_map(|_| {
                let down = Ray::new(random.point_in_box(tree.bounds()), -Vector3::y());
                Some(probe.closest_hit(&tree, &down, f64::INFINITY)?.point)
            })
        };
        let (mut placed, mut bodies) = (Vec::new(), vec![Body::fixed(tree.clone(), Pose::identity())]);
        for _ in 0..props {
            let half = Vector3::from_fn(|_, _| 0.2 + 0.3 * random.unit());
            let turn = Rotation3::from_axis_angle(&Vector3::y_axis(), 6.0 * random.unit()).into_inner();
            let pose = Pose::new(turn, (floor(&mut random)? + Vector3::y() * (half.y + 0.01)).coords).expect("a pose");
            bodies.push(Body::moving(ConvexShape::cuboid(half).expect("sizes"), pose));
            placed.push((half, pose));
        }
        scene.add_all(bodies).expect("bodies");
        let crate_shape = ConvexShape::cuboid(CRATE.into()).expect("sizes");
        let mut casts = Vec::new();
        let once = CastOptions::default();
        let mut tries = 0..10 * CASTS;
        while casts.len() < CASTS {
            tries.next()?;
            let start = floor(&mut random)? + Vector3::y() * (CRATE[1] + 0.1 + random.unit());
            let turn = Rotation3::from_axis_angle(&Vector3::y_axis(), 6.0 * random.unit()).into_inner();
            let pose = Pose::new(turn, start.coords).expect("a pose");
            let way = random.direction();
            let way = Vector3::new(way.x, 0.3 * way.y, way.z).normalize() * REACH;
            let inside = |scene: &Scene| {
                scene.cast_convex(&mut Probe::new(), &crate_shape, &pose, &Vector3::zeros(), &once, u32::MAX).is_some()
            };
            if !inside(&scene) {
                casts.push(Cast { pose, way });
            }
        }
        Some(Self { path: path.to_owned(), props, scene, placed, casts, crate_shape })
    }

    fn measure(&self, options: &Options, jolt: Option<&Path>, cells: &mut BTreeMap<String, Vec<Cell>>) {
        let mut probe = Probe::with_simd(options.simd);
        let level = self.path.file_stem().expect("a name").to_string_lossy().into_owned();
        for question in QUESTIONS.into_iter().filter(|&of| options.mode.as_deref().is_none_or(|mode| mode == of)) {
            let mut best = [vec![f64::INFINITY; CASTS], vec![f64::INFINITY; CASTS]];
            let mut ours = |cast: &Cast| self.ask(&mut probe, question, cast);
            let answers: Vec<f64> = self.casts.iter().map(&mut ours).collect();
            let file = self.cases(question);
            let mut theirs = Vec::new();
            for _ in 0..options.rounds {
                // Untimed: what ran before has filled the caches, for Jolt as well.
                pass(&self.casts, &mut vec![0.0; CASTS], &mut ours);
                pass(&self.casts, &mut best[0], &mut ours);
                if let Some(program) = jolt {
                    let rows = peer::rows(program, &[self.path.as_os_str(), file.path().as_os_str()]);
                    best[1].iter_mut().zip(&rows).for_each(|(best, row)| *best = best.min(row[0]));
                    theirs = rows.iter().map(|row| row[1]).collect();
                }
            }
            let differ = answers.iter().zip(&theirs).filter(|(p, q)| (*p - *q).abs() * REACH > 0.02).count();
            if differ > 0 {
                eprintln!("{question}, {level}: {differ} of {CASTS} answers differ by more than 2 cm");
            }
            let times = best.map(|best| best.iter().sum::<f64>() / CASTS as f64);
            let cell = Cell { pair: level.clone(), label: format!("{} props", self.props), times };
            println!("{question},{level},{},{:.3},{:.3},{:.2}", self.props, times[0], times[1], cell.ratio());
            cells.entry(format!("{question} beside Jolt, {} props", self.props)).or_default().push(cell);
        }
    }

    /// The part of the way after which something is met; 2 for nothing.
    fn ask(&self, probe: &mut Probe, question: &str, cast: &Cast) -> f64 {
        let (scene, options, Cast { pose, way }) = (&self.scene, CastOptions::default(), cast);
        let start = Point3::from(*pose.translation());
        let time = match question {
            "ray" => scene.closest_hit(probe, &Ray::new(start, *way), 1.0, u32::MAX).map(|found| found.hit.time),
            "box" => {
                scene.cast_convex(probe, &self.crate_shape, pose, way, &options, u32::MAX).map(|found| found.hit.time)
            }
            _ => {
                let [low, high] = [-HALF_LENGTH, HALF_LENGTH].map(|y| start + Vector3::y() * y);
                let capsule = Capsule { segment: Segment { start: low, end: high }, radius: RADIUS };
                scene.cast_capsule(probe, &capsule, way, &options, u32::MAX).map(|found| found.hit.time)
            }
        };
        time.unwrap_or(2.0)
    }

    /// The props and casts as `peer_jolt_casts` reads them.
    fn cases(&self, question: &str) -> tempfile::NamedTempFile {
        let mut text = String::new();
        let numbers = |values: &[f64]| values.iter().map(|x| format!(" {x}")).collect::<String>();
        let posed = |pose: &Pose| numbers(&[&quaternion(pose.rotation())[..], pose.translation().as_slice()].concat());
        for (half, pose) in &self.placed {
            writeln!(text, "prop{}{}", numbers(half.as_slice()), posed(pose)).expect("a string");
        }
        for Cast { pose, way } in &self.casts {
            let of = match question {
                "ray" => numbers(pose.translation().as_slice()),
                "box" => numbers(&CRATE) + &posed(pose),
                _ => numbers(&[HALF_LENGTH, RADIUS]) + &posed(pose),
            };
            writeln!(text, "{question}{of}{}", numbers(way.as_slice())).expect("a string");
        }
        let file = tempfile::NamedTempFile::new().expect("a temporary file");
        std::fs::write(file.path(), text).expect("a temporary file");
        file
    }
}

/// As x, y, z, w.
fn quaternion(rotation: &Matrix3<f64>) -> [f64; 4] {
    UnitQuaternion::from_matrix(rotation).coords.into()
}
