//! The triangles as builders move them: corners in place, so that passes stream.

use bytemuck::{Pod, Zeroable};
use nalgebra::Point3;

use crate::parallel;

/// A triangle and its index in the mesh. A corner fills a register of four lanes; the fourth lanes of the first two
/// hold the index's low and high half as numbers, for passes compute with whole registers, and an index's bits are a
/// denormal's.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(16))]
pub(crate) struct Primitive {
    pub(crate) corners: [[f32; 4]; 3],
}

/// All corners two by two, lanes as in an primitive, and the last one of an odd number.
#[inline(always)]
pub(crate) fn corners_by_two(primitives: &[Primitive]) -> (&[[f32; 8]], Option<&[f32; 4]>) {
    let (twos, last) = bytemuck::cast_slice::<Primitive, f32>(primitives).as_chunks();
    (twos, last.first_chunk())
}

impl Primitive {
    fn new([a, b, c]: [&Point3<f32>; 3], face: u32) -> Self {
        let corner = |p: &Point3<f32>, lane: f32| [p.x, p.y, p.z, lane];
        let [low, high] = [face as u16, (face >> 16) as u16].map(f32::from);
        Self { corners: [corner(a, low), corner(b, high), corner(c, 0.0)] }
    }

    pub(crate) fn face(&self) -> u32 {
        ((self.corners[1][3] as u32) << 16) | self.corners[0][3] as u32
    }

    pub(crate) fn points(&self) -> [Point3<f64>; 3] {
        self.corners.map(|[x, y, z, _]| Point3::new(f64::from(x), f64::from(y), f64::from(z)))
    }

    /// The corners' twelve lanes.
    #[inline(always)]
    pub(crate) fn words(&self) -> &[u32] {
        bytemuck::cast_slice(self.corners.as_flattened())
    }

    /// Three times the centroid: splits compare it with three times the plane's offset.
    #[inline(always)]
    pub(crate) fn corner_sum(&self) -> [f64; 3] {
        [self.corner_sum_along(0), self.corner_sum_along(1), self.corner_sum_along(2)]
    }

    /// One of its coordinates.
    #[inline(always)]
    pub(crate) fn corner_sum_along(&self, x: usize) -> f64 {
        // By reference: with an index known only at run time a copy would lie in memory.
        let [a, b, c] = &self.corners;
        f64::from(a[x & 3]) + f64::from(b[x & 3]) + f64::from(c[x & 3])
    }
}

/// Fewer triangles than this are not worth a second thread's while.
const MIN_LEN: usize = 1 << 12;

/// The triangles in order, each with its index as its face.
pub(crate) fn gather(vertices: &[Point3<f32>], triangles: &[[u32; 3]]) -> Vec<Primitive> {
    let primitive = |face: usize| Primitive::new(triangles[face].map(|vertex| &vertices[vertex as usize]), face as u32);
    parallel::map_range(0..triangles.len(), MIN_LEN, primitive)
}

/// Brings the primitives into an order: after it, the primitive at `i` is the one that was at `order[i]`.
pub(crate) fn permute(primitives: &mut [Primitive], mut order: Vec<u32>) {
    for begin in 0..primitives.len() {
        // Once around a cycle, of which the first primitive is handed on until its place is reached.
        let mut to = begin;
        loop {
            let from = std::mem::replace(&mut order[to], to as u32) as usize;
            if from == begin {
                break;
            }
            primitives.swap(to, from);
            to = from;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primitives_come_into_the_order_asked_for() {
        let primitive = |face| Primitive::new([&Point3::origin(); 3], face);
        // One cycle of all, a few cycles, and none.
        for factor in [2, 3, 10, 1] {
            let order: Vec<u32> = (0..101).map(|i| (i * factor + factor - 1) % 101).collect();
            let mut primitives: Vec<Primitive> = (0..101).map(primitive).collect();
            permute(&mut primitives, order.clone());
            assert_eq!(primitives.iter().map(Primitive::face).collect::<Vec<_>>(), order);
        }
        permute(&mut [], Vec::new());
    }

    #[test]
    fn faces_are_kept_in_lanes_without_a_denormal() {
        for face in [0, 1, 0xffff, 0x1_0000, 0x7fff_0001, u32::MAX] {
            let primitive = Primitive::new([&Point3::origin(); 3], face);
            assert_eq!(primitive.face(), face);
            assert!(primitive.corners.as_flattened().iter().all(|lane| !lane.is_subnormal()));
        }
    }
}
