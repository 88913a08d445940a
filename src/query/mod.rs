//! Questions about two trees: whether they touch, and which triangles do.

mod traverse;

use std::ops::ControlFlow;

use thiserror::Error;

use crate::pose::Pose;
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::packed::{Aabb8, Obb8, Sphere8, ToFrame, Volume8};
use crate::tree::{BvTree, View};
use crate::triangle::Triangle;
use crate::volume::VolumeKind;
use traverse::{Stack, Visitor, traverse};

/// Two triangles, one of each mesh, by their indices in the meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FacePair {
    /// Triangle of mesh A.
    pub face_a: u32,
    /// Triangle of mesh B.
    pub face_b: u32,
}

/// Why a query can't be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The two trees are of different kinds.
    #[error("the trees are of different kinds: A has {a} volumes, B has {b}; cook both with the same kind")]
    MixedKinds {
        /// Kind of tree A.
        a: VolumeKind,
        /// Kind of tree B.
        b: VolumeKind,
    },
}

/// How much work a query did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueryStats {
    /// Pairs of volumes tested.
    pub volume_tests: u64,
    /// Pairs of triangles tested.
    pub triangle_tests: u64,
}

/// Answers questions about two trees. Keeps its scratch memory from one question to the next, so that a warmed-up query
/// allocates nothing; use one per thread.
#[derive(Debug)]
pub struct Query {
    level: SimdLevel,
    stack: Stack,
    stats: QueryStats,
}

impl Default for Query {
    fn default() -> Self {
        Self::new()
    }
}

impl Query {
    /// A query object that uses the best instructions of this CPU.
    pub fn new() -> Self {
        Self::with_simd(SimdLevel::detect())
    }

    /// A query object that uses the given instructions, or portable code where the CPU lacks them. Answers are the same.
    pub fn with_simd(level: SimdLevel) -> Self {
        Self { level, stack: Stack::default(), stats: QueryStats::default() }
    }

    /// The work of the last question.
    pub fn stats(&self) -> QueryStats {
        self.stats
    }

    /// Whether any triangle of A touches any of B.
    pub fn intersects(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Result<bool, QueryError> {
        let mut hit = false;
        self.for_each_pair(a, b, b_to_a, |_| {
            hit = true;
            ControlFlow::Break(())
        })?;
        Ok(hit)
    }

    /// Calls `visit` for each pair of touching triangles, in no particular order, until it breaks.
    pub fn for_each_pair(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        b_to_a: &Pose,
        mut visit: impl FnMut(FacePair) -> ControlFlow<()>,
    ) -> Result<(), QueryError> {
        let (kind_a, kind_b) = (a.volume(), b.volume());
        if kind_a != kind_b {
            return Err(QueryError::MixedKinds { a: kind_a, b: kind_b });
        }
        self.stats = QueryStats::default();
        let to = ToFrame::both(&a.meta().frame, &b.meta().frame, b_to_a);
        let views = [a.view(), b.view()];
        let pairs = Pairs { views, pose: b_to_a, visit: &mut visit, tests: 0 };
        let descent = Descent { views, to, stack: &mut self.stack, visitor: pairs };
        let (volume_tests, triangle_tests) = match kind_a {
            VolumeKind::Aabb => dispatch(self.level, Of::<Aabb8, _>(descent, std::marker::PhantomData)),
            VolumeKind::Obb => dispatch(self.level, Of::<Obb8, _>(descent, std::marker::PhantomData)),
            VolumeKind::Sphere => dispatch(self.level, Of::<Sphere8, _>(descent, std::marker::PhantomData)),
        };
        self.stats = QueryStats { volume_tests, triangle_tests };
        Ok(())
    }
}

struct Descent<'a, V> {
    views: [View<'a>; 2],
    to: [ToFrame; 2],
    stack: &'a mut Stack,
    visitor: V,
}
struct Of<V, D>(D, std::marker::PhantomData<V>);

impl<K: Volume8, F: FnMut(FacePair) -> ControlFlow<()>> Task for Of<K, Descent<'_, Pairs<'_, F>>> {
    type Output = (u64, u64);
    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) -> (u64, u64) {
        let v = traverse::<K, S, _>(simd, self.0.views, &self.0.to, self.0.stack, &mut self.0.visitor);
        (v, self.0.visitor.tests)
    }
}

struct Pairs<'a, F> {
    views: [View<'a>; 2],
    pose: &'a Pose,
    visit: &'a mut F,
    tests: u64,
}

impl<F: FnMut(FacePair) -> ControlFlow<()>> Visitor for Pairs<'_, F> {
    fn leaf_pair(&mut self, a: usize, b: usize) -> ControlFlow<()> {
        let [va, vb] = self.views;
        for tb in vb.leaf(b) {
            let b = Triangle { vertices: vb.triangle(tb).map(|v| self.pose.transform(v)) };
            for ta in va.leaf(a) {
                let a = Triangle { vertices: va.triangle(ta).map(|v| v.map(f64::from)) };
                self.tests += 1;
                if a.intersects(&b) {
                    (self.visit)(FacePair { face_a: va.faces[ta], face_b: vb.faces[tb] })?;
                }
            }
        }
        ControlFlow::Continue(())
    }
}
