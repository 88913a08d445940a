//! Convex cells that fill a volume and can be halved.

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use super::region::Region;

/// Points whose convex hull encloses a cell.
pub(super) type Corners = SmallVec<[Point3<f64>; 8]>;

/// A convex part of a volume.
#[derive(Clone)]
pub(super) enum Cell {
    /// A part of a box: ranges of the three coordinates along the box's axes, from its centre.
    Box { lower: Vector3<f64>, upper: Vector3<f64> },
    /// A part of a sphere: the points in the directions of a rectangle on a face of the cube around it, within a range
    /// of distances from the centre. The ranges are of two coordinates from -1 to 1 on the face, and of the distances.
    Wedge { face: usize, lower: Vector3<f64>, upper: Vector3<f64> },
    /// A part of a polytope: a tetrahedron by its corners, or a triangle, segment or point.
    Simplex(Corners),
}

impl Cell {
    /// Points whose convex hull encloses the cell. For a box or a wedge, bit `k` of a point's index says whether the
    /// point is at the upper end of the range of coordinate `k`.
    pub(super) fn corners(&self, region: &Region) -> Corners {
        match self {
            Self::Box { lower, upper } => (0..8).map(|index| region.in_mesh(&picked(index, lower, upper))).collect(),
            Self::Wedge { face, lower, upper } => wedge_corners(*face, lower, upper, region),
            Self::Simplex(corners) => corners.clone(),
        }
    }

    /// The two halves of the cell, across its longest edge.
    pub(super) fn halves(&self, corners: &[Point3<f64>]) -> [Self; 2] {
        let split = |lower: &Vector3<f64>, upper: &Vector3<f64>| {
            let length = |k: usize| {
                let edges = (0..8).filter(|index| index >> k & 1 == 0);
                edges.map(|index| (corners[index | 1 << k] - corners[index]).norm()).fold(0.0, f64::max)
            };
            let longest = Vector3::from_fn(|k, _| length(k)).imax();
            let (mut upper_of_first, mut lower_of_second) = (*upper, *lower);
            let middle = 0.5 * (lower[longest] + upper[longest]);
            (upper_of_first[longest], lower_of_second[longest]) = (middle, middle);
            [(*lower, upper_of_first), (lower_of_second, *upper)]
        };
        match self {
            Self::Box { lower, upper } => split(lower, upper).map(|(lower, upper)| Self::Box { lower, upper }),
            Self::Wedge { face, lower, upper } => {
                split(lower, upper).map(|(lower, upper)| Self::Wedge { face: *face, lower, upper })
            }
            Self::Simplex(corners) => {
                let edges = (1..corners.len()).flat_map(|j| (0..j).map(move |i| [i, j]));
                let length = |[i, j]: &[usize; 2]| (corners[*i] - corners[*j]).norm_squared();
                let [i, j] = edges.max_by(|a, b| length(a).total_cmp(&length(b))).unwrap_or([0, 0]);
                let middle = nalgebra::center(&corners[i], &corners[j]);
                [i, j].map(|replaced| {
                    let mut half = corners.clone();
                    half[replaced] = middle;
                    Self::Simplex(half)
                })
            }
        }
    }
}

/// Coordinates, each of which is the lower or the upper one depending on a bit of the index.
fn picked(index: usize, lower: &Vector3<f64>, upper: &Vector3<f64>) -> Vector3<f64> {
    Vector3::from_fn(|k, _| if index >> k & 1 == 1 { upper[k] } else { lower[k] })
}

/// The corners of a frustum around a wedge: four rays, cut by two planes normal to the mean of their directions. The
/// inner plane goes through the point of least height at the least distance, the outer one touches the sphere of the
/// greatest distance.
fn wedge_corners(face: usize, lower: &Vector3<f64>, upper: &Vector3<f64>, region: &Region) -> Corners {
    let direction = |index: usize| {
        let on_face = picked(index, lower, upper);
        let (axis, sign) = (face % 3, if face < 3 { 1.0 } else { -1.0 });
        let mut direction = Vector3::zeros();
        (direction[axis], direction[(axis + 1) % 3], direction[(axis + 2) % 3]) = (sign, on_face.x, on_face.y);
        direction.normalize()
    };
    let directions = [0, 1, 2, 3].map(direction);
    let normal = directions.iter().sum::<Vector3<f64>>().normalize();
    let heights = directions.map(|direction| direction.dot(&normal));
    let inner = lower.z * heights.iter().copied().fold(1.0, f64::min);
    let corner = |index: usize| {
        let plane = if index < 4 { inner } else { upper.z };
        region.in_mesh(&(directions[index % 4] * (plane / heights[index % 4])))
    };
    (0..8).map(corner).collect()
}
