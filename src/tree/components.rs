//! The connected components of a tree's mesh.

use super::{BvTree, LAST_OF_LEAF};
use crate::mesh::{distinct_points, find_root};

/// Which triangles hang together by vertices; those at equal coordinates are one.
#[derive(Debug)]
pub(crate) struct Components {
    /// Of each triangle by its place in leaf order.
    of: Vec<u32>,
    count: usize,
}

impl Components {
    pub(super) fn of(tree: &BvTree) -> Self {
        let view = tree.view();
        let (points, count) = distinct_points(view.vertices);
        let mut parents: Vec<u32> = (0..count as u32).collect();
        let corner = |vertex: u32| points[(vertex & !LAST_OF_LEAF) as usize];
        for &[a, b, c] in view.corners {
            for other in [b, c] {
                let (a, b) = (find_root(&mut parents, corner(a)), find_root(&mut parents, corner(other)));
                parents[a.max(b) as usize] = a.min(b);
            }
        }
        let mut numbers = vec![u32::MAX; count];
        let mut count = 0;
        let mut number = |&[a, _, _]: &[u32; 3]| {
            let number = &mut numbers[find_root(&mut parents, corner(a)) as usize];
            if *number == u32::MAX {
                (*number, count) = (count, count + 1);
            }
            *number
        };
        let of = view.corners.iter().map(&mut number).collect();
        Self { of, count: count as usize }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The component of a triangle, by its place.
    pub(crate) fn at(&self, place: usize) -> usize {
        self.of[place] as usize
    }
}
