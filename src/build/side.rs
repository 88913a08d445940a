//! What the surface area heuristic knows of a set of triangles, by the kind of volume they will get.

use super::items::Item;

/// Triangles of which the surface area matters: those on one side of a plane, or a cluster.
pub(super) trait Side: Copy + Send + Sync {
    const EMPTY: Self;

    /// One triangle, by its corners along some axes (a fourth lane is idle). `middle` is any point near all triangles,
    /// the same for those that will be joined.
    fn of(corners: &[[f64; 4]; 3], middle: &[f64; 3]) -> Self;

    fn join(&mut self, other: &Self);

    fn triangles(&self) -> usize;

    /// The surface area of the volume around the triangles, in a unit of the kind's own; 0 for none.
    fn area(&self) -> f64;

    /// The triangles' number times their area.
    fn cost(&self) -> f64 {
        if self.triangles() == 0 { 0.0 } else { self.triangles() as f64 * self.area() }
    }

    /// Triangles seen along the coordinate axes.
    fn of_items(items: &[Item], middle: &[f64; 3]) -> Self {
        let side = |item: &Item| Self::of(&item.corners.map(|corner| corner.map(f64::from)), middle);
        items.iter().fold(Self::EMPTY, |sides, item| sides.joined(&side(item)))
    }

    fn joined(mut self, other: &Self) -> Self {
        self.join(other);
        self
    }
}

/// The box along the axes.
#[derive(Clone, Copy)]
pub(super) struct BoxSide {
    triangles: usize,
    lower: [f64; 4],
    upper: [f64; 4],
}

impl BoxSide {
    fn lengths(&self) -> [f64; 3] {
        std::array::from_fn(|k| self.upper[k] - self.lower[k])
    }
}

impl Side for BoxSide {
    const EMPTY: Self = Self { triangles: 0, lower: [f64::INFINITY; 4], upper: [f64::NEG_INFINITY; 4] };

    #[inline(always)]
    fn of(corners: &[[f64; 4]; 3], _: &[f64; 3]) -> Self {
        let (mut lower, mut upper) = ([f64::INFINITY; 4], [f64::NEG_INFINITY; 4]);
        for corner in corners {
            for k in 0..4 {
                lower[k] = if corner[k] < lower[k] { corner[k] } else { lower[k] };
                upper[k] = if corner[k] > upper[k] { corner[k] } else { upper[k] };
            }
        }
        Self { triangles: 1, lower, upper }
    }

    #[inline(always)]
    fn join(&mut self, other: &Self) {
        self.triangles += other.triangles;
        for k in 0..4 {
            self.lower[k] = if other.lower[k] < self.lower[k] { other.lower[k] } else { self.lower[k] };
            self.upper[k] = if other.upper[k] > self.upper[k] { other.upper[k] } else { self.upper[k] };
        }
    }

    fn triangles(&self) -> usize {
        self.triangles
    }

    fn area(&self) -> f64 {
        let [x, y, z] = self.lengths();
        if self.triangles == 0 { 0.0 } else { x * y + y * z + z * x }
    }
}

/// The sphere around such a box.
#[derive(Clone, Copy)]
pub(super) struct SphereSide(BoxSide);

impl Side for SphereSide {
    const EMPTY: Self = Self(BoxSide::EMPTY);

    #[inline(always)]
    fn of(corners: &[[f64; 4]; 3], middle: &[f64; 3]) -> Self {
        Self(BoxSide::of(corners, middle))
    }

    #[inline(always)]
    fn join(&mut self, other: &Self) {
        self.0.join(&other.0);
    }

    fn triangles(&self) -> usize {
        self.0.triangles
    }

    fn area(&self) -> f64 {
        let [x, y, z] = self.0.lengths();
        if self.0.triangles == 0 { 0.0 } else { x * x + y * y + z * z }
    }
}

/// A box along the eigenvectors of the corners' covariance, as large as their standard deviations: whatever its
/// direction, its area is known without its axes.
#[derive(Clone, Copy)]
pub(super) struct SpreadSide {
    triangles: usize,
    /// Sums, over the corners, of their offsets x, y, z from the middle, and of the products xx, yy, zz, xy, yz, zx.
    sums: [f64; 3],
    products: [f64; 6],
}

impl Side for SpreadSide {
    const EMPTY: Self = Self { triangles: 0, sums: [0.0; 3], products: [0.0; 6] };

    #[inline(always)]
    fn of(corners: &[[f64; 4]; 3], middle: &[f64; 3]) -> Self {
        let mut side = Self { triangles: 1, ..Self::EMPTY };
        for corner in corners {
            let [x, y, z] = [corner[0] - middle[0], corner[1] - middle[1], corner[2] - middle[2]];
            for (sum, offset) in side.sums.iter_mut().zip([x, y, z]) {
                *sum += offset;
            }
            for (sum, product) in side.products.iter_mut().zip([x * x, y * y, z * z, x * y, y * z, z * x]) {
                *sum += product;
            }
        }
        side
    }

    #[inline(always)]
    fn join(&mut self, other: &Self) {
        self.triangles += other.triangles;
        for (sum, other) in self.sums.iter_mut().zip(&other.sums) {
            *sum += other;
        }
        for (sum, other) in self.products.iter_mut().zip(&other.products) {
            *sum += other;
        }
    }

    fn triangles(&self) -> usize {
        self.triangles
    }

    /// The sum of the eigenvalues' products in pairs is that of the principal minors; each product is the square of the
    /// area of one of the box's faces.
    fn area(&self) -> f64 {
        if self.triangles == 0 {
            return 0.0;
        }
        let corners = 3.0 * self.triangles as f64;
        let [x, y, z] = self.sums.map(|sum| sum / corners);
        let [xx, yy, zz, xy, yz, zx] = self.products.map(|sum| sum / corners);
        let [xx, yy, zz] = [xx - x * x, yy - y * y, zz - z * z];
        let [xy, yz, zx] = [xy - x * y, yz - y * z, zx - z * x];
        let minors = (xx * yy - xy * xy) + (yy * zz - yz * yz) + (zz * xx - zx * zx);
        minors.max(0.0).sqrt()
    }
}
