//! Bodies of the model: what they consist of, and their parts.

use bvtree::refit::{DeformingTree, RefitOptions};
use bvtree::scene::{Body, Compound, Geometry, Part};
use bvtree::shape::Distance;
use bvtree::{BvTree, Mesh, Pose, Probe, Query};

use crate::model::ingredients::{CLOSED, MESHES, SHAPES, build_options, obb_axes, place};

/// What a body consists of: its mesh, a shape in place of it, or both as parts of a compound. Shapes are numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Form {
    Mesh,
    Shape(usize),
    Compound(usize),
}

impl Form {
    /// What a body's options stand for.
    pub(super) fn of(options: u8) -> Self {
        let shape = usize::from(options / 3) % SHAPES.len();
        match options % 6 {
            0 => Self::Shape(shape),
            3 => Self::Compound(shape),
            _ => Self::Mesh,
        }
    }

    /// The parts at a pose of the body; their shapes, or none for the mesh.
    pub(super) fn parts(self, pose: &Pose) -> Vec<(Option<usize>, Pose)> {
        match self {
            Self::Mesh => vec![(None, *pose)],
            Self::Shape(shape) => vec![(Some(shape), *pose)],
            Self::Compound(shape) => {
                vec![
                    (None, product(pose, &mesh_in_compound())),
                    (Some(shape), product(pose, &shape_in_compound(shape))),
                ]
            }
        }
    }

    pub(super) fn geometry(self, tree: &DeformingTree) -> Geometry {
        let tree = tree.tree().clone();
        match self {
            Self::Mesh => tree.into(),
            Self::Shape(shape) => SHAPES[shape].clone().into(),
            Self::Compound(shape) => {
                let mesh = Part { geometry: tree.into(), pose: mesh_in_compound() };
                let shape = Part { geometry: SHAPES[shape].clone().into(), pose: shape_in_compound(shape) };
                Compound::new([mesh, shape]).expect("near").into()
            }
        }
    }
}

fn mesh_in_compound() -> Pose {
    place([8, 0, 4, 0])
}

fn shape_in_compound(shape: usize) -> Pose {
    place([252, 8, 0, shape as u8])
}

/// The pose in the world of what has a pose in a body's frame.
fn product(body: &Pose, local: &Pose) -> Pose {
    let translation = body.rotation() * local.translation() + body.translation();
    Pose::new(body.rotation() * local.rotation(), translation).expect("a pose")
}

/// What is known about a body.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) number: u32,
    pub(super) mesh: Mesh,
    pub(super) first: Mesh,
    pub(super) form: Form,
    pub(super) pose: Pose,
    pub(super) is_static: bool,
    pub(super) is_solid: bool,
    pub(super) groups: u32,
    pub(super) mask: u32,
}

/// A body to be added.
#[derive(Clone, Debug)]
pub struct NewBody {
    pub(super) mesh: usize,
    pub(super) form: Form,
    pub(super) options: u8,
    pub(super) pose: Pose,
    pub(super) is_static: bool,
    pub(super) is_solid: bool,
}

impl NewBody {
    pub(super) fn new([mesh, options, place_at @ ..]: [u8; 6]) -> Self {
        let is_solid = mesh >= 128;
        let mesh = usize::from(mesh) % MESHES.len();
        Self {
            mesh,
            form: Form::of(options),
            options,
            pose: place(place_at),
            is_static: options % 5 == 4,
            is_solid: is_solid && CLOSED.contains(&mesh),
        }
    }

    pub(super) fn known(&self, number: u32) -> Known {
        let Self { mesh, form, pose, is_static, is_solid, .. } = *self;
        let mesh = MESHES[mesh].clone();
        Known { number, first: mesh.clone(), mesh, form, pose, is_static, is_solid, groups: 1, mask: u32::MAX }
    }

    pub(super) fn deforming(&self) -> DeformingTree {
        let mesh = MESHES[self.mesh].clone();
        let tree = BvTree::build(&mesh, &build_options(self.options)).expect("a tree");
        let rebuild_above = (self.options > 127).then_some(2.0);
        let options = RefitOptions { obb_axes: obb_axes(self.options / 9), rebuild_above };
        DeformingTree::with_options(tree, mesh, options).expect("its own mesh")
    }

    pub(super) fn body(&self, tree: &DeformingTree) -> Body {
        let Self { is_static, is_solid, .. } = *self;
        Body { is_static, is_solid, ..Body::moving(self.form.geometry(tree), self.pose) }
    }
}

/// The trees and shapes of a body, and their poses in the world.
fn parts(body: &Body) -> Vec<(&Geometry, Pose)> {
    match body.geometry.compound() {
        Some(compound) => {
            compound.parts().iter().map(|part| (&part.geometry, product(&body.pose, &part.pose))).collect()
        }
        None => vec![(&body.geometry, body.pose)],
    }
}

/// The distance between two bodies' surfaces, or shapes, asked alone: the least of their parts.
pub(super) fn distance(query: &mut Query, a: &Body, b: &Body) -> Option<f64> {
    let parts = [a, b].map(parts);
    let pairs = parts[0].iter().flat_map(|a| parts[1].iter().map(move |b| [a, b]));
    pairs.filter_map(|[a, b]| distance_of_parts(query, a, b)).reduce(f64::min)
}

fn distance_of_parts(query: &mut Query, a: &(&Geometry, Pose), b: &(&Geometry, Pose)) -> Option<f64> {
    let b_to_a = Pose::relative(&a.1, &b.1);
    match [a.0, b.0] {
        [Geometry::Tree(tree_a), Geometry::Tree(tree_b)] => {
            query.distance(tree_a, tree_b, &b_to_a).map(|closest| closest.distance)
        }
        [Geometry::Shape(_), Geometry::Tree(_)] => distance_of_parts(query, b, a),
        [first, second] => {
            let shape = second.shape().expect("no tree").transformed(&b_to_a);
            match first.tree() {
                Some(tree) => Probe::new().closest_to_convex(tree, &shape, f64::INFINITY).map(|found| found.distance),
                None => first.shape().map(|first| first.distance(&shape)),
            }
        }
    }
}
