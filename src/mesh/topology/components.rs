//! Connected components, by union-find.

use nalgebra::Point3;

use super::points::distinct_points;
use crate::parallel::Sorting;

/// Sets of numbers that have no number in common: union-find with path halving (Tarjan and van Leeuwen 1984).
pub(crate) struct DisjointSets {
    parents: Vec<u32>,
}

impl DisjointSets {
    /// The numbers below `count`, each a set of its own.
    pub(crate) fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    /// The least number of the set that a number is in.
    pub(crate) fn find(&mut self, mut number: u32) -> u32 {
        let parents = &mut self.parents;
        while parents[number as usize] != number {
            let grandparent = parents[parents[number as usize] as usize];
            parents[number as usize] = grandparent;
            number = grandparent;
        }
        number
    }

    /// Makes one set of two.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }
}

/// Which triangles are connected by shared points.
#[derive(Debug)]
pub(crate) struct Components {
    /// Of each triangle; numbered in the order of their first triangles.
    of: Vec<u32>,
    count: usize,
}

impl Components {
    /// Of triangles given by their vertices.
    pub(crate) fn new(
        vertices: &[Point3<f32>],
        triangles: impl Iterator<Item = [u32; 3]> + Clone,
        sorting: Sorting,
    ) -> Self {
        let (points, count) = distinct_points(vertices, sorting);
        Self::of_points(triangles.map(|corners| corners.map(|vertex| points[vertex as usize])), count)
    }

    /// Of triangles given by their points, which are numbers below `points`.
    pub(crate) fn of_points(triangles: impl Iterator<Item = [u32; 3]> + Clone, points: usize) -> Self {
        let mut sets = DisjointSets::new(points);
        for [a, b, c] in triangles.clone() {
            sets.join(a, b);
            sets.join(a, c);
        }
        const NONE: u32 = u32::MAX;
        let mut numbers = vec![NONE; points];
        let mut count = 0;
        let number = |[a, _, _]: [u32; 3]| {
            let number = &mut numbers[sets.find(a) as usize];
            if *number == NONE {
                (*number, count) = (count, count + 1);
            }
            *number
        };
        let of = triangles.map(number).collect();
        Self { of, count: count as usize }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The component of a triangle.
    pub(crate) fn at(&self, triangle: usize) -> usize {
        self.of[triangle] as usize
    }
}
