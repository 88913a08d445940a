//! A tree that follows its mesh: whatever it went through, it is sound and answers as a tree that has just been built
//! of the mesh as it is, and as all pairs of triangles do. Trees that somebody else holds stay what they were.

use std::sync::Arc;

use bvtree::refit::{DeformingTree, RefitError, RefitOptions};
use bvtree::{BvTree, Mesh, Pose, Query};
use nalgebra::Point3;

use super::brute::truth;
use super::ingredients::{
    Bound, Deform, MESHES, build_options, moved_vertex, obb_axes, on_threads, place, with_vertices,
};
use super::machine::{BYTES, Model};

/// A mesh as it is now and as it was at first, and one that it is asked about with.
#[derive(Clone, Debug)]
pub struct Deformed {
    mesh: Mesh,
    first: Mesh,
    other: usize,
    options: u8,
    refit: RefitOptions,
}

#[derive(Clone, Debug)]
pub enum Op {
    Ask {
        pose: Pose,
        bound: Bound,
        two_threads: bool,
    },
    Refit(Deform),
    /// Of bytes for a vertex and its place; vertices may be named twice.
    RefitMoved(Vec<[u8; 4]>),
    Rebuild,
    /// Positions that are refused, and how.
    Refused(u8),
    /// Somebody else holds the tree from now on.
    Hold,
    Release,
}

pub struct System {
    tree: DeformingTree,
    /// Built with another rule, never deformed.
    other: BvTree,
    held: Vec<(Arc<BvTree>, Mesh)>,
}

impl Model for Deformed {
    type Op = Op;
    type System = System;

    fn new([mesh, other, options, axes, rebuild, ..]: [u8; BYTES]) -> Self {
        let mesh = MESHES[usize::from(mesh) % MESHES.len()].clone();
        let above = [None, Some(2.0), Some(1.01), Some(0.0), Some(f64::INFINITY), Some(f64::NAN)];
        let rebuild_above = above[usize::from(rebuild) % above.len()];
        let refit = RefitOptions { obb_axes: obb_axes(axes), rebuild_above };
        Self { first: mesh.clone(), mesh, other: usize::from(other) % MESHES.len(), options, refit }
    }

    fn op([what, a, b, c, d, e, f, g]: [u8; BYTES]) -> Op {
        match what % 16 {
            0..=4 => Op::Ask { pose: place([a, b, c, d]), bound: Bound::new(e), two_threads: f % 2 == 1 },
            5..=8 => Op::Refit(Deform::new([a, b, c, d])),
            9 => Op::RefitMoved(Vec::new()),
            10 => Op::RefitMoved(vec![[a, b, c, d]]),
            11 | 12 => Op::RefitMoved(vec![[a, b, c, d], [e, f, g, a], [a, c, b, e]]),
            13 if a % 2 == 0 => Op::Rebuild,
            13 => Op::Refused(b),
            14 => Op::Hold,
            _ => Op::Release,
        }
    }

    fn apply(&mut self, op: &Op) {
        match op {
            Op::Refit(how) => self.mesh = with_vertices(&self.mesh, how.of(&self.mesh, &self.first)),
            Op::RefitMoved(bytes) => {
                let mut vertices = self.mesh.vertices().to_vec();
                for (vertex, position) in moved(&self.mesh, bytes) {
                    vertices[vertex as usize] = position;
                }
                self.mesh = with_vertices(&self.mesh, vertices);
            }
            _ => {}
        }
    }

    fn system(&self) -> System {
        let build = |mesh: &Mesh, options: u8| BvTree::build(mesh, &build_options(options)).expect("a tree");
        let tree = build(&self.mesh, self.options);
        let tree = DeformingTree::with_options(tree, self.mesh.clone(), self.refit).expect("its own mesh");
        System { tree, other: build(&MESHES[self.other], self.options / 7), held: Vec::new() }
    }

