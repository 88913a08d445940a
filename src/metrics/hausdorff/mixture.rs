//! An upper bound on the distance from the closest of several triangles, over the convex hull of a few points.

use smallvec::SmallVec;

/// Distances of up to eight points from a triangle.
pub(super) type Distances = [f64; 8];

/// The greatest number of triangles of a mixture.
pub(super) const MAX_TRIANGLES: usize = 8;

/// The best bound that a mean of the triangles' distances gives.
pub(super) struct Mixture {
    /// The bound.
    pub(super) bound: f64,
    /// The weights of the triangles in the mean.
    pub(super) weights: SmallVec<[f64; MAX_TRIANGLES]>,
    /// The weights of the points; their weighted mean is the point to which the bound belongs.
    pub(super) point: Distances,
}

impl Mixture {
    /// The best mixture, of at least one triangle and at most [`MAX_TRIANGLES`]; of each triangle's distances, only the
    /// first `points` are used.
    ///
    /// The distance from the closest of the triangles is at most any weighted mean of their distances. A mean of convex
    /// functions is convex, so one of the points has its maximum over their hull. The weights of least maximum are
    /// those of a matrix game, which the simplex method finds. At a point where the distances from several triangles
    /// are equal and greatest, as in the middle between two plates, this bound is exact to first order, while that of a
    /// single triangle is off by the size of the hull.
    pub(super) fn best(distances: &[Distances], points: usize) -> Self {
        let maximum = |row: &Distances| row[..points].iter().copied().fold(0.0, f64::max);
        let (single, least) =
            distances.iter().map(maximum).enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, f64::INFINITY));
        let mut weights = SmallVec::from_elem(0.0, distances.len());
        weights[single] = 1.0;
        let mut point = [0.0; 8];
        let farthest = (0..points).max_by(|&i, &j| distances[single][i].total_cmp(&distances[single][j]));
        point[farthest.unwrap_or(0)] = 1.0;
        let mut best = Self { bound: least, weights, point };
        if distances.len() > 1 && least > 0.0 && least.is_finite() {
            best.mix(distances, points, least);
        }
        best
    }

    /// Replaces the single triangle by a mixture if that is better. Whatever the weights are, the bound holds.
    fn mix(&mut self, distances: &[Distances], points: usize, unit: f64) {
        let mut game = Game::new(distances, points, unit);
        game.solve();
        let (weights, point) = game.strategies();
        let (sum, sum_of_points) = (weights.iter().sum::<f64>(), point.iter().sum::<f64>());
        if !(sum > 0.0 && sum.is_finite() && sum_of_points > 0.0 && sum_of_points.is_finite()) {
            return;
        }
        let weights: SmallVec<[f64; MAX_TRIANGLES]> = weights.iter().map(|weight| weight / sum).collect();
        let mean = |point: usize| weights.iter().zip(distances).map(|(weight, row)| weight * row[point]).sum::<f64>();
        let bound = (0..points).map(mean).fold(0.0, f64::max);
        if bound < self.bound {
            *self = Self { bound, weights, point: point.map(|weight| weight / sum_of_points) };
        }
    }
}

/// The linear program of a matrix game, as a condensed tableau: the sum of the triangles' weights is maximized, while
/// their distances at each point add up to at most 1.
struct Game {
    points: usize,
    triangles: usize,
    /// A row for each point and one for the objective; a column for each triangle and one for the right side.
    rows: [[f64; MAX_TRIANGLES + 1]; 9],
    /// What each row (and, in `column_labels`, each column) stands for: a triangle's index, or 8 plus a point's index.
    row_labels: [usize; 8],
    column_labels: [usize; MAX_TRIANGLES],
}

/// Labels from this number on belong to points, smaller ones to triangles.
const POINT: usize = MAX_TRIANGLES;

impl Game {
    fn new(distances: &[Distances], points: usize, unit: f64) -> Self {
        let triangles = distances.len().min(MAX_TRIANGLES);
        let mut rows = [[0.0; MAX_TRIANGLES + 1]; 9];
        for (point, row) in rows[..points].iter_mut().enumerate() {
            for (entry, of_triangle) in row.iter_mut().zip(distances) {
                *entry = of_triangle[point] / unit;
            }
            row[triangles] = 1.0;
        }
        rows[points][..triangles].fill(-1.0);
        let (row_labels, column_labels) = (std::array::from_fn(|i| POINT + i), std::array::from_fn(|i| i));
        Self { points, triangles, rows, row_labels, column_labels }
    }

    fn solve(&mut self) {
        for _ in 0..MAX_PIVOTS {
            let gains = &self.rows[self.points][..self.triangles];
            let Some((column, gain)) = gains.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)) else { return };
            if *gain >= -PIVOT_MIN {
                return;
            }
            let ratio = |row: &usize| self.rows[*row][self.triangles] / self.rows[*row][column];
            let rows = (0..self.points).filter(|&row| self.rows[row][column] > PIVOT_MIN);
            let Some(row) = rows.min_by(|a, b| ratio(a).total_cmp(&ratio(b))) else { return };
            self.pivot(row, column);
        }
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let pivot = self.rows[row][column];
        let mut divided = self.rows[row].map(|entry| entry / pivot);
        for (index, other) in self.rows[..=self.points].iter_mut().enumerate() {
            if index != row {
                let factor = other[column];
                for at in 0..=self.triangles {
                    other[at] -= factor * divided[at];
                }
                other[column] = -factor / pivot;
            }
        }
        divided[column] = 1.0 / pivot;
        self.rows[row] = divided;
        std::mem::swap(&mut self.row_labels[row], &mut self.column_labels[column]);
    }

    /// The weights of the triangles and of the points, up to a factor.
    fn strategies(&self) -> ([f64; MAX_TRIANGLES], [f64; 8]) {
        let (mut weights, mut points) = ([0.0; MAX_TRIANGLES], [0.0; 8]);
        for (row, &label) in self.row_labels[..self.points].iter().enumerate().filter(|(_, label)| **label < POINT) {
            weights[label] = self.rows[row][self.triangles].max(0.0);
        }
        for (column, &label) in self.column_labels[..self.triangles].iter().enumerate() {
            if label >= POINT {
                points[label - POINT] = self.rows[self.points][column].max(0.0);
            }
        }
        (weights, points)
    }
}

/// The greatest number of pivots; games of this size need a few.
const MAX_PIVOTS: usize = 32;

/// Smaller entries are taken for rounding errors.
const PIVOT_MIN: f64 = 1e-12;
