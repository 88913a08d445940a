//! Separating planes between volumes and between triangles: the evaluation of known planes at a pose, and the search
//! for new ones.

use crate::numeric::error_bounds::MAX_AXIS_LENGTH;
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::traversal::{NodePair, PosedTrees, lanes};
use crate::volume::{EightPlanes, EightTriangles, Node, OneAgainstEight, Plane, Planes, RelativeFrame, WIDTH};

/// A pose, and the distance by which a plane must separate two volumes or triangles to exclude them.
#[derive(Clone, Copy)]
pub(super) struct PlaneSearch<'a> {
    pub(super) level: SimdLevel,
    pub(super) trees: &'a PosedTrees<'a>,
    /// The greatest distance that matters to the search, in the unit of A's frame.
    pub(super) distance: f32,
}

impl PlaneSearch<'_> {
    /// Adds to `near` the indices of those of the first `count` planes that no longer separate their volumes or
    /// triangles by more than `distance`.
    pub(super) fn find_near(&self, planes: &Planes, count: usize, near: &mut Vec<u32>) {
        dispatch(self.level, FindNear { planes, count, search: self, near });
    }

    /// Adds to `found` planes between the single volume and some lanes of the wide node, each with the lanes that it
    /// separates. Returns the lanes without a plane; `None` if the node pair has several single volumes.
    pub(super) fn between_volumes(&self, nodes: &NodePair, lanes: u8, found: &mut Vec<(Plane, u8)>) -> Option<u8> {
        let volumes = self.one_against_eight(nodes)?;
        let distance = self.distance * MAX_AXIS_LENGTH;
        Some(dispatch(self.level, BetweenVolumes { volumes, to: &self.trees.to_frames[0], lanes, distance, found }))
    }

    /// Planes between eight pairs of triangles, along the given axes.
    pub(super) fn between_triangles(&self, triangles: [&EightTriangles; 2], axes: &[[f64; 8]; 3]) -> EightPlanes {
        dispatch(self.level, BetweenTriangles { search: self, triangles, axes })
    }

    fn one_against_eight(&self, nodes: &NodePair) -> Option<OneAgainstEight<'_>> {
        let node = |side: usize, inner| Node::at(self.trees.views[side].nodes, self.trees.kinds[side], inner);
        let side = nodes.side();
        let (single, wide) = (node(side, nodes.single), node(1 - side, nodes.wide));
        let lane = Some(nodes.single_lanes().trailing_zeros() as usize);
        nodes.single_lanes().is_power_of_two().then_some(if side == 0 {
            OneAgainstEight { nodes: [single, wide], lane: [lane, None] }
        } else {
            OneAgainstEight { nodes: [wide, single], lane: [None, lane] }
        })
    }
}

struct FindNear<'a> {
    planes: &'a Planes,
    count: usize,
    search: &'a PlaneSearch<'a>,
    near: &'a mut Vec<u32>,
}

impl Task for FindNear<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let to = &self.search.trees.to_frames[0];
        let limit = simd.splat(self.search.distance * MAX_AXIS_LENGTH + to.margin);
        for first in (0..self.count).step_by(WIDTH) {
            let near = !simd.bits(simd.gt(self.planes.gaps(simd, first / WIDTH, to), limit));
            self.near.extend(lanes(near).map(|lane| (first + lane) as u32));
        }
    }
}

struct BetweenVolumes<'a> {
    volumes: OneAgainstEight<'a>,
    to: &'a RelativeFrame,
    lanes: u8,
    distance: f32,
    found: &'a mut Vec<(Plane, u8)>,
}

impl Task for BetweenVolumes<'_> {
    type Output = u8;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> u8 {
        let separations = self.volumes.separations(simd, self.to);
        let (mut remaining, mut without) = (self.lanes, 0);
        while remaining != 0 {
            let before = remaining;
            let (plane, separated) = separations.plane(simd, self.to, &mut remaining, self.distance);
            if separated != 0 {
                self.found.push((plane, separated));
            }
            without |= before & !remaining & !separated;
        }
        without
    }
}

struct BetweenTriangles<'a> {
    search: &'a PlaneSearch<'a>,
    triangles: [&'a EightTriangles; 2],
    axes: &'a [[f64; 8]; 3],
}

impl Task for BetweenTriangles<'_> {
    type Output = EightPlanes;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> EightPlanes {
        let PlaneSearch { trees, distance, .. } = self.search;
        let PosedTrees { frames, to_frames, .. } = trees;
        EightPlanes::new(simd, self.triangles, frames, &to_frames[0], self.axes, distance * MAX_AXIS_LENGTH)
    }
}