    fn run(&self, system: &mut System, op: &Op) {
        let System { tree, held, .. } = system;
        match op {
            Op::Ask { pose, bound, two_threads } => on_threads(*two_threads, || self.ask(system, pose, *bound)),
            Op::Refit(_) => drop(tree.refit(self.mesh.vertices()).expect("finite")),
            Op::RefitMoved(bytes) => drop(tree.refit_moved(&moved(tree.mesh(), bytes)).expect("finite")),
            Op::Rebuild => tree.rebuild().expect("a tree"),
            Op::Refused(how) => refused(tree, *how),
            Op::Hold => held.push((tree.tree().clone(), self.mesh.clone())),
            Op::Release => drop(held.pop()),
        }
        let System { tree, held, .. } = system;
        assert_eq!(tree.mesh().vertices(), self.mesh.vertices());
        assert_eq!(tree.tree().validate_against(&self.mesh), []);
        for (tree, mesh) in held {
            assert_eq!(tree.validate_against(mesh), [], "a tree that was held");
        }
    }
}

impl Deformed {
    fn ask(&self, system: &System, pose: &Pose, bound: Bound) {
        let System { tree, other, .. } = system;
        let new = BvTree::build(&self.mesh, &build_options(self.options / 3)).expect("a tree");
        let truth = truth(&self.mesh, &MESHES[self.other], pose);
        let mut query = Query::new();
        let [found, expected] = [&**tree.tree(), &new].map(|tree| {
            let distance = query.distance(tree, other, pose);
            let bound = bound.at(distance.map(|closest| closest.distance));
            let within = query.within(tree, other, pose, bound).is_yes();
            let pairs = query.intersecting_pairs(tree, other, pose);
            let hits = query.intersects(tree, other, pose);
            assert_eq!(hits, truth.is_some_and(|truth| truth.touches));
            assert_eq!(hits, !pairs.is_empty());
            if let Some(is_within) = truth.map_or(Some(false), |truth| truth.is_within(bound)) {
                assert_eq!(within, is_within, "within {bound:e}: {truth:?}");
            }
            assert_eq!(distance.is_some(), truth.is_some());
            if let (Some(distance), Some(truth)) = (distance, truth) {
                assert!(truth.allows(distance.distance), "{distance:?} {truth:?}");
            }
            // Of many pairs that touch any may be told.
            (distance.filter(|closest| closest.distance > 0.0), pairs, within)
        });
        assert_eq!(found, expected, "refitted and new");
    }
}

/// Positions of which there are too many, or which are none: nothing changes.
fn refused(tree: &mut DeformingTree, how: u8) {
    let mut positions = tree.mesh().vertices().to_vec();
    let count = positions.len() as u32;
    match how % 4 {
        0 => {
            positions.push(Point3::origin());
            assert!(matches!(tree.refit(&positions), Err(RefitError::VertexCount { .. })));
        }
        1 => {
            positions[0].y = f32::NAN;
            assert_eq!(tree.refit(&positions), Err(RefitError::NotFinite { vertex: 0 }));
        }
        2 => {
            let moved = [(0, Point3::new(9.0, 9.0, 9.0)), (count, Point3::origin())];
            let vertices = positions.len();
            assert_eq!(tree.refit_moved(&moved), Err(RefitError::NoSuchVertex { vertex: count, vertices }));
        }
        _ => {
            let moved = [(0, Point3::new(9.0, 9.0, 9.0)), (0, Point3::new(0.0, f32::INFINITY, 0.0))];
            assert_eq!(tree.refit_moved(&moved), Err(RefitError::NotFinite { vertex: 0 }));
        }
    }
}

fn moved(mesh: &Mesh, bytes: &[[u8; 4]]) -> Vec<(u32, Point3<f32>)> {
    bytes.iter().filter_map(|&[vertex, x, y, z]| moved_vertex(mesh, vertex, [x, y, z])).collect()
}
